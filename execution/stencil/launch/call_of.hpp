// SPDX-License-Identifier: MIT
// What a kernel is called with, from what the kernel table passes on.
#pragma once
#include <algorithm>
#include <span>

#include "dwell/execution/stencil/args.hpp"

namespace dwell {

/// Makes them from what the kernel table passes on: a stencil_args<T>, and as many weights.
template <class S, class T>
stencil_call<S, T> call_of(const void* args, std::span<const double> weights) {
  stencil_call<S, T> a{};
  static_cast<stencil_args<T>&>(a) = *static_cast<const stencil_args<T>*>(args);
  std::transform(weights.begin(), weights.end(), a.w, [](double w) { return static_cast<T>(w); });
  return a;
}

}  // namespace dwell
