// SPDX-License-Identifier: MIT
// The texts and names of kernels that are compiled when they are needed, and rows of them in
// tables.
#include "dwell/execution/krylov/launch/needed_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/krylov/launch/needed_rows.hpp"

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

namespace {

/// The row of a table that a planned one is of, or null.
const program_kernel* find_row(std::span<const program_kernel> table,
                               const program_kernel& planned) {
  for (const program_kernel& v : table)
    if (std::string_view(v.problem) == planned.problem && v.type == planned.type &&
        v.on == planned.on && std::string_view(v.executor) == planned.executor)
      return &v;
  return nullptr;
}

}  // namespace

void add_needed(std::vector<program_kernel>& table, std::span<const program_kernel> planned) {
  const std::vector<program_kernel> ahead = table;
  for (const program_kernel& more : planned)
    if (!find_row(ahead, more)) table.push_back(more);
}

std::vector<kernel_source> needed_of_rows(std::span<const program_kernel> planned,
                                          std::span<const program_kernel> table,
                                          std::string_view executor, precision type) {
  std::vector<kernel_source> all;
  std::set<std::string> names;
  for (const program_kernel& v : planned) {
    if (v.type != type || (executor != automatic && v.executor != executor)) continue;
    const program_kernel* const here = find_row(table, v);
    if (here && here->compiled_ahead()) continue;
    for (int config = 0; config < static_cast<int>(v.configs.size()); ++config)
      for (kernel_source& one : sources_of(v.needed, type, config))
        if (names.insert(one.kernel).second) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace dwell
