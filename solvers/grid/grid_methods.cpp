// SPDX-License-Identifier: MIT
// Words of methods and preconditioners, and what is refused.
#include "dwell/solvers/grid/grid_methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"

namespace dwell {

double default_grid_rtol(std::string_view precision) { return precision == "f32" ? 1e-5 : 1e-8; }

std::vector<std::string> grid_methods() {
  std::vector<std::string> names;
  for (const grids::method_facts& m : grids::all_methods) names.emplace_back(m.name);
  return names;
}
std::vector<std::string> grid_preconditioners() { return {"auto", "multigrid", "jacobi", "none"}; }
std::vector<std::string> grid_cycles() { return {"auto", "v", "w"}; }
std::vector<std::string> grid_smoothers() { return {"points", "lines"}; }
std::vector<std::string> grid_coarse_operators() { return {"auto", "averaged", "galerkin"}; }

namespace grids {
namespace {

/// Throws input_error unless it is one of the words.
void require_grid_word(const char* what, const std::vector<std::string>& words,
                       const std::string& found) {
  if (std::find(words.begin(), words.end(), found) == words.end())
    throw input_error(fmt::format("grid: {}: expected {}, found {}", what, or_list(words),
                                  found_word(found, words)));
}

const method_facts& facts_named(const std::string& name) {
  return *std::find_if(std::begin(all_methods), std::end(all_methods),
                       [&](const method_facts& m) { return m.name == name; });
}

}  // namespace

const char* name_of(grid_preconditioner p) {
  constexpr const char* names[] = {"multigrid", "jacobi", "none"};
  return names[static_cast<int>(p)];
}

chosen_method method_of(const grid_options& o, backend on) {
  const method_facts& m = facts_named(o.method);
  chosen_method c{.method = m.method};
  if (m.method == grid_method::jacobi || o.preconditioner == "jacobi")
    c.preconditioner = grid_preconditioner::jacobi;
  else if (o.preconditioner == "none")
    c.preconditioner = grid_preconditioner::none;
  if (o.cycle != "auto") c.cycle = o.cycle == "v" ? grid_cycle::v : grid_cycle::w;
  if (o.coarse != "auto")
    c.coarse = o.coarse == "galerkin" ? coarse_operators::galerkin : coarse_operators::averaged;
  if (o.smoother == "lines") c.smoother = grid_smoother::lines;
  c.full = o.full_multigrid;
  if (on != backend::cpu) {
    // There the bottom is a product with its inverse, which has the square of its cells.
    c.galerkin_bottom = 1024;
    c.host_vectors = false;
  }
  return c;
}

void check_tolerances(std::optional<double> rtol, double atol) {
  if (rtol && (!(*rtol >= 0) || !std::isfinite(*rtol)))
    throw input_error(fmt::format("rtol: expected a number >= 0, found {}", *rtol));
  if (!(atol >= 0) || !std::isfinite(atol))
    throw input_error(fmt::format("atol: expected a number >= 0, found {}", atol));
}

void check_options(const grid_options& o) {
  require_grid_word("method", grid_methods(), o.method);
  require_grid_word("preconditioner", grid_preconditioners(), o.preconditioner);
  require_grid_word("cycle", grid_cycles(), o.cycle);
  require_grid_word("coarse", grid_coarse_operators(), o.coarse);
  require_grid_word("smoother", grid_smoothers(), o.smoother);
  if (!facts_named(o.method).preconditioned && o.preconditioner != "auto")
    throw input_error(fmt::format("grid: preconditioner: method {} has none, found {}", o.method,
                                  o.preconditioner));
  if (!method_of(o).has_levels()) {
    const grid_options none;
    const char* const given = o.cycle != none.cycle         ? "cycle"
                              : o.coarse != none.coarse     ? "coarse"
                              : o.smoother != none.smoother ? "smoother"
                              : o.full_multigrid            ? "full_multigrid"
                                                            : nullptr;
    if (given)
      throw input_error(fmt::format(
          "grid: {}: expected multigrid, of which it is an option, found preconditioner {}", given,
          name_of(method_of(o).preconditioner)));
  }
  if (o.smoother == "lines" && o.coarse == "galerkin")
    throw input_error(
        "grid: smoother: expected points with coarse operators galerkin, found lines");
  if (o.max_iterations < 1)
    throw input_error(
        fmt::format("max_iterations: expected at least 1, found {}", o.max_iterations));
  if (!(o.progress_interval >= 0))
    throw input_error(
        fmt::format("progress_interval: expected a number >= 0, found {}", o.progress_interval));
  check_tolerances(o.rtol, o.atol);
}

void require_gpu_unknowns(std::size_t cells) {
  if (cells >> 31)
    throw unsupported_error(
        fmt::format("grid: expected fewer than 2^31 unknowns on a GPU, found {}", cells));
}

void check_definite(bool negative_s, const grid_options& o) {
  if (!negative_s || facts_named(o.method).indefinite) return;
  throw input_error(
      fmt::format("grid: s: expected numbers >= 0 for method {}, found one below 0; minres and "
                  "bicgstab take it",
                  o.method));
}

}  // namespace grids
}  // namespace dwell
