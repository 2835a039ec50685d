// SPDX-License-Identifier: MIT
// See list.hpp.
#include "dwell/solvers/preconditioners/list.hpp"

#include <fmt/format.h>

#include "dwell/base/error.hpp"
#include "dwell/solvers/preconditioners/amg/amg.hpp"

namespace dwell {
namespace {

constexpr preconditioner_kind kinds[] = {
    {preconditioner::none, "none", matrix_class::general, true, false},
    {preconditioner::jacobi, "jacobi", matrix_class::general, true, true},
    {preconditioner::amg, "amg", matrix_class::positive_definite, true, true,
     &amg_preconditioner<double>, &amg_preconditioner<float>},
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
