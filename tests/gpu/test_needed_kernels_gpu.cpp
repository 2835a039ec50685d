// SPDX-License-Identifier: MIT
// Kernels of stencils that are compiled when a run needs them, on a GPU: every executor has the
// bits of plain loops, of kernels in this library the bits of those that nvcc has compiled. A shape
// that is compiled ahead is compiled here all the same. Skipped, visibly, without NVRTC.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "scratch.hpp"
#include "stencil_oracle.hpp"
#include "stencil_place.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/execution/device/plan_target.hpp"
#include "dwell/execution/stencil/launch/needed_rows_cuda.hpp"
#include "dwell/execution/stencil/loops/graph.hpp"
#include "dwell/execution/stencil/loops/host_loop.hpp"
#include "dwell/execution/stencil/loops/naive.hpp"
#include "dwell/execution/stencil/loops/perks.hpp"
#include "dwell/execution/stencil/loops/persistent.hpp"
#include "dwell/execution/stencil/loops/temporal.hpp"
#include "dwell/execution/stencil/plan/planning.hpp"
#include "dwell/solvers/stencil/api/stencil_table.hpp"

// A struct and its text.
#define DWELL_WITH_TEXT(...)                                                     \
  namespace dwell::test {                                                        \
  __VA_ARGS__                                                                    \
  }                                                                              \
  template <>                                                                    \
  dwell::shape_text dwell::text_of<dwell::test::askew>() {                       \
    return {"namespace dwell::test { " #__VA_ARGS__ " }", "dwell::test::askew"}; \
  }

DWELL_WITH_TEXT(struct askew
                : linear_stencil<askew> {
                  static constexpr const char* name = "askew";
                  static constexpr int dims = 2;
                  static constexpr tap taps[] = {{0, 0}, {1, 0}, {-1, 1}, {0, -1}, {-2, 3}};
                };)

namespace dwell::test {
namespace {

std::string absent() {
  if (const auto why = stencil_place::absent(); !why.empty()) return why;
  try {
    nvrtc::library(cuda::target_of(stencil_place::where()).driver_major);
  } catch (const unsupported_error& e) {
    return e.what();
  }
  return {};
}

/// Compiles the kernels of all plans at once, which takes the processors of a machine a few
/// seconds: one after the other, as runs ask for them, they take a minute.
void compile_all(const std::vector<stencil_kernel>& rows) {
  std::vector<kernel_source> sources;
  for (const stencil_kernel& v : rows) {
    stencil_plan how;
    for (how.config = 0; how.config < static_cast<int>(v.engines.size()); ++how.config)
      for (const bool source : {false, true})
        for (kernel_source& one : v.needs(how, source).sources) sources.push_back(std::move(one));
  }
  (void)compile_kernels(sources, cuda::target_of(stencil_place::where()));
}

/// The rows of a shape whose kernels are compiled here, whatever this library has.
std::vector<stencil_kernel> needed_rows(const std::string& shape, precision type) {
  std::vector<stencil_kernel> rows;
  for (const stencil_kernel& v : planned_stencil_kernels())
    if (v.shape.name == shape && v.type == type) rows.push_back(v);
  compile_all(rows);
  return rows;
}

/// What stencil_way::apply() does, of a shape that no build need have.
void apply(const stencil_way& way, const stencil_shape& shape, stencil_options& o) {
  o.executor = way.executor;
  o.policy = way.policy;
  o.depth = way.depth;
  o.teams = way.teams;
  o.engine = way.engine;
  if (way.executor == "perks" && shape.linear && (shape.dims == 2 || shape.radius <= 2))
    o.blocking = way.blocking;
}

template <class T>
void expect_bits(const std::vector<stencil_kernel>& rows, const stencil_shape& shape,
                 const std::vector<extents>& sizes) {
  int done = 0, refused = 0;
  std::mt19937 draw(7);
  const auto seed = [&] { return static_cast<unsigned>(draw()); };
  for (const extents& n : sizes) {
    const auto start = random_field<T>(n, seed()), source = random_field<T>(n, seed());
    for (const grid<T>* f : {static_cast<const grid<T>*>(nullptr), &source})
      for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect}) {
        stencil_options o;
        o.shape = shape.name;
        o.steps = std::uniform_int_distribution(5, 19)(draw);
        o.edge = edge;
        if (shape.linear) o.weights = uneven_weights(shape);
        const auto expected = stencil_by_loops(shape, start, o.steps, edge, o.weights, f);
        for (const stencil_way& way : stencil_place::ways()) {
          stencil_options asked = o;
          apply(way, shape, asked);
          grid<T> u = start;
          stencil_report report;
          try {
            report = solve_from(rows, stencil_place::where(), u, asked, f);
          } catch (const unsupported_error& e) {
            // Shapes that have no passes; plans that no kernel has.
            EXPECT_TRUE(way.executor == "temporal" || way.executor == "perks") << e.what();
            ++refused;
            continue;
          }
          ++done;
          EXPECT_EQ(report.executor, way.executor);
          EXPECT_EQ(report.compiler.substr(0, 5), "NVRTC") << report.reason;
          EXPECT_EQ(difference(u, expected), "")
              << shape.name << ", " << to_string(n) << ", " << to_string(edge) << ", " << way
              << (f ? ", with a source: " : ": ") << report.reason;
        }
      }
  }
  EXPECT_GT(done, 2 * refused) << "most ways run";
  testing::Test::RecordProperty("runs", done);
}

std::vector<extents> sizes_for(int dims) {
  if (dims == 2) return {{45, 136}, {31, 67}, {260, 1030}};
  return {{13, 30, 32}, {9, 14, 31}, {40, 33, 128}};
}

class needed_kernels_gpu : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = absent(); !why.empty()) GTEST_SKIP() << why;
    if (!has_stencil_shape(GetParam())) GTEST_SKIP() << "this build has no such shape";
    setenv("DWELL_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  }
  ~needed_kernels_gpu() override { unsetenv("DWELL_CACHE_DIR"); }
  template <class T>
  void check() {
    const stencil_shape shape = find_stencil_shape(GetParam());
    expect_bits<T>(needed_rows(shape.name, precision_of<T>), shape, sizes_for(shape.dims));
  }

  scratch_folder folder_;
};

