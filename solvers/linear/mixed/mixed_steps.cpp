// SPDX-License-Identifier: MIT
// The f64 steps of mixed precision on a CPU.
#include "dwell/solvers/linear/mixed/mixed_steps.hpp"

#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/loops/ordered_pass.hpp"
#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/solvers/linear/mixed/mixed_loops.hpp"
#include "dwell/solvers/linear/mixed/mixed_passes.hpp"
#include "dwell/solvers/linear/run/row_sums.hpp"

namespace dwell {
namespace {

void residual(const device&, const residual_places& at) {
  cpu::sum_rows(mixed_pass::residual_row{at}, at.a.rows, at.a.nonzeros);
  cpu::run_pass(at.a.rows, mixed_pass::sum_up{at});
}

using loops = cpu::setup_loops;
constexpr mixed_steps mixed_on_cpu = {&residual, &mixed_pass::narrow_with<loops>,
                                      &mixed_pass::add_with<loops>, &mixed_pass::clear_with<loops>};

}  // namespace

const mixed_steps& mixed_steps_of(backend on) {
  return on == backend::cpu ? mixed_on_cpu : cuda_backend<mixed_steps>();
}

}  // namespace dwell
