// SPDX-License-Identifier: MIT
// Component core: devices, matrices in arrays, conjugate gradients. Link the CMake target
// dwell::core.
#pragma once
#include "dwell/arrays/convolution.hpp"
#include "dwell/arrays/convolution_runner.hpp"
#include "dwell/arrays/explain_convolution.hpp"
#include "dwell/arrays/reduce.hpp"
#include "dwell/arrays/scan.hpp"
#include "dwell/base/error.hpp"
#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/formats/grid.hpp"
#include "dwell/formats/triplets.hpp"
#include "dwell/grid/boundary.hpp"
#include "dwell/grid/grid_operator.hpp"
#include "dwell/linear/cg_batch.hpp"
#include "dwell/linear/explain.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/linear/product.hpp"
#include "dwell/linear/rigid_body_modes.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/version.hpp"
