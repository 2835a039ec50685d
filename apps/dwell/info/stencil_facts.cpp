// SPDX-License-Identifier: MIT
// Taps and default weights of a stencil as text and JSON.
#include "info/stencil_facts.hpp"

#include <fmt/format.h>

#include <sstream>

#include "report/table.hpp"
#include "report/units.hpp"

namespace dwell::app {
namespace {

/// "( 0, -1)": plane, row, column beside the cell itself, as NumPy orders axes.
std::string place(const tap& t, int dims) {
  return dims == 3 ? fmt::format("({:2}, {:2}, {:2})", t.dz, t.dy, t.dx)
                   : fmt::format("({:2}, {:2})", t.dy, t.dx);
}

}  // namespace

std::string to_text(const stencil_shape& s) {
  table out;
  out.row("stencil", fmt::format("{}, {} dimensions, radius {}, {}", s.name, s.dims, s.radius,
                                 s.linear ? "linear" : "not linear"));
  out.row("arithmetic", format_plural(s.flops, "operation") + " per cell and step");
  std::istringstream about(s.about);
  const char* head = "computes";
  for (std::string line; std::getline(about, line); head = "") out.row(head, line);
  out.gap();
  out.row(s.linear ? "weights" : "reads",
          fmt::format("of {}{}", s.dims == 3 ? "(plane, row, column)" : "(row, column)",
                      s.linear ? ", in the order of --weights; the number is the default" : ""));
  for (std::size_t k = 0; k < s.taps.size(); ++k)
    out.row("", place(s.taps[k], s.dims) + (s.linear ? fmt::format("  {:.8g}", s.weights[k]) : ""));
  if (s.linear) return out.text();
  out.gap();
  std::string defaults;
  for (const double w : s.weights)
    defaults += fmt::format("{}{:.8g}", defaults.empty() ? "" : ", ", w);
  out.row("parameters", fmt::format("{} of --weights, by default {}", s.weights.size(), defaults));
  return out.text();
}

json to_json(const stencil_shape& s) {
  json reads = json::array();
  for (const tap& t : s.taps)
    reads.push_back(s.dims == 3 ? json{t.dz, t.dy, t.dx} : json{t.dy, t.dx});
  json out = document("info stencil");
  out.update({{"stencil",
               {{"name", s.name},
                {"dimensions", s.dims},
                {"radius", s.radius},
                {"linear", s.linear},
                {"about", text_or_null(s.about)},
                {"operations_per_cell", s.flops},
                {"reads", reads},
                {"default_weights", s.weights}}}});
  return out;
}

}  // namespace dwell::app
