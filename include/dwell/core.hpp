// SPDX-License-Identifier: MIT
// Component core: devices, matrices in arrays, conjugate gradients. Link the CMake target
// dwell::core.
#pragma once
#include "dwell/base/error.hpp"
#include "dwell/execution/device/device.hpp"
#include "dwell/execution/device/device_views.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/formats/grid.hpp"
#include "dwell/formats/triplets.hpp"
#include "dwell/solvers/cg/cg.hpp"
#include "dwell/solvers/cg/cg_batch.hpp"
#include "dwell/solvers/cg/cg_solver.hpp"
#include "dwell/solvers/cg/explain.hpp"
#include "dwell/version.hpp"
