// SPDX-License-Identifier: MIT
// What the set-up of hierarchies does on the host, whatever the backend, and the entry to that on a
// GPU. Private to amg.
#pragma once
#include <cstddef>
#include <vector>

#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/solvers/preconditioners/amg/amg.hpp"

namespace dwell {

/// make_amg() on a GPU.
template <class T>
struct amg_set_up {
  amg_hierarchy (*make)(const device&, const csr_arrays<T>&, const amg_options&);
};

namespace amg {

inline constexpr std::size_t most_vectors = 6;  ///< near the null space, of the caller
inline constexpr int most_node_rows = 32;

/// By rows, of a symmetric matrix that is positive definite or nearly so: directions whose pivot is
/// tiny beside the others get none. near_null: vectors that may be null vectors, column by column;
/// empty: the constant one.
std::vector<double> dense_inverse(index rows, const std::vector<index>& row_ptr,
                                  const std::vector<index>& col, const std::vector<double>& val,
                                  const std::vector<double>& near_null);
/// The power of two at or below the largest diagonal element.
double largest_diagonal(index rows, const std::vector<index>& row_ptr,
                        const std::vector<index>& col, const std::vector<double>& val);

}  // namespace amg
}  // namespace dwell
