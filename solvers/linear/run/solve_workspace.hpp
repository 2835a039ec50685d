// SPDX-License-Identifier: MIT
// The vectors of a solver's solves besides those of its runs, and where all of them are. Private to
// the solver.
#pragma once
#include "dwell/base/lap_timer.hpp"
#include "dwell/comm/halo.hpp"
#include "dwell/execution/comm/device_transport.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/solvers/linear/run/prepared_matrix.hpp"
#include "dwell/solvers/linear/run/solve_steps.hpp"
#include "dwell/solvers/linear/run/solver_run.hpp"

namespace dwell {

template <class T>
struct solve_workspace {
  solve_workspace() = default;
  solve_workspace(const prepared_matrix<T>& matrix, solve_setup& setup) {
    const lap_timer time(setup.upload_s);
    const device& where = matrix.where();
    const auto n = static_cast<std::size_t>(matrix.rows());
    residual = {where, n, fresh::unset};
    partial = {where, solve_partials(matrix.rows()), fresh::unset};
    done = {where, 1};
    numbers = {where, 1};
    if (matrix.null_space.count() > 0) parts = {where, 1};
    if (matrix.on_gpu()) b = {where, n, fresh::unset}, x = {where, n, fresh::unset};
    if (const row_ranks* const ranks = matrix.ranks(); ranks && ranks->gpus)
      rank_totals = {where, solve_totals * (1 + static_cast<std::size_t>(ranks->comm->size()))};
  }

  /// The options are those of the run.
  solve_places<T> places(const prepared_matrix<T>& matrix, solver_run<T>& run,
                         const solve_options& options) {
    const run_places<T> in = run.code->places();
    solve_places<T> at;
    at.a = matrix.arrays();
    at.matrix_exponent = matrix.facts().exponent;
    at.null_space = has_null_space(options, matrix.facts());
    at.null_count = matrix.null_space.count();
    at.null_vectors = matrix.null_space.data();
    at.parts = parts.data();
    at.run_x = in.x;
    at.run_rhs = in.rhs;
    at.own_scale = in.own_scale;
    at.inverse_diagonal = in.inverse_diagonal;
    at.residual = residual.data();
    at.rtol = options.rtol;
    at.atol = options.atol;
    at.target2 = in.target2;
    at.step = in.step;
    at.stop = in.stop;
    at.rr = in.rr;
    at.numbers = numbers.data();
    if (const row_ranks* const ranks = matrix.ranks()) {
      at.ranks = ranks;
      at.rows_of_ranks = ranks->all_rows;
      at.ghosts_of_x = run.ghosts_of_x.get();
      at.ghosts_of_x_there = run.ghosts_of_x_there.get();
      at.rank_totals = rank_totals.data();
    }
    at.partial = partial.data();
    at.done = done.data();
    return at;
  }

  buffer<T> b, x;   ///< a GPU's copies of host vectors
  buffer<T> kept;   ///< the answer that an attempt began from
  buffer<T> best;   ///< the best answer of attempts that failed
  buffer<T> start;  ///< the start vector, where that is kept
  buffer<row_residual> residual;
  buffer<double> partial;
  buffer<unsigned> done;
  buffer<solve_numbers> numbers;
  buffer<null_parts> parts;
  buffer<double> rank_totals;  ///< sums of several ranks, on GPUs
};

}  // namespace dwell
