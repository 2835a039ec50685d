// SPDX-License-Identifier: MIT
// Private to formats: what a .npy file begins with; and vectors in them.
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dwell/formats/input_file.hpp"

namespace dwell {

inline constexpr const char* npy_magic = "\x93NUMPY";

struct npy_header {
  std::vector<long long> shape;  ///< none is negative
  bool single = false;           ///< float32, else float64
  std::size_t values_at = 0;     ///< where the first value lies in the file

  std::string shape_text() const;  ///< "(3, 2)"
};

/// Leaves `in` at the first value. Throws input_error for what is no .npy file, or one of another
/// type or order.
npy_header read_npy_header(input_file& in);

/// All that stands before the values, in format 1.0. `shape` as in "300, 200".
std::string npy_start(const std::string& descr, const std::string& shape);

/// An array of any shape that is wanted, float32 widened.
struct npy_array {
  std::vector<long long> shape;
  std::vector<double> values;  ///< in C order
};
/// is_wanted(shape): false, or an exception, before memory is taken.
npy_array read_npy_array(input_file& file,
                         const std::function<bool(const std::vector<long long>&)>& is_wanted);

/// Of shape (n,) or (n, 1), all values finite.
std::vector<double> read_npy_vector(input_file& file);
void write_npy_vector(const std::filesystem::path& file, std::span<const double> v);

}  // namespace dwell
