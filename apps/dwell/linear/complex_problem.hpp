// SPDX-License-Identifier: MIT
// dwell solve with a complex matrix: its vectors, its solve, and what it does without.
#pragma once
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/matrix_source.hpp"
#include "linear/solve_arguments.hpp"
#include "linear/vectors.hpp"

#include "dwell/linear/solve.hpp"

namespace dwell::app {

struct complex_vectors {
  std::vector<std::complex<double>> b, x;  ///< x is the answer in the end
};

/// Throws unsupported_error for what dwell solve has for real matrices alone.
void check_complex(const solve_arguments& args);
/// The right-hand side that was asked for, and the start.
complex_vectors make_complex_vectors(const rhs_source& rhs, const std::string& start,
                                     const matrix_source& source, int threads);
std::int64_t count_explicit_zeros(const csr<std::complex<double>>& a);
/// Solves in f64 or f32.
solve_report solve_complex_in(const std::string& precision, const device& where,
                              const csr<std::complex<double>>& a, complex_vectors& v,
                              const solve_options& options);
/// ||b||.
double norm_of(const std::vector<std::complex<double>>& b);
/// How far an element of x is from 1 at most.
double largest_error(const std::vector<std::complex<double>>& x);

}  // namespace dwell::app
