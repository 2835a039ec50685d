// SPDX-License-Identifier: MIT
// The lists of kernels say what the library has: every loop of a row is in the table, in both
// precisions, and nothing else is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "dwell/execution/krylov/kernels.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/stencil/kernels.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"

namespace dwell::test {
namespace {

/// Loops are separated by spaces or +.
std::size_t loops_in(std::string_view list, bool with_perks) {
  std::size_t count = 0, begin = 0;
  while (begin < list.size()) {
    const std::size_t end = std::min(list.find_first_of(" +", begin), list.size());
    count += with_perks || list.substr(begin, end - begin) != "perks";
    begin = end + 1;
  }
  return count;
}

template <class Kernels>
std::size_t on(backend b, const Kernels& all) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [b](const auto& v) { return v.on == b; }));
}

TEST(kernel_list, is_the_table_of_programs) {
  const auto all = program_kernels(), batches = batch_kernels(), complex = complex_kernels();
  const bool perks_on_cpu = std::any_of(all.begin(), all.end(), [](const program_kernel& v) {
    return v.on == backend::cpu && std::string_view(v.executor) == "perks";
  });
  const auto listed = [](std::span<const kernel_row> rows, auto list, bool with_perks) {
    std::size_t count = 0;
    for (const kernel_row& r : rows) count += 2 * loops_in(r.*list, with_perks);
    return count;
  };
  EXPECT_EQ(on(backend::cpu, all), listed(listed_forms, &kernel_row::on_cpu, perks_on_cpu) +
                                       listed(listed_columns, &kernel_row::on_cpu, true));
  EXPECT_EQ(on(backend::cpu, batches), listed(listed_batches, &kernel_row::on_cpu, true));
  EXPECT_EQ(on(backend::cpu, complex), listed(listed_complex, &kernel_row::on_cpu, perks_on_cpu));
  if (on(backend::cuda, all) == 0) return;  // a build without CUDA
  EXPECT_EQ(on(backend::cuda, all), listed(listed_forms, &kernel_row::on_cuda, true) +
                                        listed(listed_columns, &kernel_row::on_cuda, true));
  EXPECT_EQ(on(backend::cuda, batches), listed(listed_batches, &kernel_row::on_cuda, true));
  EXPECT_EQ(on(backend::cuda, complex), listed(listed_complex, &kernel_row::on_cuda, true));
}

TEST(kernel_list, has_the_loops_of_stencils) {
  for (const backend b : {backend::cpu, backend::cuda}) {
    std::set<std::string> listed, compiled;
    for (const stencil_loop_row& r : stencil_loops)
      if (std::string_view(r.backends).find(to_string(b)) != std::string_view::npos) {
        std::string name = r.loop;
        name.resize(name.size() - std::string_view("_stencil").size());
        std::replace(name.begin(), name.end(), '_', '-');
        listed.insert(name);
      }
    for (const stencil_kernel& k : stencil_kernels())
      if (k.on == b) compiled.insert(k.executor);
    if (compiled.empty()) continue;                          // a build without this backend
    if (!compiled.contains("perks")) listed.erase("perks");  // without DWELL_CPU_CACHING
    EXPECT_EQ(compiled, listed) << to_string(b);
  }
}

}  // namespace
}  // namespace dwell::test
