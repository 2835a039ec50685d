// SPDX-License-Identifier: MIT
// The scale of a system: powers of two by which matrix and vectors are divided while a solve lasts,
// so that it goes at any scale as it does at scale 1, bit for bit. Private to the solver.
#pragma once
#include <span>
#include <vector>

#include "dwell/formats/csr.hpp"

namespace dwell {

/// What is solved is A' x' = b', where A' = 2^-matrix A, b' = 2^-vectors b and
/// x' = 2^(matrix - vectors) x.
struct system_scale {
  int matrix = 0;
  int vectors = 0;
  int rhs = 0;  ///< the exponent of the largest element of b, or `vectors` if b = 0
  /// x = 2^answer x'
  int answer() const { return vectors - matrix; }
};

/// The largest elements of b' and of A' x' are about 1. The matrix, which is copied for it on a
/// CPU, is scaled only where products could leave the range in which they are exact.
template <class T>
system_scale scale_of(const csr_view<T>& a, std::span<const T> b, std::span<const T> x);

/// 2^exponent v.
template <class T>
std::vector<T> scaled(std::span<const T> v, int exponent);

}  // namespace dwell
