// SPDX-License-Identifier: MIT
// The steps of a solve on a CPU.
#include "dwell/solvers/linear/run/solve_steps.hpp"

#include "dwell/comm/agreement.hpp"
#include "dwell/comm/halo.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/loops/ordered_pass.hpp"
#include "dwell/solvers/linear/run/product_passes.hpp"
#include "dwell/solvers/linear/run/residual_passes.hpp"
#include "dwell/solvers/linear/run/row_sums.hpp"
#include "dwell/solvers/linear/run/solve_passes.hpp"

namespace dwell {
namespace {

/// Over the rows here; the totals are those of all ranks.
template <class Pass, class T>
void run(const solve_places<T>& at, const Pass& pass) {
  cpu::run_pass(at.a.rows, pass, [&](double* totals) {
    if (at.ranks) combine_over_ranks(*at.ranks->comm, totals, Pass::totals, &Pass::combine);
  });
}

/// Elements of the run's answer, or of the start vector where that is what there is, of which other
/// ranks have the ghosts.
template <class T>
void exchange_answers(std::span<const solve_places<T>> columns) {
  if (!columns.front().ranks) return;
  for (const solve_places<T>& at : columns)
    if (!at.numbers->has_answer && !at.weighing)
      for (index i = 0; i < at.a.rows; ++i) at.run_x_at(i) = at.x[i];
  columns.front().ghosts_of_x->run();
}

template <class T>
void begin(const device&, const solve_places<T>& at) {
  run(at, solve_pass::validate<T>{at});
  if (at.null_space) run(at, solve_pass::means<T>{{}, at});
  for (int k = 0; k < at.null_count; ++k) run(at, solve_pass::parts_of_start<T>{{}, at, k});
  run(at, solve_pass::load<T>{{}, at});
}

template <class T>
void weigh(const device&, std::span<const solve_places<T>> columns) {
  exchange_answers(columns);
  for (const solve_places<T>& at : columns) {
    cpu::sum_rows(solve_pass::residual_row<T>{at}, at.a.rows, at.a.nonzeros);
    run(at, solve_pass::sum_up<T>{at});
  }
}

template <class T>
void end(const device& where, std::span<const solve_places<T>> columns) {
  for (const solve_places<T>& at : columns) {
    if (at.null_space) run(at, solve_pass::mean_of_answer<T>{{}, at});
    for (int k = 0; k < at.null_count; ++k) run(at, solve_pass::parts_of_answer<T>{{}, at, k});
    run(at, solve_pass::answer<T>{at});
  }
  weigh<T>(where, columns);
}

template <class T>
void restore(const device&, const solve_places<T>& at) {
  for (index i = 0; i < at.a.rows; ++i) at.x[i] = at.run_x_at(i);
}

template <class T>
void product(const device&, const product_places<T>& at) {
  for (const bool magnitudes : {false, true}) {
    cpu::sum_rows(solve_pass::product_row<T>{at, magnitudes}, at.a.rows, at.a.nonzeros);
    cpu::run_pass(at.a.rows, solve_pass::square_of_product<T>{{}, at, magnitudes});
  }
}

template <class T>
constexpr solve_steps<T> on_cpu = {&begin<T>, &end<T>, &weigh<T>, &restore<T>, &product<T>};

}  // namespace

std::size_t solve_partials(index rows) {
  return static_cast<std::size_t>(pass_chunks(rows)) * solve_totals;
}

template <class T>
const solve_steps<T>& solve_steps_of(backend on) {
  return on == backend::cpu ? on_cpu<T> : cuda_backend<solve_steps<T>>();
}

template const solve_steps<double>& solve_steps_of(backend);
template const solve_steps<float>& solve_steps_of(backend);

}  // namespace dwell
