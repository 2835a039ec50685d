// SPDX-License-Identifier: MIT
// The rows, the refusals, and a model of what factors cost.
#include "dwell/solvers/linear/direct/direct_method.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/solvers/linear/direct/factors.hpp"

namespace dwell {
namespace {

constexpr solver_variant direct_row(const char* name) {
  solver_variant row{};
  row.method = direct_method;
  row.title = "sparse direct solver";
  row.solves = matrix_class::general;
  row.breaks_down = "the matrix has no factors";
  row.name = name;
  row.program = direct_method;
  row.columns = 1;
  row.without = true;
  return row;
}
constexpr std::array<solver_variant, 2> rows_of_direct = {direct_row(variant_ldlt),
                                                          direct_row(variant_lu)};

[[noreturn]] void refuse(const char* what, std::string_view expected, std::string_view found) {
  throw unsupported_error(
      fmt::format("{}: expected {} with method direct, found {}", what, expected, found));
}

}  // namespace

std::span<const solver_variant> direct_variants() {
  return built_factors() ? std::span<const solver_variant>(rows_of_direct)
                         : std::span<const solver_variant>();
}

void check_direct(const solve_options& o) {
  if (o.executor != automatic) refuse("executor", "auto", o.executor);
  if (asks_to_cache(o.policy)) refuse("policy", "auto or none", o.policy);
  if (o.preconditioner != preconditioner::automatic && o.preconditioner != preconditioner::none)
    refuse("preconditioner", "auto or none", to_string(o.preconditioner));
  if (o.mixed_precision) refuse("precision", "f64 or f32", "mixed");
  if (o.null_space == "constant") refuse("null_space", "auto or none", o.null_space);
  if (!o.null_vectors.empty()) refuse("null_vectors", "none", "some");
  if (o.fixed_iterations) refuse("fixed_iterations", "false", "true");
  if (o.columns_at_once > 1)
    refuse("columns_at_once", "0 or 1", std::to_string(o.columns_at_once));
}

void require_direct_on(const device& where, const solve_options& o) {
  if (is_direct(o.method) && where.on() != backend::cpu)
    throw unsupported_error(
        fmt::format("method direct: expected a CPU as the device, found {}", where.facts().name));
}

direct_prospect direct_prospect_of(const row_pattern& a, const system_facts& facts,
                                   bool has_null_space) {
  direct_prospect out;
  out.symmetric = facts.symmetric;
  const auto unknown = [&](std::string why) {
    out.words = std::move(why);
    return out;
  };
  const factor_library* const library = built_factors();
  if (!library) return unknown("this program has no method direct");
  if (has_null_space) return unknown("method direct is not for singular matrices");
  if (a.rows > most_rows_of_advice)
    return unknown(
        fmt::format("the fill is counted for at most {} rows, there are more", most_rows_of_advice));
  const bool whole = has_mirrors(a);
  const owned_pattern both = whole ? owned_pattern{} : with_mirrors(a);
  const row_pattern symmetric = whole ? a : both.view();
  const factor_fill fill = fill_of(symmetric, library->order(symmetric));
  const double factors = facts.symmetric ? 1 : 2;
  out.known = true;
  out.nonzeros = factors * fill.nonzeros;
  out.bytes = bytes_of_factor(out.nonzeros);
  return out;
}

std::string direct_advice(const direct_prospect& seen) { return seen.words; }

double bytes_of_factor(double nonzeros) { return 12.0 * nonzeros; }

}  // namespace dwell
