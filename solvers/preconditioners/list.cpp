// SPDX-License-Identifier: MIT
// See list.hpp.
#include "dwell/solvers/preconditioners/list.hpp"

#include <fmt/format.h>

#include "dwell/base/error.hpp"
#include "dwell/solvers/preconditioners/amg/amg.hpp"
#include "dwell/solvers/preconditioners/block_jacobi/block_jacobi.hpp"
#include "dwell/solvers/preconditioners/chains/equilibrated.hpp"
#include "dwell/solvers/preconditioners/chebyshev/chebyshev.hpp"
#include "dwell/solvers/preconditioners/fsai/fsai.hpp"
#include "dwell/solvers/preconditioners/ilu0/ilu0.hpp"

namespace dwell {
namespace {

template <class T, make_chain<T> Plain, make_chain<double> OfOnes>
made_preconditioner in_any_units(const device& where, const csr_arrays<T>& a,
                                 const preconditioner_options& o) {
  return equilibrated<T>(where, a, o, Plain, OfOnes);
}
template <class T>
constexpr make_preconditioner<T> amg_in_any_units =
    &in_any_units<T, &amg_preconditioner<T>, &amg_preconditioner<double>>;
template <class T>
constexpr make_preconditioner<T> block_jacobi_in_any_units =
    &in_any_units<T, &block_jacobi_preconditioner<T>, &block_jacobi_preconditioner<double>>;
template <class T>
constexpr make_preconditioner<T> fsai_in_any_units =
    &in_any_units<T, &fsai_preconditioner<T>, &fsai_preconditioner<double>>;
template <class T>
constexpr make_preconditioner<T> ilu0_in_any_units =
    &in_any_units<T, &ilu0_preconditioner<T>, &ilu0_preconditioner<double>>;
template <class T>
constexpr make_preconditioner<T> chebyshev_in_any_units =
    &in_any_units<T, &chebyshev_preconditioner<T>, &chebyshev_preconditioner<double>>;

constexpr preconditioner_kind kinds[] = {
    {preconditioner::none, "none", matrix_class::general, true, false},
    {preconditioner::jacobi, "jacobi", matrix_class::general, true, true},
    {preconditioner::amg, "amg", matrix_class::positive_definite, true, true,
     amg_in_any_units<double>, amg_in_any_units<float>},
    {preconditioner::fsai, "fsai", matrix_class::positive_definite, true, true,
     fsai_in_any_units<double>, fsai_in_any_units<float>},
    {preconditioner::block_jacobi, "block-jacobi", matrix_class::general, true, false,
     block_jacobi_in_any_units<double>, block_jacobi_in_any_units<float>},
    {preconditioner::ilu0, "ilu0", matrix_class::general, false, true, ilu0_in_any_units<double>,
     ilu0_in_any_units<float>},
    {preconditioner::chebyshev, "chebyshev", matrix_class::positive_definite, true, true,
     chebyshev_in_any_units<double>, chebyshev_in_any_units<float>},
    {preconditioner::automatic, "auto", matrix_class::general, true, false},
};

}  // namespace

std::span<const preconditioner_kind> preconditioner_kinds() { return kinds; }

const preconditioner_kind& kind_of(preconditioner p) {
  for (const preconditioner_kind& one : kinds)
    if (one.is == p) return one;
  throw input_error(fmt::format(
      "preconditioner: expected one of those of preconditioners(), found {}", static_cast<int>(p)));
}

}  // namespace dwell
