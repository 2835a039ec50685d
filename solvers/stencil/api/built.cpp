// SPDX-License-Identifier: MIT
// Runs of the stencils of this build. A program with stencils of its own alone links none of their
// kernels: no other file of the runs names the table.
#include <set>
#include <string>
#include <vector>

#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/solvers/stencil/api/stencil_table.hpp"
#include "dwell/stencil/solve.hpp"
#include "dwell/stencil/stencil_runner.hpp"

namespace dwell {

std::vector<stencil_shape> stencil_shapes() {
  std::vector<stencil_shape> all;
  for (const auto& s : shapes_of(stencil_kernels()))
    all.push_back(find_stencil_shape(stencil_kernels(), s.name));
  return all;
}

std::vector<std::string> stencil_engines() {
  // Plans know the engines of GPUs in every build. In the order of their names, which does not
  // depend on the stencils of the build.
  std::set<std::string> all;
  for (const auto table : {planned_stencil_kernels(), stencil_kernels()})
    for (const stencil_kernel& v : table)
      for (const stencil_engine* e : v.engines) all.insert(e->name());
  return {all.begin(), all.end()};
}

stencil_shape find_stencil_shape(std::string_view name) {
  return find_stencil_shape(stencil_kernels(), name);
}

stencil_report solve(const device& where, grid<double>& u, const stencil_options& options,
                     const grid<double>* source) {
  return solve_from(stencil_kernels(), where, u, options, source);
}
stencil_report solve(const device& where, grid<float>& u, const stencil_options& options,
                     const grid<float>* source) {
  return solve_from(stencil_kernels(), where, u, options, source);
}

template <class T>
stencil_runner<T>::stencil_runner(const device& where, const extents& size,
                                  const stencil_options& options, bool has_source)
    : stencil_runner(stencil_kernels(), where, size, options, has_source) {}
template stencil_runner<double>::stencil_runner(const device&, const extents&,
                                                const stencil_options&, bool);
template stencil_runner<float>::stencil_runner(const device&, const extents&,
                                               const stencil_options&, bool);

}  // namespace dwell
