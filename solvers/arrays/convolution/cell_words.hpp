// SPDX-License-Identifier: MIT
// Types of cells, for people and in C++.
#pragma once
#include <cstdint>

#include "dwell/base/half.hpp"

namespace dwell {

struct cell_words {
  const char* name;  ///< in reports and options
  const char* type;  ///< in the text of kernels
};
template <class T>
inline constexpr cell_words words_of_cells = {"f64", "double"};
template <>
inline constexpr cell_words words_of_cells<float> = {"f32", "float"};
template <>
inline constexpr cell_words words_of_cells<half> = {"f16", "dwell::half"};
template <>
inline constexpr cell_words words_of_cells<std::uint8_t> = {"u8", "unsigned char"};

}  // namespace dwell
