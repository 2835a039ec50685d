// SPDX-License-Identifier: MIT
// Sums of the buffers that runs, cuts and workspaces have.
#include "dwell/solvers/linear/check/solve_memory.hpp"

#include "dwell/base/index.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"
#include "dwell/solvers/linear/run/solve_places.hpp"

namespace dwell {

double least_solve_bytes(std::int64_t rows, std::int64_t nonzeros, const solve_options& o,
                         std::size_t scalar_bytes, backend on) {
  solve_options asked = o;
  if (asked.method == automatic) asked.method = "cg";
  const solver_variant* const named = variant_asked_for(asked);
  const solver_variant& variant = named ? *named : solver_variants(asked.method).front();
  const auto n = static_cast<double>(rows), elements = static_cast<double>(nonzeros);
  const auto scalar = static_cast<double>(scalar_bytes);
  const double iterated = o.mixed_precision ? sizeof(float) : scalar;
  const double basis = asked.method == "gmres" ? o.restart : 0;
  double bytes =
      n * (sizeof(row_residual) + iterated * (static_cast<double>(variant.vectors.size()) + basis));
  if (on == backend::cpu) return bytes + (o.mixed_precision ? elements * iterated : 0.0);
  constexpr double narrow_column = sizeof(std::uint16_t);
  bytes += n * (sizeof(std::int64_t) + 2 * scalar) + elements * (sizeof(index) + scalar);
  return bytes + elements * (narrow_column + iterated);
}

}  // namespace dwell
