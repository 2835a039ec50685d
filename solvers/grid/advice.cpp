// SPDX-License-Identifier: MIT
// The causes, and a line for each.
#include "dwell/solvers/grid/advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace dwell::grids {
namespace {

using words = std::vector<std::string>;

std::string tries_of(const char* what, const words& tries) {
  return tries.empty() ? what : fmt::format("{}: try {}", what, fmt::join(tries, ", "));
}

/// What takes fewer iterations.
words faster(const grid_report& r, const grid_options& o, bool varies, bool galerkin,
             bool divided) {
  if (r.method == "jacobi" || r.method == "multigrid") return {"method cg"};
  if (r.preconditioner != "multigrid") return {"preconditioner multigrid"};
  words tries;
  if (!varies || galerkin || o.smoother != "points") return tries;
  tries.emplace_back("coarse galerkin");
  if (!divided) tries.emplace_back("smoother lines");
  return tries;
}

std::string more_progress(const grid_report& r, words tries) {
  if (r.stagnated) {
    if (r.precision == "f32") tries.emplace_back("f64");
    return tries_of("the residual stagnates, the last third of the iterations did not halve it",
                    tries);
  }
  tries.insert(tries.begin(), "more iterations");
  return tries_of("the limit of iterations came first", tries);
}

std::string after_breakdown(const grid_report& r) {
  if (r.method == "bicgstab") return "the iteration lost its digits: try method minres";
  if (r.preconditioner == "multigrid")
    return "a cycle of multigrid, in f32, was not positive definite: try preconditioner jacobi";
  return r.method == "minres" ? std::string()
                              : "rounding made the operator indefinite: try method minres";
}

}  // namespace

std::string advice_of(const grid_report& r, const grid_options& o, bool varies, bool galerkin,
                      bool divided) {
  switch (r.stopped) {
    case stop_reason::accuracy_limit: {
      words tries;
      if (r.precision == "f32") tries.emplace_back("f64");
      tries.emplace_back("a larger tolerance");
      return tries_of("rounding allows no smaller true residual", tries);
    }
    case stop_reason::iteration_limit:
      return more_progress(r, faster(r, o, varies, galerkin, divided));
    case stop_reason::breakdown:
      return after_breakdown(r);
    case stop_reason::not_finite:
      if (r.precision == "f32") return "numbers left the range of f32: try f64";
      return r.preconditioner == "none"
                 ? ""
                 : "numbers left the range of f32, in which preconditioners are: coefficients may "
                   "be too far apart";
    default:
      return {};
  }
}

}  // namespace dwell::grids
