// SPDX-License-Identifier: MIT
// Everything a program needs to use Dwell, of all components. The adapter for Eigen is apart:
// dwell/eigen.hpp.
#pragma once
#include "dwell/core.hpp"
#include "dwell/io.hpp"
#include "dwell/stencil.hpp"
