// SPDX-License-Identifier: MIT
// Kinds by name, and the set-up of each.
#include "dwell/solvers/preconditioners/list.hpp"

#include <fmt/format.h>

#include "dwell/base/error.hpp"
#include "dwell/solvers/preconditioners/aggregation/aggregation.hpp"
#include "dwell/solvers/preconditioners/amg/amg.hpp"
#include "dwell/solvers/preconditioners/block_jacobi/block_jacobi.hpp"
#include "dwell/solvers/preconditioners/chebyshev/chebyshev.hpp"
#include "dwell/solvers/preconditioners/fsai/fsai.hpp"
#include "dwell/solvers/preconditioners/ilu0/ilu0.hpp"
#include "dwell/solvers/preconditioners/sequences/equilibrated.hpp"

namespace dwell {
namespace {

template <class T, make_sequence<T> Plain, make_sequence<double> OfOnes>
prepared_preconditioner in_any_units(const device& where, const csr_arrays<T>& a,
                                     const preconditioner_options& o) {
  return equilibrated<T>(where, a, o, Plain, OfOnes);
}

/// A sequence of products, of matrices in any units.
template <make_sequence<double> F64, make_sequence<float> F32>
constexpr preconditioner_kind sequence(preconditioner is, const char* name, matrix_class of,
                                       bool symmetric, bool of_diagonal,
                                       bool on_cpus_alone = false) {
  return {is,
          name,
          of,
          symmetric,
          of_diagonal,
          &in_any_units<double, F64, F64>,
          &in_any_units<float, F32, F64>,
          on_cpus_alone};
}

/// The kind that complex matrices may have, too.
constexpr preconditioner_kind also_complex(
    preconditioner_kind kind, make_preconditioner<complex_value<double>> in_complex_f64,
    make_preconditioner<complex_value<float>> in_complex_f32) {
  kind.in_complex_f64 = in_complex_f64;
  kind.in_complex_f32 = in_complex_f32;
  return kind;
}

constexpr preconditioner_kind kinds[] = {
    {preconditioner::none, "none", matrix_class::general, true, false},
    {preconditioner::jacobi, "jacobi", matrix_class::general, true, true},
    sequence<&amg_preconditioner<double>, &amg_preconditioner<float>>(
        preconditioner::amg, "amg", matrix_class::positive_definite, true, true),
    sequence<&fsai_preconditioner<double>, &fsai_preconditioner<float>>(
        preconditioner::fsai, "fsai", matrix_class::positive_definite, true, true),
    sequence<&block_jacobi_preconditioner<double>, &block_jacobi_preconditioner<float>>(
        preconditioner::block_jacobi, "block-jacobi", matrix_class::general, true, false),
    also_complex(sequence<&ilu0_preconditioner<double>, &ilu0_preconditioner<float>>(
                     preconditioner::ilu0, "ilu0", matrix_class::general, false, true),
                 &ilu0_preconditioner<complex_value<double>>,
                 &ilu0_preconditioner<complex_value<float>>),
    sequence<&chebyshev_preconditioner<double>, &chebyshev_preconditioner<float>>(
        preconditioner::chebyshev, "chebyshev", matrix_class::positive_definite, true, true),
    sequence<&aggregation_preconditioner<double>, &aggregation_preconditioner<float>>(
        preconditioner::aggregation, "aggregation", matrix_class::general, false, true, true),
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

void check_backend(const preconditioner_kind& kind, backend on) {
  if (kind.on_cpus_alone && on == backend::cuda)
    throw unsupported_error(
        fmt::format("preconditioner {}: expected a CPU, found a GPU (its cycle has more products "
                    "than fit the kernels there); ilu0 is there on both",
                    kind.name));
}

preconditioner_options options_on(backend on, preconditioner wanted,
                                  const preconditioner_options& o) {
  const preconditioner_options filled = ilu0::with_sweeps(on, o);
  return wanted == preconditioner::amg ? amg::with_choices(on, filled) : filled;
}

}  // namespace dwell
