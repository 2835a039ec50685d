// SPDX-License-Identifier: MIT
#include "played_lanes.hpp"

#include <vector>

#include "dwell/execution/krylov/configs.hpp"
#include "dwell/execution/krylov/launch/launch_cpu.hpp"
#include "dwell/execution/krylov/loops/host_loop.hpp"
#include "dwell/execution/krylov/loops/persistent.hpp"
#include "dwell/solvers/bicgstab/pipelined.hpp"
#include "dwell/solvers/bicgstab/textbook.hpp"
#include "dwell/solvers/cg/textbook.hpp"
#include "dwell/solvers/gmres/textbook.hpp"
#include "dwell/solvers/minres/textbook.hpp"

namespace dwell::test {
namespace {

struct played_persistent : persistent {
  static constexpr const auto& cpu_configs = plain_cuda_configs;
};
struct played_host_loop : host_loop {
  static constexpr const auto& cpu_configs = plain_cuda_configs;
};

template <class P>
void add(std::vector<program_kernel>& rows) {
  rows.push_back(cpu::kernel_of<P, double, played_persistent>());
  rows.push_back(cpu::kernel_of<P, float, played_persistent>());
  rows.push_back(cpu::kernel_of<P, double, played_host_loop>());
  rows.push_back(cpu::kernel_of<P, float, played_host_loop>());
}

}  // namespace

const program_kernel& played_kernel(const char* program, const char* executor, precision type) {
  static const std::vector<program_kernel> rows = [] {
    std::vector<program_kernel> all;
    add<textbook_cg>(all);
    add<textbook_minres>(all);
    add<textbook_bicgstab>(all);
    add<pipelined_bicgstab>(all);
    add<textbook_gmres>(all);
    return all;
  }();
  return find_kernel_among(rows, program, executor, type, backend::cpu);
}

}  // namespace dwell::test
