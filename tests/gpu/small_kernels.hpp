// SPDX-License-Identifier: MIT
// What small kernels of one unit find on a GPU: integers of set-ups and sums of doubles. Each file
// that includes this compiles its unit's kernels, or has their names.
#pragma once
#include <cstddef>
#include <vector>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/loops/ordered_pass_cuda.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/execution/krylov/spmv/cutting.hpp"
#include "dwell/execution/team/summing_loops_cuda.hpp"
#include "dwell/solvers/linear/check/validating.hpp"
#include "dwell/solvers/linear/mixed/mixed_passes.hpp"
#include "dwell/solvers/linear/run/row_sums_cuda.hpp"
#include "dwell/solvers/linear/run/solve_steps.hpp"

namespace dwell::test {

struct small_results {
  system_facts facts;
  cut_outline cut;
  std::vector<index> sums;       ///< before each length of a row
  std::vector<double> residual;  ///< and the sum of its squares
};

/// a, x, b: in memory of the GPU.
template <class Kernels>
small_results run_small_kernels(const device& where, const large_csr_arrays<double>& a,
                                const double* b, const double* x, int teams,
                                const buffer<index>& lengths) {
  using loops = cuda::summing_loops<Kernels>;
  small_results found;
  found.facts = validating::validate_with<loops>(where, a, true, 0.0);
  found.cut = cutting::cut_with<loops>(where, cutting::pattern_of(a), {teams, true, false}).outline;

  const auto rows = static_cast<std::size_t>(a.rows);
  const loops of_unit(where);
  const buffer<index> sums(where, rows + 1);
  of_unit.sums_before(lengths.data(), sums.data(), a.rows);
  found.sums.resize(rows + 1);
  of_unit.fetch(found.sums.data(), sums.data(), found.sums.size() * sizeof(index));

  const buffer<double> r(where, rows + 1), partial(where, solve_partials(a.rows));
  const buffer<unsigned> done(where, 1);
  const residual_places at{a, 0, b, x, r.data(), r.data() + rows, partial.data(), done.data()};
  cuda::sum_rows<Kernels>(where, mixed_pass::residual_row{at}, a.rows);
  cuda::run_pass<Kernels>(where, a.rows, mixed_pass::sum_up{at}, {at.partial, at.done});
  found.residual.resize(rows + 1);
  of_unit.fetch(found.residual.data(), r.data(), found.residual.size() * sizeof(double));
  return found;
}

/// By nvcc's kernels.
small_results small_kernels_by_nvcc(const device& where, const large_csr_arrays<double>& a,
                                    const double* b, const double* x, int teams,
                                    const buffer<index>& lengths);

}  // namespace dwell::test
