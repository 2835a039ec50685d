// SPDX-License-Identifier: MIT
// Systems whose rows are divided among ranks: threads of one process, or processes of MPI with
// dwell/mpi.hpp besides. Part of component core.
#pragma once
#include "dwell/execution/comm/agreement.hpp"
#include "dwell/execution/comm/communicator.hpp"
#include "dwell/formats/row_source.hpp"
#include "dwell/solvers/distributed/distribute.hpp"
#include "dwell/solvers/distributed/distributed_matrix.hpp"
#include "dwell/solvers/distributed/distributed_solver.hpp"
#include "dwell/solvers/distributed/divide.hpp"
