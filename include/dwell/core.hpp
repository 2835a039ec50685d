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
#include "dwell/solvers/convolution/convolution.hpp"
#include "dwell/solvers/convolution/convolution_runner.hpp"
#include "dwell/solvers/convolution/explain.hpp"
#include "dwell/solvers/linear/cg_batch.hpp"
#include "dwell/solvers/linear/explain.hpp"
#include "dwell/solvers/linear/inconsistent_rhs.hpp"
#include "dwell/solvers/linear/linear_solver.hpp"
#include "dwell/solvers/linear/solve.hpp"
#include "dwell/solvers/preconditioners/rigid_body_modes.hpp"
#include "dwell/solvers/reduce/reduce.hpp"
#include "dwell/solvers/scan/scan.hpp"
#include "dwell/version.hpp"
