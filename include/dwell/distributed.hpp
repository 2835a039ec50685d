// SPDX-License-Identifier: MIT
// Systems and grids that are divided among ranks: threads of one process, or processes of MPI with
// dwell/mpi.hpp besides. Part of component core.
#pragma once
#include "dwell/comm/agreement.hpp"
#include "dwell/comm/communicator.hpp"
#include "dwell/formats/row_source.hpp"
#include "dwell/grid/distributed_grid_solver.hpp"
#include "dwell/linear/distribute.hpp"
#include "dwell/linear/distributed_matrix.hpp"
#include "dwell/linear/distributed_solver.hpp"
#include "dwell/linear/divide.hpp"
