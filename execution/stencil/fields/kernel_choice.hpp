// SPDX-License-Identifier: MIT
// The kernel of a definition: compiled, or interpreted, and why.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "dwell/base/file_cache.hpp"
#include "dwell/execution/stencil/fields/row_kernel.hpp"

namespace dwell {

template <class T>
struct chosen_kernel {
  std::unique_ptr<row_kernel<T>> rows;
  std::string name;    ///< "compiled" or "interpreted"
  std::string reason;  ///< one line
  double compile_seconds = 0;
  file_origin origin{};    ///< what the cache says of a compiled one
  std::string not_kept{};  ///< why, half a line; or empty
};

/// wanted: "auto", "compiled" or "interpreted". Throws input_error for another word, or if a
/// compiled kernel was asked for and cannot be.
template <class T>
chosen_kernel<T> choose_kernel(const stencil_definition& definition, std::string_view wanted);

}  // namespace dwell
