// SPDX-License-Identifier: MIT
// Everything a program needs to use Dwell. The adapter for Eigen is apart: dwell/eigen.hpp.
#pragma once
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/core/device.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/formats/error.hpp"
#include "dwell/formats/grid.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/formats/npy.hpp"
#include "dwell/formats/png.hpp"
#include "dwell/formats/triplets.hpp"
#include "dwell/formats/vector_file.hpp"
#include "dwell/formats/vti.hpp"
#include "dwell/solvers/cg/cg.hpp"
#include "dwell/solvers/cg/explain.hpp"
#include "dwell/solvers/stencil/explain.hpp"
#include "dwell/solvers/stencil/stencil.hpp"
