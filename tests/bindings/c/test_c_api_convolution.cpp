// SPDX-License-Identifier: MIT
// Convolutions of dwell/dwell.h: the answers of convolution_runner bit for bit, for cells of every
// type and filters of every kind; one line for every misuse.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "c_handles.hpp"
#include "cells_of_images.hpp"

#include "dwell/arrays/convolution_runner.hpp"

namespace dwell::test {
namespace {

template <class In, class Out>
struct cells_pair {
  using in = In;
  using out = Out;
};
template <class T>
constexpr int number_of = std::is_same_v<T, double>         ? int{DWELL_F64}
                          : std::is_same_v<T, float>        ? int{DWELL_F32}
                          : std::is_same_v<T, std::uint8_t> ? int{DWELL_U8}
                                                            : int{DWELL_F16};

template <class T>
grid<T> image_of(const extents& size) {
  if constexpr (sizeof(T) < 4)
    return cells_of<T>(size, 3);
  else
    return noise<T>(size, 3);
}

owned<dwell_options> options_of() {
  dwell_options* o = nullptr;
  EXPECT_EQ(dwell_convolution_options_create(&o), DWELL_SUCCESS);
  return owned<dwell_options>(o);
}

template <class Pair>
class c_convolutions : public testing::Test {};
using pairs =
    testing::Types<cells_pair<double, double>, cells_pair<float, float>,
                   cells_pair<std::uint8_t, std::uint8_t>, cells_pair<std::uint8_t, float>,
                   cells_pair<half, half>, cells_pair<half, float>>;
TYPED_TEST_SUITE(c_convolutions, pairs);

TYPED_TEST(c_convolutions, have_the_bits_of_convolution_runner) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  const extents size(19, 37);
  constexpr int images = 3, n[] = {19, 37};
  const grid<In> in = image_of<In>(extents(images, 19, 37));
  convolution_options o;
  o.edge = border::periodic;
  o.correlate = true;
  o.algorithm = "systolic";
  o.passes = filter_passes::each_axis;
  const auto options = options_of();
  EXPECT_EQ(dwell_options_set_text(options.get(), "edge", "periodic"), DWELL_SUCCESS);
  EXPECT_EQ(dwell_options_set_int(options.get(), "correlate", 1), DWELL_SUCCESS);
  EXPECT_EQ(dwell_options_set_text(options.get(), "algorithm", "systolic"), DWELL_SUCCESS);
  EXPECT_EQ(dwell_options_set_text(options.get(), "passes", "each-axis"), DWELL_SUCCESS);

