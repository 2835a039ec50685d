// SPDX-License-Identifier: MIT
// The kernels of convolutions on GPUs that are compiled when a run needs them, as far as that needs
// no GPU: for every algorithm, kind of passes and number of tap rows there is a name, which NVRTC's
// front end finds among the templates; and blocks, warps and tiles, played on a CPU, compute every
// cell once, with the bits of plain loops.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cells_of_images.hpp"
#include "named_kernels.hpp"
#include "plain_convolution.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/kernel_headers.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/execution/team/row_warp_cpu.hpp"
#include "dwell/solvers/arrays/convolution/algorithms/direct.hpp"
#include "dwell/solvers/arrays/convolution/algorithms/systolic.hpp"
#include "dwell/solvers/arrays/convolution/algorithms/window.hpp"
#include "dwell/solvers/arrays/convolution/kernels.hpp"
#include "dwell/solvers/arrays/convolution/launch_shape.hpp"

namespace dwell {
namespace {

/// f(row, pass, kernel of it) for all rows of GPUs, kinds of passes and numbers of tap rows.
template <class F>
void for_all_passes(F&& f) {
  for (const convolution_kernel& row : planned_convolution_kernels())
    std::apply(
        [&](const auto&... of) {
          const auto each = [&]<class Pass>(const pass_functions<Pass>& functions) {
            ASSERT_EQ(functions.run, nullptr);
            ASSERT_EQ(functions.compiled, nullptr);
            for (int rows = 1; rows <= most_taps; ++rows) {
              Pass a;
              a.size = extents(100, 200);
              a.filter = extents(rows, 5);
              f(row, a, functions.needs(a));
            }
          };
          (each(of), ...);
        },
        row.of);
}

TEST(needed_convolutions, have_a_name_for_each_kernel) {
  std::set<std::string> names, words;
  int passes = 0;
  for_all_passes([&](const convolution_kernel& row, const auto&, const kernel_source& source) {
    ++passes;
    names.insert(source.kernel);
    words.insert(source.about);
    EXPECT_NE(source.about.find(row.algorithm), std::string::npos);
  });
  EXPECT_EQ(passes, 4 * 6 * most_taps);
  // Six kinds of passes: 12 heights, two times 4 remainders, one.
  EXPECT_EQ(names.size(), 6u * (12 + 4 + 4 + 1));
  EXPECT_EQ(words.size(), names.size()) << "people can tell them apart";
  EXPECT_TRUE(words.contains("convolution systolic, f32, tap rows 6 to 7"));
  EXPECT_TRUE(words.contains("convolution systolic, u8, tap rows 1"));
  EXPECT_TRUE(
      words.contains("convolution window, f32 to f16, tap rows 3, 7, 11, 15, 19, 23, 27, 31"));
  EXPECT_TRUE(words.contains("convolution direct, f64, tap rows 1 to 31"));
}

/// All names in one unit: nothing is compiled of what they name.
TEST(needed_convolutions, have_names_that_nvrtc_finds) {
  const nvrtc* compiler = nullptr;
  try {
    compiler = &nvrtc::library();
  } catch (const unsupported_error& e) {
    GTEST_SKIP() << e.what();
  }
  std::set<std::string> texts;
  test::named_kernels named;
  for_all_passes([&](const convolution_kernel&, const auto&, const kernel_source& source) {
    texts.insert(source.text);
    named.add({&source, 1});
  });
  EXPECT_EQ(texts.size(), 1u) << "one unit for all";
  const nvrtc_output all = named.compile(*compiler);
  EXPECT_TRUE(all.good) << all.log.substr(0, 2000);
  const std::string wrong =
      "dwell::cuda::convolution_kernel<dwell::no_such_algorithm::on_cuda, 0, "
      "dwell::convolution_pass<float, float, float>>";
  EXPECT_FALSE(
      named.compile(*compiler, fmt::format("static_assert(sizeof(&{}) > 0);\n", wrong)).good);
}

/// Machine code of one kernel of each algorithm, for an old and a new architecture.
TEST(needed_convolutions, are_compiled_without_a_gpu) {
  const nvrtc* compiler = nullptr;
  try {
    compiler = &nvrtc::library();
  } catch (const unsupported_error& e) {
    GTEST_SKIP() << e.what();
  }
  for (const int capability : {80, 90})
    for (const convolution_kernel& row : planned_convolution_kernels()) {
      using pass = convolution_pass<half, float, half>;
      pass a;
      a.filter = extents(3, 3);
      const kernel_source source = row.functions_of<pass>().needs(a);
      const std::vector<std::string> kernels = {source.kernel};
      const nvrtc_output made =
          compiler->compile("one.cu", source.text, kernels, kernel_headers(),
                            kernel_options(capability, compiler->major(), compiler->minor()));
      EXPECT_TRUE(made.good) << made.log.substr(0, 2000);
      ASSERT_EQ(made.symbols.size(), 1u);
      EXPECT_NE(made.symbols[0].find("convolution_kernel"), std::string::npos);
      EXPECT_GT(made.cubin.size(), 1000u);
    }
}

/// A pass of a filter as a kernel is given it, weights column after column.
template <class Pass>
struct played_pass {
  Pass a;
  std::vector<typename Pass::sum> weights;

