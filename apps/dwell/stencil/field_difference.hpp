// SPDX-License-Identifier: MIT
// Are two fields the same, bit for bit? A zero of the other sign is a difference, a NaN of the same
// bits is none.
#pragma once
#include <string>

#include "dwell/formats/grid.hpp"

namespace dwell::app {

/// "" if they are; else where they first differ and how many cells do. Of equal extents.
template <class T>
std::string field_difference(const grid<T>& expected, const grid<T>& found);

}  // namespace dwell::app
