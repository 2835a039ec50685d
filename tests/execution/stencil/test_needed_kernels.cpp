// SPDX-License-Identifier: MIT
// The kernels that are compiled when a run needs them, as far as that needs no GPU: for every plan
// of every built-in shape there are names, which NVRTC's front end finds among the templates; and
// what is launched is what the plan's engine says. Bodies: scripts/check/nvrtc.py.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "named_kernels.hpp"
#include "scratch.hpp"

namespace dwell::test {
namespace {

/// f(row, plan, kernels of it), for all rows, numbers of kernels, and with and without a source.
template <class F>
void for_all_needs(F&& f) {
  for (const stencil_kernel& v : planned_stencil_kernels()) {
    stencil_plan how;
    for (how.config = 0; how.config < static_cast<int>(v.engines.size()); ++how.config)
      for (const bool source : {false, true}) f(v, how, source, v.needs(how, source));
  }
}

TEST(needed_kernels, are_launched_as_their_engines_say) {
  int kernels = 0;
  for_all_needs(
      [&](const stencil_kernel& v, const stencil_plan& how, bool source, const needed_kernel& k) {
        SCOPED_TRACE(fmt::format("{}, {}, config {}", v.shape.name, v.executor, how.config));
        const engine_shape& engine = v.engines[static_cast<std::size_t>(how.config)]->shape();
        EXPECT_EQ(k.lanes, engine.lanes);
        EXPECT_EQ(k.owns_tiles, engine.caches);
        EXPECT_EQ(k.pass_steps > 1 || v.executor != std::string_view("temporal"), true);
        // What a plan reckons with: that of tiles without layers, and of passes; steps need little.
        device_facts h200;
        h200.compute_capability = 90;
        h200.units = 132;
        h200.shared_per_team = 227 * 1024;
        const std::size_t assumed = v.assume(h200, how.config).scratch_bytes;
        if (engine.caches || engine.temporal) {
          EXPECT_GE(k.scratch, assumed);
        }
        if (!engine.caches) {
          EXPECT_LE(k.scratch, std::max<std::size_t>(assumed, 2048));
        }
        ASSERT_FALSE(k.sources.empty());
        EXPECT_LE(k.sources.size(), source ? 1u : 2u);
        for (const kernel_source& one : k.sources) {
          EXPECT_NE(one.about.find(v.shape.name), std::string::npos);
          EXPECT_NE(one.kernel.find(v.type == precision::f64 ? ", double" : ", float"),
                    std::string::npos);
          ++kernels;
        }
      });
  EXPECT_EQ(kernels == 0, planned_stencil_kernels().empty());
}

TEST(needed_kernels, of_different_engines_have_different_names) {
  std::set<std::string> seen;
  for (const stencil_kernel& v : planned_stencil_kernels()) {
    std::set<std::string> of_row;
    stencil_plan how;
    for (how.config = 0; how.config < static_cast<int>(v.engines.size()); ++how.config)
      EXPECT_TRUE(of_row.insert(v.needs(how, false).sources.back().kernel).second)
          << v.shape.name << ", " << v.executor << ", config " << how.config;
    seen.insert(of_row.begin(), of_row.end());
  }
  EXPECT_EQ(seen.empty(), planned_stencil_kernels().empty());
}

/// Executors that share a kernel share its machine code.
TEST(needed_kernels, of_host_loop_and_graph_are_the_same) {
  const auto rows = planned_stencil_kernels();
  for (const stencil_kernel& v : rows) {
    if (v.executor != std::string_view("host-loop")) continue;
    const stencil_kernel& graph = find_kernel(rows, v.shape.name, "graph", v.type, backend::cuda);
    const kernel_source a = v.needs({}, false).sources[0], b = graph.needs({}, true).sources[0];
    EXPECT_EQ(a.text, b.text);
    EXPECT_EQ(a.kernel, b.kernel);
  }
}

/// All names in one unit: nothing is compiled of what they name.
TEST(needed_kernels, have_names_that_nvrtc_finds) {
  const nvrtc* compiler = nullptr;
  try {
    compiler = &nvrtc::library();
  } catch (const unsupported_error& e) {
    GTEST_SKIP() << e.what();
  }
  named_kernels named;
  for_all_needs([&](const stencil_kernel&, const stencil_plan&, bool, const needed_kernel& k) {
    named.add(k.sources);
  });
  if (named.size() == 0) GTEST_SKIP() << "this build has no shapes";
  const nvrtc_output all = named.compile(*compiler);
  EXPECT_TRUE(all.good) << all.log.substr(0, 2000);
  EXPECT_GT(named.size(), 100 * shapes_of(planned_stencil_kernels()).size() / 4);
  // A name that there is not.
  EXPECT_FALSE(
      named
          .compile(*compiler,
                   fmt::format("static_assert(sizeof(&dwell::cuda::loop_kernel<{}, double, "
                               "dwell::barrier_steps, 99>) > 0);\n",
                               "dwell::no_such_shape"))
          .good);
}

}  // namespace
}  // namespace dwell::test
