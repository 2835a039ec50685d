// SPDX-License-Identifier: MIT
// The texts and names of kernels that are compiled when they are needed, and rows of them in
// tables.
#include "dwell/execution/krylov/launch/needed_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"

namespace dwell {

std::vector<kernel_source> sources_of(const needed_program& of, precision type, int config) {
  const std::string part = type == precision::f64 ? "double" : "float";
  const std::string scalar = of.complex ? "dwell::complex_value<" + part + ">" : part;
  kernel_source one;
  // Arguments are laid out by another compiler there.
  one.text = fmt::format(
      "#include \"dwell/execution/krylov/launch/kernels_cuda.cuh\"\n"
      "#include \"dwell/execution/krylov/loops/{}\"\n"
      "#include \"{}\"\n"
      "static_assert(sizeof(dwell::program_args<dwell::{}, {}>) == {});\n",
      of.loops_header, of.header, of.program, scalar, of.args_bytes);
  const std::string parameters =
      fmt::format("dwell::{}, {}, dwell::{}, {}", of.program, scalar, of.loops, config);
  const std::string about =
      fmt::format("{}, {}, {}", of.program, type == precision::f64 ? "f64" : "f32", of.loops) +
      (config > 0 ? fmt::format(", config {}", config) : "");
  std::vector<kernel_source> all;
  for (int phase = 0; phase < std::max(of.phases, 1); ++phase) {
    one.kernel = of.phases > 0 ? fmt::format("dwell::cuda::phase_kernel<{}, {}>", parameters, phase)
                               : fmt::format("dwell::cuda::run_kernel<{}>", parameters);
    one.about = of.phases > 0 ? fmt::format("{}, phase {}", about, phase) : about;
    all.push_back(one);
  }
  return all;
}

void add_needed(std::vector<program_kernel>& table, std::span<const program_kernel> planned) {
  const std::vector<program_kernel> ahead = table;
  for (const program_kernel& more : planned)
    if (std::none_of(ahead.begin(), ahead.end(), [&](const program_kernel& v) {
          return std::string_view(v.problem) == more.problem && v.type == more.type &&
                 v.on == more.on && std::string_view(v.executor) == more.executor;
        }))
      table.push_back(more);
}

}  // namespace dwell
