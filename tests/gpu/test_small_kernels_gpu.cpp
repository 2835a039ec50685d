// SPDX-License-Identifier: MIT
// Small kernels that NVRTC compiles when they are needed, on a GPU, against the same templates
// compiled by nvcc (ahead_small_kernels.cu): bits. Skipped, visibly, without NVRTC.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "place.hpp"
#include "small_kernels.hpp"

#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/device/nvrtc.hpp"

namespace dwell::test {

struct small_kernels_needed {
  static std::string about() { return "small kernels of a test"; }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {"dwell/execution/device/loops/ordered_pass.cuh",
                                            "dwell/execution/krylov/spmv/cut_steps.hpp",
                                            "dwell/execution/krylov/spmv/ghost_steps.hpp",
                                            "dwell/execution/team/setup_kernels_cuda.cuh",
                                            "dwell/execution/team/sums_before_steps.hpp",
                                            "dwell/solvers/linear/check/validate_steps.hpp",
                                            "dwell/solvers/linear/mixed/mixed_passes.hpp",
                                            "dwell/solvers/linear/run/row_sums.cuh"};
};

namespace {

std::string absent() {
  if (const auto why = place::absent(); !why.empty()) return why;
  try {
    nvrtc::library(cuda::target_of(place::where()).driver_major);
  } catch (const unsupported_error& e) {
    return e.what();
  }
  return {};
}

template <class T>
buffer<T> there(const std::vector<T>& v) {
  return buffer<T>::copy_of(place::where(), v);
}

TEST(small_kernels, bits_of_nvcc) {
  if (const auto why = absent(); !why.empty()) GTEST_SKIP() << why;
  std::mt19937_64 random(20261129);
  for (int turn = 0; turn < 12; ++turn) {
    const std::string side = std::to_string(1 + random() % (turn < 8 ? 60 : 700));
    SCOPED_TRACE("side " + side);
    csr<double> a = generate("poisson2d:" + side + "x" + side);
    std::uniform_real_distribution<double> values(-2, 2);
    for (double& v : a.val) v *= 1 + 0x1p-20 * values(random);
    std::vector<double> b(static_cast<std::size_t>(a.rows)), x(b.size());
    for (auto* v : {&b, &x})
      for (double& e : *v) e = values(random);
    std::vector<index> lengths(b.size() + 1);  // the last one counts nowhere
    for (index& n : lengths) n = static_cast<index>(random() % 1000);
    const int teams = 1 + static_cast<int>(random() % 200);

    const auto row_ptr = there(a.row_ptr), col = there(a.col), counts = there(lengths);
    const auto val = there(a.val), b_there = there(b), x_there = there(x);
    const csr_arrays<double> at{a.rows,         a.cols,     static_cast<index>(a.val.size()),
                                row_ptr.data(), col.data(), val.data()};
    const auto run = [&](auto* by) {
      return by(place::where(), at, b_there.data(), x_there.data(), teams, counts);
    };
    const small_results ahead = run(&small_kernels_by_nvcc);
    const small_results needed = run(&run_small_kernels<small_kernels_needed>);

    EXPECT_TRUE(needed.facts.sound);
    EXPECT_EQ(needed.facts.symmetric, ahead.facts.symmetric);
    EXPECT_EQ(needed.facts.exponent, ahead.facts.exponent);
    EXPECT_EQ(needed.facts.least_diagonal, ahead.facts.least_diagonal);
    EXPECT_EQ(needed.facts.most_diagonal, ahead.facts.most_diagonal);
    EXPECT_EQ(needed.cut.tiles, ahead.cut.tiles);
    ASSERT_EQ(needed.cut.teams.size(), ahead.cut.teams.size());
    for (std::size_t t = 0; t < needed.cut.teams.size(); ++t) {
      EXPECT_EQ(needed.cut.teams[t].first_tile, ahead.cut.teams[t].first_tile);
      EXPECT_EQ(needed.cut.teams[t].begin.row, ahead.cut.teams[t].begin.row);
      EXPECT_EQ(needed.cut.teams[t].carry_from, ahead.cut.teams[t].carry_from);
    }
    std::vector<index> sums(lengths.size());
    std::exclusive_scan(lengths.begin(), lengths.end(), sums.begin(), index{0});
    EXPECT_EQ(needed.sums, sums);
    EXPECT_EQ(ahead.sums, sums);
    EXPECT_EQ(needed.residual, ahead.residual);
    EXPECT_GT(needed.residual.back(), 0.0);
  }
}

}  // namespace
}  // namespace dwell::test
