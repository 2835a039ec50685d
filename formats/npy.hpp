// SPDX-License-Identifier: MIT
// NumPy's .npy files: two- and three-dimensional arrays of float64 ('<f8') or float32 ('<f4') in C
// order. Reading is strict: another type, order or shape, a short or a long file is an input_error
// that names the file, what was expected and what was found.
#pragma once
#include <filesystem>
#include <span>
#include <string>

#include "dwell/formats/grid.hpp"

namespace dwell {

/// What the header of a file says. Reads no more than the header.
struct npy_facts {
  extents size;
  bool single = false;     ///< float32
  std::size_t offset = 0;  ///< of the first value
};
npy_facts inspect_npy(const std::filesystem::path& file);

/// The whole array. Memory is bounded by the size of the file, whatever its header claims.
template <class T>
grid<T> read_npy(const std::filesystem::path& file);
extern template grid<double> read_npy(const std::filesystem::path&);
extern template grid<float> read_npy(const std::filesystem::path&);

/// Format version 1.0; the file appears whole or not at all.
template <class T>
void write_npy(const std::filesystem::path& file, grid_view<const T> values);
extern template void write_npy(const std::filesystem::path&, grid_view<const double>);
extern template void write_npy(const std::filesystem::path&, grid_view<const float>);

}  // namespace dwell
