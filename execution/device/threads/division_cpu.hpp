// SPDX-License-Identifier: MIT
// What a division costs a core of this machine: processors differ by more than four times there,
// and by little in what else a stencil does.
#pragma once

namespace dwell {

/// Seconds of a division of values of so many bytes, one of many in vectors; measured once in a
/// program's life, in some 0.1 ms.
double division_seconds(int value_bytes);

}  // namespace dwell
