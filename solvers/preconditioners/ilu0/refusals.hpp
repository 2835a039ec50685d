// SPDX-License-Identifier: MIT
// What matrices have no incomplete factors, of real and of complex values, exact or by sweeps.
// Private to the folder.
#pragma once
#include <string>

#include "dwell/base/complex_value.hpp"
#include "dwell/base/index.hpp"
#include "dwell/solvers/preconditioners/sequences/steps.hpp"

namespace dwell::ilu0 {

std::string text_of(double v);
std::string text_of(complex_value<double> v);

/// Throws input_error: factors that fail in a row after so many sweeps.
[[noreturn]] void refuse_row(index row, const std::string& pivot, int factor_sweeps);

/// Throws input_error where the sizes of diagonal elements differ by more than f32 has. (Factors of
/// real matrices in odd units are those of a matrix in units of one: equilibrated.hpp.)
void check_range_of_complex(const sequences::size_range& range);

/// Throws unsupported_error where an index does not hold two positions for each element of a
/// complex matrix, which a row of parts has (sequences/steps.hpp).
void check_count_of_complex(index nonzeros);

}  // namespace dwell::ilu0
