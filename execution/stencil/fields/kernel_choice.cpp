// SPDX-License-Identifier: MIT
// See kernel_choice.hpp.
#include "dwell/execution/stencil/fields/kernel_choice.hpp"

#include <algorithm>
#include <array>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"

namespace dwell {

template <class T>
chosen_kernel<T> choose_kernel(const stencil_definition& definition, std::string_view wanted) {
  constexpr std::array<std::string_view, 3> known{"auto", "compiled", "interpreted"};
  if (std::find(known.begin(), known.end(), wanted) == known.end())
    throw input_error("kernel: expected auto, compiled or interpreted, found " +
                      found_word(wanted, known));
  if (wanted == "compiled")
    throw unsupported_error("kernel compiled: this build has the interpreter alone");
  return {interpreted_rows<T>(definition), "interpreted",
          wanted == "auto" ? "this build has no other" : "as asked for", 0};
}

template chosen_kernel<double> choose_kernel(const stencil_definition&, std::string_view);
template chosen_kernel<float> choose_kernel(const stencil_definition&, std::string_view);

}  // namespace dwell
