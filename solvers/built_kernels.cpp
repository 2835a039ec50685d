// SPDX-License-Identifier: MIT
// The list of compiled kernels of both families.
#include "dwell/solvers/built_kernels.hpp"

#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"

namespace dwell {

std::vector<kernel_info> built_kernels() {
  std::vector<kernel_info> all;
  const auto add = [&](const auto& v, const char* problem, const char* shape) {
    all.push_back({problem, v.type == precision::f64 ? "f64" : "f32", v.executor, v.on, shape});
  };
  for (const auto& v : program_kernels()) {
    add(v, v.problem, "");
    all.back().ahead = v.on == backend::cpu || v.compiled_ahead();
  }
  for (const auto& v : stencil_kernels()) {
    add(v, "stencil", v.shape.name);
    all.back().ahead = v.on == backend::cpu || v.compiled_ahead();
    for (const stencil_engine* e : v.engines) all.back().engines.push_back(e->name());
  }
  return all;
}

}  // namespace dwell
