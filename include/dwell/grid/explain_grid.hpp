// SPDX-License-Identifier: MIT
// How a system on a grid would be solved, without a solve: the levels of multigrid, where each one
// lives, and what a cycle moves. Nothing here needs CUDA.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/grid/grid_operator.hpp"
#include "dwell/grid/grid_solver.hpp"

namespace dwell {

/// One level of multigrid as it would be visited.
struct grid_level_plan {
  std::vector<int> cells;   ///< slowest axis first
  std::vector<int> halved;  ///< axes along which the next level has half of them, likewise
  /// "Gauss-Seidel in 2 colours", of the last level "Cholesky factor", on a GPU "its inverse".
  std::string solved_by;
  int threads = 1;        ///< that share it; of a GPU blocks
  int visits = 1;         ///< in a cycle
  std::size_t bytes = 0;  ///< u, f, coefficients and inverse diagonals, or the factor
  /// What holds these bytes between two visits of them: "core cache" (the second-level caches of
  /// the threads), "last-level cache" or "memory". Of a CPU whose caches are not known "unknown".
  /// Of a GPU "last-level cache" where that holds all levels below, too.
  std::string lives_in;
  std::size_t bytes_per_cycle = 0;  ///< read or written by all visits, by the model
};

/// What would be done.
struct grid_explanation {
  device_facts device;                  ///< facts of the device that was asked about
  std::string method;                   ///< see grid_options::method
  std::string preconditioner;           ///< see grid_report::preconditioner
  std::string precision;                ///< "f64" or "f32", of vectors
  int threads = 1;                      ///< that would take part; of a GPU blocks
  std::string reason;                   ///< why so many, one line
  std::string cycle;                    ///< "V-cycle", or why it is a W-cycle
  bool singular = false;                ///< see grid_operator::singular()
  bool shared_rows = false;             ///< coefficients are some rows that all others share
  std::size_t vector_bytes = 0;         ///< vectors and coefficients of the method itself
  std::string vectors_live_in;          ///< see grid_level_plan::lives_in
  std::vector<grid_level_plan> levels;  ///< the finest first; none without multigrid
  std::size_t cycle_bytes = 0;          ///< that a cycle moves: of all levels
  std::size_t bytes_per_iteration = 0;  ///< moved by its cycles and the method
  int barriers = 0;  ///< barriers of all blocks of a GPU in an iteration; 0 on a CPU
  /// On a GPU the least time of an iteration: its bytes from where they live, and its barriers,
  /// with nothing else waited for. On a CPU 0: not known.
  double least_s = 0;
  int start_barriers = 0;    ///< those of a start by full multigrid on a GPU, 0 without one
  double start_least_s = 0;  ///< its least time, likewise
};

/// Makes the levels as a solver would, and solves nothing; a GPU need not be here. Throws what
/// grid_solver throws.
template <class T>
grid_explanation explain(const grid_description<T>& d, const device_facts& where,
                         const grid_options& options = {});

extern template DWELL_API grid_explanation explain(const grid_description<double>&,
                                                   const device_facts&, const grid_options&);
extern template DWELL_API grid_explanation explain(const grid_description<float>&,
                                                   const device_facts&, const grid_options&);

}  // namespace dwell
