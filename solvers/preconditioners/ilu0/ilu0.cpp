// SPDX-License-Identifier: MIT
// Incomplete factors on a CPU.
#include "dwell/solvers/preconditioners/ilu0/ilu0.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "dwell/base/complex_value.hpp"
#include "dwell/base/error.hpp"
#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/solvers/preconditioners/ilu0/building.hpp"
#include "dwell/solvers/preconditioners/ilu0/exact.hpp"
#include "dwell/solvers/preconditioners/ilu0/refusals.hpp"
#include "dwell/solvers/preconditioners/sequences/equilibrated.hpp"
#include "dwell/solvers/preconditioners/sequences/set_up_table.hpp"

namespace dwell {
namespace ilu0 {

std::string text_of(double v) { return fmt::format("{}", v); }
std::string text_of(complex_value<double> v) { return fmt::format("{}{:+}i", v.re, v.im); }

void refuse_row(index row, const std::string& pivot, int factor_sweeps) {
  throw input_error(
      fmt::format("ilu0: expected finite factors with pivots other than zero, found pivot {} in "
                  "row {} (counted from 1, the matrix scaled to a unit diagonal, after "
                  "factor_sweeps = {}); another number of sweeps or preconditioner may do",
                  pivot, row + 1, factor_sweeps));
}

void check_range_of_complex(const sequences::size_range& range) {
  const int spread = range.most + range.least - 2 * sequences::size_range::bias;
  if (spread > matrix_units::most_spread)
    throw input_error(
        fmt::format("ilu0: expected diagonal elements of a complex matrix whose sizes differ by at "
                    "most 2^{}, found 2^{}",
                    matrix_units::most_spread, spread));
}

void check_count_of_complex(index nonzeros) {
  constexpr index most = std::numeric_limits<index>::max() / 2;
  if (nonzeros > most)
    throw unsupported_error(fmt::format(
        "ilu0: expected at most {} elements of a complex matrix, found {}", most, nonzeros));
}

preconditioner_options with_sweeps(backend on, preconditioner_options o) {
  if (on == backend::cpu && o.factor_sweeps == 0 && o.sweeps == 0) return o;
  if (o.factor_sweeps == 0) o.factor_sweeps = 5;
  if (o.sweeps == 0) o.sweeps = 3;
  return o;
}

}  // namespace ilu0

template <class T>
prepared_preconditioner ilu0_preconditioner(const device& where, const csr_arrays<T>& a,
                                            const preconditioner_options& o) {
  if constexpr (is_complex_value<T>) ilu0::check_count_of_complex(a.nonzeros);
  const preconditioner_options filled = ilu0::with_sweeps(where.on(), o);
  if (where.on() == backend::cuda) {
    if constexpr (is_complex_value<T>)
      return cuda_backend<complex_set_ups<T>>().ilu0(where, a, filled);
    else
      return cuda_backend<chain_set_ups<T>>().ilu0(where, a, filled);
  }
  if (filled.sweeps == 0) return ilu0::exact_factors(where, a);
  return ilu0::builder<cpu::setup_loops, sequences::wide_value<T>>(where).build(a, filled);
}
template prepared_preconditioner ilu0_preconditioner(const device&, const csr_arrays<double>&,
                                                     const preconditioner_options&);
template prepared_preconditioner ilu0_preconditioner(const device&, const csr_arrays<float>&,
                                                     const preconditioner_options&);
template prepared_preconditioner ilu0_preconditioner(const device&,
                                                     const csr_arrays<complex_value<double>>&,
                                                     const preconditioner_options&);
template prepared_preconditioner ilu0_preconditioner(const device&,
                                                     const csr_arrays<complex_value<float>>&,
                                                     const preconditioner_options&);

}  // namespace dwell
