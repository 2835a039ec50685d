// SPDX-License-Identifier: MIT
// The steps of a solve on a GPU: five small kernels in the device's stream (two more where
// the matrix has a null space, or for each null vector that is given), and no wait. Of several
// ranks the totals of a pass are joined by a message, after which another kernel concludes it.
#include <span>
#include <string>

#include "dwell/execution/comm/device_halo.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/kernel_unit_cuda.hpp"
#include "dwell/execution/device/loops/ordered_pass_cuda.hpp"
#include "dwell/solvers/linear/run/product_passes.hpp"
#include "dwell/solvers/linear/run/residual_passes.hpp"
#include "dwell/solvers/linear/run/row_sums_cuda.hpp"
#include "dwell/solvers/linear/run/solve_passes.hpp"
#include "dwell/solvers/linear/run/solve_steps.hpp"
#include "dwell/solvers/linear/run/totals_of.hpp"
#if defined(__CUDACC__)
#include "dwell/solvers/linear/run/solve_kernels.cuh"
#endif

namespace dwell {
namespace solve_pass {

/// The kernels of steps of solves, with one rank and with several.
template <class T>
struct step_kernels {
  static std::string about() { return cuda::in_precision<T>("steps of solves"); }
  static std::string group() { return cuda::in_precision<T>("solves"); }
  static constexpr const char* headers[] = {"dwell/execution/device/loops/ordered_pass.cuh",
                                            "dwell/solvers/linear/run/product_passes.hpp",
                                            "dwell/solvers/linear/run/residual_passes.hpp",
                                            "dwell/solvers/linear/run/row_sums.cuh",
                                            "dwell/solvers/linear/run/solve_kernels.cuh",
                                            "dwell/solvers/linear/run/solve_passes.hpp"};
};
template <class T>
struct rank_kernels {
  static std::string about() { return cuda::in_precision<T>("steps of solves of several ranks"); }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {
      "dwell/execution/device/loops/ordered_pass.cuh",
      "dwell/solvers/linear/run/residual_passes.hpp", "dwell/solvers/linear/run/solve_kernels.cuh",
      "dwell/solvers/linear/run/solve_passes.hpp", "dwell/solvers/linear/run/totals_of.hpp"};
};
DWELL_KERNEL(conclude_kernel_of, dwell::solve_pass::conclude_kernel)
DWELL_KERNEL(take_start_kernel_of, dwell::solve_pass::take_start_kernel)
DWELL_KERNEL(restore_kernel_of, dwell::solve_pass::restore_kernel)

}  // namespace solve_pass

namespace {

template <class T>
using kernels = solve_pass::step_kernels<T>;
template <class T>
using rank_kernels = solve_pass::rank_kernels<T>;

template <class T>
cuda::pass_scratch scratch_of(const solve_places<T>& at) {
  return {at.partial, at.done};
}

/// Over the rows here; the totals are those of all ranks.
template <class Pass, class T>
void run(const device& where, const solve_places<T>& at, const Pass& pass) {
  if (!at.ranks) return cuda::run_pass<kernels<T>>(where, at.a.rows, pass, scratch_of(at));
  double* const mine = at.rank_totals;
  double* const all = at.rank_totals + solve_totals;
  cuda::run_pass<rank_kernels<T>>(where, at.a.rows, solve_pass::totals_of<Pass>{pass, mine},
                                  scratch_of(at));
  at.ranks->gpus->all_gather(mine, Pass::totals, all, where.stream());
  const double* const totals = all;
  cuda::launch_kernel<rank_kernels<T>, solve_pass::conclude_kernel_of<Pass>>(
      where, 1, 1, pass, totals, at.ranks->gpus->size());
}

/// The elements that other ranks have as ghosts.
template <class T>
void exchange_answers(const device& where, std::span<const solve_places<T>> columns) {
  if (!columns.front().ranks) return;
  constexpr unsigned lanes = 256;
  const index rows = columns.front().a.rows,
              blocks = rows > 0 ? (rows - 1) / static_cast<index>(lanes) + 1 : 0;
  if (blocks > 0 && !columns.front().weighing)
    for (const solve_places<T>& at : columns)
      cuda::launch_kernel<rank_kernels<T>, solve_pass::take_start_kernel_of<T>>(
          where, static_cast<unsigned>(blocks), lanes, at);
  columns.front().ghosts_of_x_there->run(where.stream());
}

template <class T>
void begin(const device& where, const solve_places<T>& at) {
  const cuda::current_device here(where.ordinal());
  run(where, at, solve_pass::validate<T>{at});
  if (at.null_space) run(where, at, solve_pass::means<T>{{}, at});
  for (int k = 0; k < at.null_count; ++k) run(where, at, solve_pass::parts_of_start<T>{{}, at, k});
  run(where, at, solve_pass::load<T>{{}, at});
}

template <class T>
void weigh(const device& where, std::span<const solve_places<T>> columns) {
  const cuda::current_device here(where.ordinal());
  exchange_answers(where, columns);
  for (const solve_places<T>& at : columns) {
    cuda::sum_rows<kernels<T>>(where, solve_pass::residual_row<T>{at}, at.a.rows);
    run(where, at, solve_pass::sum_up<T>{at});
  }
}

template <class T>
void end(const device& where, std::span<const solve_places<T>> columns) {
  const cuda::current_device here(where.ordinal());
  for (const solve_places<T>& at : columns) {
    if (at.null_space) run(where, at, solve_pass::mean_of_answer<T>{{}, at});
    for (int k = 0; k < at.null_count; ++k)
      run(where, at, solve_pass::parts_of_answer<T>{{}, at, k});
    run(where, at, solve_pass::answer<T>{at});
  }
  weigh<T>(where, columns);
}

template <class T>
void restore(const device& where, const solve_places<T>& at) {
  constexpr unsigned lanes = 256;
  if (at.a.rows == 0) return;
  const cuda::current_device here(where.ordinal());
  cuda::launch_kernel<kernels<T>, solve_pass::restore_kernel_of<T>>(
      where, static_cast<unsigned>((at.a.rows - 1)) / lanes + 1, lanes, at);
}

template <class T>
void product(const device& where, const product_places<T>& at) {
  const cuda::current_device here(where.ordinal());
  for (const bool magnitudes : {false, true}) {
    cuda::sum_rows<kernels<T>>(where, solve_pass::product_row<T>{at, magnitudes}, at.a.rows);
    cuda::run_pass<kernels<T>>(where, at.a.rows,
                               solve_pass::square_of_product<T>{{}, at, magnitudes},
                               {at.partial, at.done});
  }
}

template <class T>
constexpr solve_steps<T> on_cuda = {&begin<T>, &end<T>, &weigh<T>, &restore<T>, &product<T>};

}  // namespace

template <>
const solve_steps<double>& cuda_backend() {
  return on_cuda<double>;
}
template <>
const solve_steps<float>& cuda_backend() {
  return on_cuda<float>;
}

}  // namespace dwell
