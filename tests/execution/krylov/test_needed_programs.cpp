// SPDX-License-Identifier: MIT
// Kernels of methods that are compiled when they are needed, without a GPU: rows and names fit each
// other, all names are names of templates, and this compiler and NVRTC lay arguments out alike.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/execution/krylov/kernels.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "named_kernels.hpp"

namespace dwell::test {
namespace {

std::vector<program_kernel> all_planned() {
  std::vector<program_kernel> all;
  for (const auto table :
       {planned_program_kernels(), planned_batch_kernels(), planned_complex_kernels()})
    all.insert(all.end(), table.begin(), table.end());
  return all;
}
/// f(row, config, sources).
template <class F>
void for_all_needs(F&& f) {
  for (const program_kernel& v : all_planned())
    for (int config = 0; config < static_cast<int>(v.configs.size()); ++config)
      f(v, config, sources_of(v.needed, v.type, config));
}

TEST(needed_programs, are_all_that_is_listed) {
  const auto listed = [](std::span<const kernel_row> rows) {
    std::size_t loops = 0;
    for (const kernel_row& r : rows) {
      loops += *r.on_cuda != '\0';
      for (const char c : std::string_view(r.on_cuda)) loops += c == ' ' || c == '+';
    }
    return 2 * loops;  // types
  };
  EXPECT_EQ(planned_program_kernels().size(), listed(listed_forms) + listed(listed_columns));
  EXPECT_EQ(planned_batch_kernels().size(), listed(listed_batches));
  EXPECT_EQ(planned_complex_kernels().size(), listed(listed_complex));
  for (const program_kernel& v : all_planned()) {
    EXPECT_EQ(v.on, backend::cuda);
    EXPECT_FALSE(v.compiled_ahead());
    EXPECT_NE(v.launched, nullptr);
    EXPECT_EQ(v.needed.phases > 0, !v.cooperative && !v.alone);
  }
}

TEST(needed_programs, of_different_configs_have_different_names) {
  std::set<std::string> names, about;
  std::size_t kernels = 0, of_graphs = 0;
  for_all_needs([&](const program_kernel& v, int, const std::vector<kernel_source>& sources) {
    EXPECT_EQ(sources.size(), static_cast<std::size_t>(std::max(v.needed.phases, 1)));
    kernels += sources.size();
    if (v.executor == std::string_view("graph")) of_graphs += sources.size();
    for (const kernel_source& one : sources) {
      names.insert(one.kernel);
      about.insert(one.about);
      const std::string part = v.type == precision::f64 ? "double" : "float";
      const std::string number = v.needed.complex ? "dwell::complex_value<" + part + ">" : part;
      EXPECT_NE(one.kernel.find(", " + number + ","), std::string::npos);
    }
  });
  EXPECT_EQ(names.size(), kernels - of_graphs) << "which launch those of host-loop";
  EXPECT_EQ(about.size(), names.size());
  EXPECT_GT(names.size(), 100u);
}

/// Executors that share kernels share their machine code.
TEST(needed_programs, of_host_loop_and_graph_are_the_same) {
  const auto rows = planned_program_kernels();
  int compared = 0;
  for (const program_kernel& v : rows) {
    if (v.executor != std::string_view("host-loop")) continue;
    const program_kernel& graph =
        find_kernel_among(rows, v.problem, "graph", v.type, backend::cuda);
    const auto a = sources_of(v.needed, v.type, 0), b = sources_of(graph.needed, v.type, 0);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_EQ(a[k].text, b[k].text);
      EXPECT_EQ(a[k].kernel, b[k].kernel);
    }
    ++compared;
  }
  const auto graphs = std::count_if(rows.begin(), rows.end(), [](const program_kernel& v) {
    return v.executor == std::string_view("graph");
  });
  EXPECT_EQ(compared, graphs);
  EXPECT_GT(compared, 0);
}

TEST(needed_programs, that_are_compiled_ahead_are_not_added) {
  std::vector<program_kernel> table;
  for (const program_kernel& v : planned_program_kernels())
    if (v.executor == std::string_view("perks")) table.push_back(v);
  const std::size_t ahead = table.size();
  for (program_kernel& v : table)
    v.prepare = [](const void*, const device&, const plan&) -> std::unique_ptr<program_launch> {
      return nullptr;
    };
  add_needed(table, planned_program_kernels());
  EXPECT_EQ(table.size(), planned_program_kernels().size());
  for (std::size_t k = 0; k < table.size(); ++k) EXPECT_EQ(table[k].compiled_ahead(), k < ahead);
}

TEST(needed_programs, are_refused_without_cuda) {
  for (const program_kernel& v : program_kernels())
    if (v.on == backend::cuda) GTEST_SKIP() << "built with CUDA";
  EXPECT_THROW(make_needed(planned_program_kernels()[0], 0, device::cpu(1)), unsupported_error);
  EXPECT_THROW((void)prepare_needed(planned_program_kernels()[0], nullptr, device::cpu(1), {}),
               unsupported_error);
}

/// All names and sizes in one unit: nothing is compiled of what they name.
TEST(needed_programs, have_names_that_nvrtc_finds) {
  const nvrtc* compiler = nullptr;
  try {
    compiler = &nvrtc::library();
  } catch (const unsupported_error& e) {
    GTEST_SKIP() << e.what();
  }
  named_kernels named;
  for_all_needs([&](const program_kernel&, int, const std::vector<kernel_source>& sources) {
    named.add(sources);
  });
  const nvrtc_output all = named.compile(*compiler);
  EXPECT_TRUE(all.good) << all.log.substr(0, 2000);
  const std::string cg = "dwell::textbook_cg, double";
  for (const std::string& wrong :
       {"static_assert(sizeof(&dwell::cuda::phase_kernel<" + cg + ", dwell::host_loop, 9>) > 0);\n",
        "static_assert(sizeof(&dwell::cuda::no_kernel<" + cg + ", dwell::perks, 0>) > 0);\n",
        "static_assert(sizeof(dwell::program_args<" + cg + ">) == 8);\n"})
    EXPECT_FALSE(named.compile(*compiler, wrong).good) << wrong;
}

}  // namespace
}  // namespace dwell::test