  const double down[] = {0.25, 0.5, -0.125}, across[] = {1, 2, 3, 4, -5};
  const double* const factors[] = {down, across};
  const int taps[] = {3, 5};
  std::vector<double> weights;
  for (const double a : down)
    for (const double b : across) weights.push_back(a * b);
  const std::pair<dwell_filter, convolution_filter> filters[] = {
      {{"gaussian:5", nullptr, nullptr, nullptr}, convolution_filter::named("gaussian:5")},
      {{nullptr, taps, nullptr, factors},
       convolution_filter::product({down, down + 3}, {across, across + 5})},
      {{nullptr, taps, weights.data(), nullptr}, convolution_filter(extents(3, 5), weights)}};
  for (const auto& [given, filter] : filters) {
    convolution_runner<In, Out> judge(device::cpu(2), size, filter, o, images);
    std::vector<Out> want(in.cells().size()), got(want.size());
    judge.run(in.cells(), want);
    dwell_convolution* made = nullptr;
    ASSERT_EQ(dwell_convolution_create(&made, &two_threads, number_of<In>, number_of<Out>, 2, n,
                                       images, &given, options.get()),
              DWELL_SUCCESS)
        << dwell_last_error();
    const owned<dwell_convolution> runner(made);
    for (int again = 0; again < 2; ++again) {
      std::fill(got.begin(), got.end(), Out(0));
      dwell_report* told = nullptr;
      ASSERT_EQ(dwell_convolution_run(made, in.cells().data(), got.data(), DWELL_HOST, &told),
                DWELL_SUCCESS)
          << dwell_last_error();
      const owned<dwell_report> report(told);
      EXPECT_EQ(0, std::memcmp(got.data(), want.data(), want.size() * sizeof(Out)));
      EXPECT_EQ(text(told, "algorithm"), "systolic");
      EXPECT_EQ(text(told, "cells"), judge.report().cells);
      EXPECT_EQ(text(told, "result"), judge.report().result);
      EXPECT_EQ(text(told, "edge"), "periodic");
      EXPECT_EQ(text(told, "size"), "19x37");
      EXPECT_EQ(whole(told, "images"), images);
      EXPECT_EQ(whole(told, "correlation"), 1);
      EXPECT_EQ(whole(told, "passes"), 2);
      EXPECT_EQ(whole(told, "threads"), judge.report().threads);
      EXPECT_GT(number(told, "run_s"), 0);
    }
    EXPECT_EQ(dwell_convolution_wait(made, nullptr), DWELL_SUCCESS);
  }
}

TEST(c_convolution, in_three_dimensions_with_defaults) {
  const grid<float> in = noise<float>(extents(4, 6, 7), 5);
  const int n[] = {4, 6, 7};
  const auto filter = convolution_filter::named("box:3", 3);
  std::vector<float> want(in.cells().size()), got(want.size());
  convolve<float>(device::cpu(1), in.size(), in.cells(), want, filter);
  const dwell_filter given{"box:3", nullptr, nullptr, nullptr};
  dwell_convolution* made = nullptr;
  ASSERT_EQ(
      dwell_convolution_create(&made, &two_threads, DWELL_F32, DWELL_F32, 3, n, 1, &given, nullptr),
      DWELL_SUCCESS);
  const owned<dwell_convolution> runner(made);
  ASSERT_EQ(dwell_convolution_run(made, in.cells().data(), got.data(), DWELL_HOST, nullptr),
            DWELL_SUCCESS);
  EXPECT_EQ(got, want);
  const double third[] = {1 / 3.0, 1 / 3.0, 1 / 3.0};
  const double* const factors[] = {third, third, third};
  const int taps[] = {3, 3, 3};
  const dwell_filter product{nullptr, taps, nullptr, factors};
  ASSERT_EQ(dwell_convolution_create(&made, &two_threads, DWELL_F32, DWELL_F32, 3, n, 1, &product,
                                     nullptr),
            DWELL_SUCCESS);
  const owned<dwell_convolution> again(made);
  ASSERT_EQ(dwell_convolution_run(made, in.cells().data(), got.data(), DWELL_HOST, nullptr),
            DWELL_SUCCESS);
  EXPECT_EQ(got, want);
}

TEST(c_convolution, misuse_is_named) {
  const int n[] = {5, 6}, wide[] = {5, 32}, taps[] = {1, 3};
  const double weights[] = {1, 2, 1};
  const dwell_filter box{"box:3", nullptr, nullptr, nullptr},
      wrong{"box:99", nullptr, nullptr, nullptr}, none{nullptr, nullptr, nullptr, nullptr},
      empty{nullptr, taps, nullptr, nullptr}, large{nullptr, wide, weights, nullptr};
  dwell_convolution* made = nullptr;
  const auto create = [&](int cells, int result, int dims, const int* size, long long images,
                          const dwell_filter* filter, const dwell_options* o = nullptr,
                          const dwell_device* where = &two_threads) {
    return dwell_convolution_create(&made, where, cells, result, dims, size, images, filter, o);
  };
  expect_refused(create(9, 9, 2, n, 1, &box), "cells: expected DWELL_F64 (0)");
  expect_refused(create(DWELL_F32, DWELL_F64, 2, n, 1, &box),
                 "result: expected the type of cells (1), found 0");
  expect_refused(create(DWELL_U8, DWELL_F16, 2, n, 1, &box),
                 "result: expected the type of cells (2) or DWELL_F32 (1), found 3");
  expect_refused(create(DWELL_F64, DWELL_F32, 2, n, 1, &box), "result: expected");
  expect_refused(create(DWELL_F32, DWELL_F32, 4, n, 1, &box), "dims: expected 2 or 3");
  expect_refused(create(DWELL_F32, DWELL_F32, 2, nullptr, 1, &box), "size: expected a pointer");
  expect_refused(create(DWELL_F32, DWELL_F32, 2, n, 0, &box), "images: expected at least 1");
  for (int bits = 36; bits < 63; ++bits)  // the cells of all of them wrap round at some of these
    for (const long long more : {-1LL, 0LL, 1LL})
      expect_refused(create(DWELL_F32, DWELL_F32, 2, n, (1LL << bits) + more, &box),
                     "images: expected at most 36650387592 of 5x6");
  expect_refused(create(DWELL_F32, DWELL_F32, 2, n, std::numeric_limits<long long>::max(), &box),
                 "images: expected at most");
  expect_refused(create(DWELL_F32, DWELL_F32, 2, n, 1, nullptr), "filter: expected a pointer");
  expect_refused(create(DWELL_F32, DWELL_F32, 2, n, 1, &wrong), "filter: expected box:N");
  expect_refused(create(DWELL_F32, DWELL_F32, 2, n, 1, &none), "filter: taps: expected a pointer");
  expect_refused(create(DWELL_F32, DWELL_F32, 2, n, 1, &empty), "filter: weights or factors");
  expect_refused(create(DWELL_F32, DWELL_F32, 2, n, 1, &large), "1 to 31 taps");
  expect_refused(create(DWELL_F32, DWELL_F32, 2, n, 1, &box, nullptr, &no_gpu), "",
                 DWELL_DEVICE_ERROR);
  expect_refused(
      dwell_convolution_create(nullptr, nullptr, DWELL_F32, DWELL_F32, 2, n, 1, &box, nullptr),
      "runner: expected a pointer");

  const auto o = options_of();
  EXPECT_STREQ(dwell_options_name(o.get(), 0), "edge");
  EXPECT_STREQ(dwell_options_name(o.get(), 4), "reverse_lanes");
  EXPECT_EQ(dwell_options_name(o.get(), 5), nullptr);
  expect_refused(dwell_options_set_text(o.get(), "passes", "each_axis"), "each-axis");
  expect_refused(dwell_options_set_text(o.get(), "edge", "mirror"), "border: expected zero");
  expect_refused(dwell_options_set_text(o.get(), "border", "zero"), "an option of convolutions");
  expect_refused(dwell_options_set_progress(o.get(), nullptr, nullptr, 1), "dwell_convolution");
  EXPECT_EQ(dwell_options_set_text(o.get(), "algorithm", "fast"), DWELL_SUCCESS);
  expect_refused(create(DWELL_F32, DWELL_F32, 2, n, 1, &box, o.get()), "algorithm: expected auto");
  dwell_options* of_cg = nullptr;
  ASSERT_EQ(dwell_cg_options_create(&of_cg), DWELL_SUCCESS);
  const owned<dwell_options> others(of_cg);
  expect_refused(create(DWELL_F32, DWELL_F32, 2, n, 1, &box, of_cg), "another solver");
  EXPECT_EQ(made, nullptr);

  ASSERT_EQ(create(DWELL_F32, DWELL_F32, 2, n, 1, &box), DWELL_SUCCESS);
  const owned<dwell_convolution> runner(made);
  std::vector<float> in(30), out(30);
  expect_refused(dwell_convolution_run(made, nullptr, out.data(), DWELL_HOST, nullptr), "images");
  expect_refused(dwell_convolution_run(made, in.data(), nullptr, DWELL_HOST, nullptr), "out");
  expect_refused(dwell_convolution_run(made, in.data(), in.data() + 1, DWELL_HOST, nullptr),
                 "overlaps");
  expect_refused(dwell_convolution_run(made, in.data(), out.data(), 7, nullptr),
                 "memory: expected");
  expect_refused(dwell_convolution_run(made, in.data(), out.data(), DWELL_CUDA, nullptr), "images");
  expect_refused(dwell_convolution_start(made, in.data(), out.data()), "images");
  expect_refused(dwell_convolution_run(nullptr, in.data(), out.data(), DWELL_HOST, nullptr),
                 "runner: expected a pointer");
  expect_refused(dwell_convolution_wait(nullptr, nullptr), "runner: expected a pointer");
  dwell_convolution_destroy(nullptr);
}

}  // namespace
}  // namespace dwell::test
