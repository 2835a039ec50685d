// SPDX-License-Identifier: MIT
// A prepared filter: run after run the bits of convolve(), with one pass and with several; what it
// refuses. On a GPU: tests/gpu/test_convolution_gpu.cpp.
#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

#include "plain_convolution.hpp"
#include "refusal.hpp"

#include "dwell/arrays/convolution_runner.hpp"

namespace dwell {
namespace {

using test::refusal;

template <class T>
class convolution_runners : public testing::Test {};
using cells = testing::Types<double, float>;
TYPED_TEST_SUITE(convolution_runners, cells);

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
std::vector<T> images_of(const extents& size, int count, unsigned seed) {
  const auto planes = noise<T>(extents(size.z * count, size.y, size.x), seed);
  return {planes.cells().begin(), planes.cells().end()};
}

TYPED_TEST(convolution_runners, give_the_bits_of_single_calls_time_and_again) {
  using T = TypeParam;
  const extents size(19, 70);
  constexpr int images = 3;
  for (const char* name : {"laplacian", "gaussian:15"})
    for (const border edge : {border::reflect, border::zero}) {
      convolution_options o;
      o.edge = edge;
      const auto filter = convolution_filter::named(name);
      convolution_runner<T> runner(device::cpu(2), size, filter, o, images);
      for (unsigned seed = 1; seed < 4; ++seed) {
        const auto in = images_of<T>(size, images, seed);
        std::vector<T> expected(in.size()), found(in.size());
        const auto once = convolve<T>(device::cpu(1), size, in, expected, filter, o);
        runner.run(in, found);
        EXPECT_TRUE(same_bits(found, expected)) << name << ", images " << seed;
        EXPECT_EQ(runner.report().passes, once.passes);
        EXPECT_EQ(runner.report().images, images);
        EXPECT_GT(runner.report().run_s, 0);
      }
      EXPECT_EQ(runner.report().passes, name[0] == 'g' ? 2 : 1);
    }
}

TYPED_TEST(convolution_runners, move) {
  using T = TypeParam;
  const extents size(5, 6, 7);
  const auto filter = convolution_filter::named("box:3", 3);
  convolution_runner<T> first(device::cpu(1), size, filter), second(std::move(first));
  first = convolution_runner<T>(device::cpu(1), size, convolution_filter::named("box:5", 3));
  const auto in = images_of<T>(size, 1, 9);
  std::vector<T> expected(in.size()), found(in.size());
  convolve<T>(device::cpu(1), size, in, expected, filter);
  second.run(in, found);
  EXPECT_TRUE(same_bits(found, expected));
  first.run(in, found);
  EXPECT_FALSE(same_bits(found, expected));
  first = std::move(second);
  first.run(in, found);
  first.wait();  // for nothing
  EXPECT_TRUE(same_bits(found, expected));
}

TEST(convolution_runner, refuses_what_cannot_be_prepared) {
  const auto blur = convolution_filter::named("box:3");
  const auto refused = [&](const extents& size, const convolution_options& o = {},
                           std::int64_t images = 1) {
    return refusal([&] { convolution_runner<float>(device::cpu(1), size, blur, o, images); });
  };
  EXPECT_EQ(refused(extents(3, 4), {}, 0), "images: expected at least 1, found 0");
  EXPECT_EQ(refused(extents(0, 4)), "size: expected at least one cell along each axis, found 0x4");
  EXPECT_EQ(refused(extents(2, 3, 4)), "filter: expected 3 dimensions as the image has, found 2");
  convolution_options o;
  o.algorithm = "fast";
  EXPECT_EQ(refused(extents(3, 4), o),
            "algorithm: expected auto, systolic, window, shared, direct, found 'fast'");
  EXPECT_EQ(refused(extents(3, 4)), "accepted");
}

TEST(convolution_runner, refuses_images_that_are_not_those_it_was_made_for) {
  convolution_runner<float> runner(device::cpu(1), extents(3, 4),
                                   convolution_filter::named("box:3"), {}, 2);
  std::vector<float> v(48);
  const std::span<float> all(v);
  const auto refused = [&](std::span<const float> in, std::span<float> out) {
    return refusal([&] { runner.run(in, out); });
  };
  EXPECT_EQ(refused(all.first(12), all.last(24)), "images: expected 24 cells, found 12");
  EXPECT_EQ(refused(all.first(24), all.last(12)), "out: expected 24 cells, found 12");
  EXPECT_EQ(refused(all.first(24), all.subspan(23, 24)),
            "out: expected memory of its own, found that it overlaps images");
  EXPECT_EQ(refused({static_cast<const float*>(nullptr), 24}, all.last(24)),
            "images: expected an array, found a null pointer");
  const device_span<float> there{v.data(), 24, 0};
  EXPECT_EQ(refusal([&] { runner.run(there, there); }),
            "images: expected memory of the host for a CPU, found a view of a GPU's");
  EXPECT_EQ(refusal([&] { runner.run_async(there, there); }),
            "images: expected memory of the host for a CPU, found a view of a GPU's");
  EXPECT_EQ(refused(all.first(24), all.last(24)), "accepted");
}

}  // namespace
}  // namespace dwell
