// SPDX-License-Identifier: MIT
// The precisions that kernels are compiled for.
#pragma once

namespace dwell {

enum class precision { f64, f32 };
template <class T>
inline constexpr precision precision_of = sizeof(T) == 8 ? precision::f64 : precision::f32;

}  // namespace dwell