  played_pass(const extents& size, std::int64_t images, const convolution_filter& f, border edge) {
    const extents n = f.size();
    a.size = size;
    a.images = images;
    a.filter = n;
    a.before_z = n.z / 2;
    a.before_y = n.y / 2;
    a.before_x = n.x / 2;
    a.edge = edge;
    const int pitch = column_pitch(n.y);
    weights.resize(a.weight_count());
    for (int k = 0; k < n.z; ++k)
      for (int y = 0; y < n.y; ++y)
        for (int x = 0; x < n.x; ++x)
          weights[static_cast<std::size_t>((k * n.x + x) * pitch + y)] =
              static_cast<typename Pass::sum>(
                  f.weights()[static_cast<std::size_t>((k * n.y + y) * n.x + x)]);
    a.weights = weights.data();
  }
};

/// Blocks and their warps as convolution_kernel() has them, in any order.
template <class Algorithm, class Pass>
void play(const Pass& a, std::mt19937& draw) {
  using of = typename Algorithm::on_cuda;
  using T = typename Pass::sum;
  constexpr int columns = 32 * columns_of_lane<of, T>;
  using warp_type = cpu::row_warp<T, columns* static_cast<int>(sizeof(T)) / 64>;
  static_assert(warp_type::columns == columns);
  const convolution_launch launch = launch_of<of>(a);
  ASSERT_EQ(launch.shared % 16, 0u);
  ASSERT_EQ(launch.scratch_each % 16, 0);
  std::vector<unsigned> blocks(static_cast<std::size_t>(launch.blocks));
  for (std::size_t k = 0; k < blocks.size(); ++k) blocks[k] = static_cast<unsigned>(k);
  std::shuffle(blocks.begin(), blocks.end(), draw);
  std::vector<typename Pass::cell> scratch(static_cast<std::size_t>(launch.scratch_each) /
                                           sizeof(typename Pass::cell));
  for (const unsigned block : blocks)
    for (int number = 0; number < warps_of_block; ++number) {
      warp_type warp(number % 2 == 1);
      int copies = 0;
      with_instance<of>(a.filter.y, [&](auto i) {
        of::template compute<i>(warp, a, tile_of_warp(launch.tiles, a.size, block, number),
                                scratch.data(), [&] { ++copies; });
      });
      ASSERT_EQ(copies, 1) << "all warps of a block meet at the weights";
    }
}

template <class Algorithm>
void expect_bits_of_plain_loops(unsigned seed) {
  std::mt19937 draw(seed);
  const auto up_to = [&](int n) { return std::uniform_int_distribution(1, n)(draw); };
  for (int round = 0; round < 40; ++round) {
    const bool deep = up_to(4) == 1;
    const extents size = deep ? extents(up_to(4), up_to(20), up_to(150))
                              : extents(up_to(50), up_to(300)),
                  taps =
                      deep ? extents(up_to(3), up_to(9), up_to(9)) : extents(up_to(31), up_to(12));
    const border edge = all_borders[up_to(4) - 1];
    const convolution_filter f = noise_filter(taps, static_cast<unsigned>(round));
    const auto image = noise<float>(size, static_cast<unsigned>(round));
    played_pass<convolution_pass<float>> pass(size, 1, f, edge);
    grid<float> out(size, -1.0f);
    pass.a.in = image.cells().data();
    pass.a.out = out.cells().data();
    play<Algorithm>(pass.a, draw);
    const auto expected = plain_convolution<float>(image, f, edge, true);
    ASSERT_EQ(out, expected) << Algorithm::name << ", seed " << seed << ", round " << round << ": "
                             << to_string(size) << ", " << to_string(taps) << ", "
                             << to_string(edge);
    // Bytes, rounded: sums of all planes but the last are kept in `out`.
    const auto bytes = cells_of<std::uint8_t>(size, static_cast<unsigned>(round));
    played_pass<convolution_pass<std::uint8_t, float, std::uint8_t>> narrow(size, 1, f, edge);
    grid<std::uint8_t> rounded(size, 77);
    narrow.a.in = bytes.cells().data();
    narrow.a.out = out.cells().data();
    narrow.a.rounded = rounded.cells().data();
    play<Algorithm>(narrow.a, draw);
    ASSERT_EQ(rounded, plain_rounded<std::uint8_t>(
                           plain_convolution<float>(as_floats(bytes), f, edge, true)))
        << Algorithm::name << ", seed " << seed << ", round " << round;
  }
}

TEST(needed_convolutions, played_on_a_cpu_have_the_bits_of_plain_loops) {
  expect_bits_of_plain_loops<systolic_convolution>(1);
  expect_bits_of_plain_loops<window_convolution>(2);
  expect_bits_of_plain_loops<shared_convolution>(3);
  expect_bits_of_plain_loops<direct_convolution>(4);
}

/// Shared memory as explain() has it, and blocks for every band of every plane.
TEST(needed_convolutions, are_launched_for_all_tiles) {
  for_all_passes([&](const convolution_kernel& row, const auto& pass, const kernel_source&) {
    auto a = pass;
    a.images = 7;
    using pass_type = std::remove_cvref_t<decltype(pass)>;
    const convolution_launch launch = row.functions_of<pass_type>().launch(a);
    EXPECT_GE(launch.blocks * warps_of_block * launch.tiles.rows * launch.tiles.columns,
              7 * 100 * 200);
    EXPECT_GE(launch.shared, a.weight_count() * sizeof(typename pass_type::sum));
    a.images = std::int64_t{1} << 40;
    EXPECT_THROW((void)row.functions_of<pass_type>().launch(a), unsupported_error);
  });
}

}  // namespace
}  // namespace dwell