TEST_P(needed_kernels_gpu, have_the_bits_of_loops_under_every_executor) { check<double>(); }
TEST_P(needed_kernels_gpu, have_the_bits_of_loops_in_single_precision) { check<float>(); }

/// Kernels that this library has of nvcc: bits, and until the change is small, where blocks
/// poll.
TEST_P(needed_kernels_gpu, have_the_bits_of_kernels_compiled_ahead) {
  const stencil_shape shape = find_stencil_shape(GetParam());
  std::vector<stencil_kernel> ahead;
  for (const stencil_kernel& v : stencil_kernels())
    if (v.shape.name == shape.name && v.type == precision::f64 && v.on == backend::cuda &&
        v.compiled_ahead())
      ahead.push_back(v);
  if (ahead.empty()) GTEST_SKIP() << shape.name << " is not compiled ahead here";
  const auto rows = needed_rows(shape.name, precision::f64);
  const auto start =
      random_field<double>(shape.dims == 2 ? extents(700, 1400) : extents(90, 100, 170), 5);
  for (const char* executor : {"host-loop", "graph", "persistent", "perks", "temporal"}) {
    stencil_options o;
    o.shape = shape.name;
    o.executor = executor;
    o.until = 1e-2;
    o.steps = 300;
    grid<double> first = start, second = start;
    const auto expected = solve_from(ahead, stencil_place::where(), first, o);
    const auto report = solve_from(rows, stencil_place::where(), second, o);
    EXPECT_TRUE(expected.compiler.empty());
    EXPECT_EQ(report.engine, expected.engine);
    EXPECT_EQ(report.steps, expected.steps);
    EXPECT_EQ(difference(second, first), "") << report.reason;
  }
}

/// Plans have what is written before kernels were loaded, then what the driver says of them.
TEST_P(needed_kernels_gpu, are_planned_as_they_were_found) {
  const stencil_shape shape = find_stencil_shape(GetParam());
  const device where = stencil_place::where();
  const plan_target target = target_of(where);
  for (const stencil_kernel& v : needed_rows(shape.name, precision::f64)) {
    if (std::string_view(v.executor) != "persistent") continue;
    for (const engine_facts& f : kernels_of(v, target)) EXPECT_EQ(f.registers, 0);
    stencil_options o;
    o.shape = shape.name;
    o.executor = v.executor;
    o.steps = 7;
    std::vector<grid<double>> ends;
    int found = 0;
    for (const bool again : {false, true}) {
      ends.push_back(
          random_field<double>(shape.dims == 2 ? extents(300, 400) : extents(30, 60, 70), 5));
      const auto report = solve_from(std::vector{v}, where, ends.back(), o);
      EXPECT_EQ(report.executor, v.executor) << again;
      const auto facts = kernels_of(v, target);
      for (std::size_t k = 0; k < facts.size(); ++k) {
        if (facts[k].registers == 0) continue;
        ++found;
        stencil_plan how;
        how.config = static_cast<int>(k);
        const engine_facts asked = probe_needed(v, how, false, where);
        EXPECT_EQ(facts[k].registers, asked.registers);
        EXPECT_EQ(facts[k].spill_bytes, asked.spill_bytes);
        EXPECT_EQ(facts[k].max_teams, asked.max_teams);
        EXPECT_EQ(facts[k].scratch_bytes, asked.scratch_bytes);
      }
    }
    EXPECT_GE(found, 2);
    EXPECT_EQ(difference(ends[0], ends[1]), "");
  }
}

INSTANTIATE_TEST_SUITE_P(shapes, needed_kernels_gpu,
                         testing::Values("2d5pt", "2d25pt", "2d13pt", "gradient2d", "3d7pt",
                                         "3d13pt", "poisson"),
                         [](const auto& of) { return "of_" + of.param; });

/// A text that is not a built-in shape's.
TEST(needed_kernels_of_ones_own_gpu, have_the_bits_of_loops) {
  if (const auto why = absent(); !why.empty()) GTEST_SKIP() << why;
  const scratch_folder folder;
  setenv("DWELL_CACHE_DIR", (folder / "cache").c_str(), 1);
  std::vector<stencil_kernel> rows;
  cuda::add_needed_driven<askew, double, naive_stencil>(rows);
  cuda::add_needed_driven<askew, double, host_loop_stencil>(rows);
  cuda::add_needed_driven<askew, double, graph_stencil>(rows);
  cuda::add_needed_looping<askew, double, persistent_stencil>(rows);
  cuda::add_needed_caching<askew, double, perks_stencil>(rows);
  cuda::add_needed_passing<askew, double, temporal_stencil, temporal_engines<backend::cuda>>(rows);
  compile_all(rows);
  expect_bits<double>(rows, shape_of<askew>(), {{45, 136}});
  unsetenv("DWELL_CACHE_DIR");
}

}  // namespace
}  // namespace dwell::test
