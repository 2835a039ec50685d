// SPDX-License-Identifier: MIT
// Reductions on a GPU: the bits of a CPU, of every size, precision, operation and alignment, of
// arrays of the host and of the device, again and again, in a caller's stream.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "reduce_cases.hpp"
#include "refusal.hpp"

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/work_queue.hpp"

namespace dwell {
namespace {

using namespace test;

template <class T>
class reductions_on_a_gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = find_cuda(); found.devices == 0) GTEST_SKIP() << found.reason;
  }
  /// On the device, done when it returns.
  static buffer<T> there(std::span<const T> v) {
    auto copy = buffer<T>::copy_of(device::cuda(), v);
    memory_of(backend::cuda).finish(device::cuda());
    return copy;
  }
  static device_span<const T> view(const buffer<T>& b, std::size_t from = 0) {
    return {b.data() + from, b.size() - from, 0};
  }
};
using element_types = testing::Types<double, float>;
TYPED_TEST_SUITE(reductions_on_a_gpu, element_types);

TYPED_TEST(reductions_on_a_gpu, have_the_bits_of_a_cpu) {
  using span = std::span<const TypeParam>;
  reducer gpu(device::cuda()), cpu(device::cpu(1));
  for (const std::size_t n : reduced_sizes()) {
    const auto x = uneven_numbers<TypeParam>(n, n + 1), y = uneven_numbers<TypeParam>(n, n + 2);
    const auto x_there = this->there(x), y_there = this->there(y);
    for (const reduction r : all_reductions) {
      if (n == 0 && needs_elements(r)) continue;
      const double expected = cpu.reduce<TypeParam>(span(x), r);
      EXPECT_EQ(bits_of(expected), bits_of(gpu.reduce<TypeParam>(this->view(x_there), r)))
          << to_string(r) << " of " << n;
      EXPECT_EQ(bits_of(expected), bits_of(gpu.reduce<TypeParam>(span(x), r)))
          << to_string(r) << " of " << n << " of the host";
    }
    const double expected = cpu.dot<TypeParam>(span(x), span(y));
    EXPECT_EQ(bits_of(expected),
              bits_of(gpu.dot<TypeParam>(this->view(x_there), this->view(y_there))))
        << "dot of " << n;
    EXPECT_EQ(bits_of(expected), bits_of(gpu.dot<TypeParam>(span(x), span(y))))
        << "dot of " << n << " of the host";
  }
}

TYPED_TEST(reductions_on_a_gpu, of_more_chunks_than_blocks_have_at_a_time) {
  using span = std::span<const TypeParam>;
  const std::size_t n = (std::size_t(1) << 26) + 12'345;
  const auto x = uneven_numbers<TypeParam>(n, 17);
  const auto x_there = this->there(x);
  reducer gpu(device::cuda());
  for (const reduction r : all_reductions)
    EXPECT_EQ(bits_of(reduce<TypeParam>(device::cpu(), span(x), r)),
              bits_of(gpu.reduce<TypeParam>(this->view(x_there), r)))
        << to_string(r);
  EXPECT_EQ(bits_of(dot<TypeParam>(device::cpu(), span(x), span(x))),
            bits_of(gpu.dot<TypeParam>(this->view(x_there), this->view(x_there))));
}

TYPED_TEST(reductions_on_a_gpu, are_the_same_from_any_address) {
  using span = std::span<const TypeParam>;
  reducer gpu(device::cuda());
  for (const std::size_t n : {40u, 5000u, 300'001u, 2'200'000u}) {
    const auto x = uneven_numbers<TypeParam>(n + 4, 23);
    const auto x_there = this->there(x);
    for (std::size_t shift = 0; shift < 4; ++shift) {
      const span here = span(x).subspan(shift);
      for (const reduction r : all_reductions)
        EXPECT_EQ(bits_of(reduce<TypeParam>(device::cpu(1), here, r)),
                  bits_of(gpu.reduce<TypeParam>(this->view(x_there, shift), r)))
            << to_string(r) << " of " << n << " from " << shift;
      const device_span<const TypeParam> first{x_there.data(), here.size(), 0};
      EXPECT_EQ(bits_of(dot<TypeParam>(device::cpu(1), here, span(x).first(here.size()))),
                bits_of(gpu.dot<TypeParam>(this->view(x_there, shift), first)));
    }
  }
}

TYPED_TEST(reductions_on_a_gpu, are_the_same_again_and_again_in_a_stream_of_the_caller) {
  using span = std::span<const TypeParam>;
  const work_queue own(device::cuda());
  reducer gpu(own.where());
  const memory_space& memory = memory_of(backend::cuda);
  for (const std::size_t n : {700u, 6000u, 900'000u, 3'000'000u}) {
    const auto x = uneven_numbers<TypeParam>(n, 31);
    const double sum = reduce<TypeParam>(device::cpu(1), span(x)),
                 product = dot<TypeParam>(device::cpu(1), span(x), span(x));
    const auto source = buffer<TypeParam>::copy_of(own.where(), span(x));
    constexpr std::size_t times = 300;
    const buffer<double> results(own.where(), 2 * times);
    for (std::size_t k = 0; k < times; ++k) {
      // The elements are there only when the copy before has run.
      const buffer<TypeParam> fresh_copy(own.where(), n);
      memory.copy(own.where(), fresh_copy.data(), source.data(), n * sizeof(TypeParam));
      gpu.queue<TypeParam>(this->view(fresh_copy), reduction::sum, {results.data() + 2 * k, 1, 0});
      gpu.queue_dot<TypeParam>(this->view(fresh_copy), this->view(fresh_copy),
                               {results.data() + 2 * k + 1, 1, 0});
    }
    std::vector<double> found(2 * times);
    results.download(found);
    for (std::size_t k = 0; k < times; ++k) {
      ASSERT_EQ(bits_of(sum), bits_of(found[2 * k])) << n << ", " << k;
      ASSERT_EQ(bits_of(product), bits_of(found[2 * k + 1])) << n << ", " << k;
    }
  }
}

TYPED_TEST(reductions_on_a_gpu, queue_without_a_stream_until_wait) {
  using span = std::span<const TypeParam>;
  const auto x = uneven_numbers<TypeParam>(50'000, 37);
  const auto x_there = this->there(x);
  const buffer<double> result(device::cuda(), 1);
  memory_of(backend::cuda).finish(device::cuda());
  reducer gpu(device::cuda());
  gpu.queue<TypeParam>(this->view(x_there), reduction::norm2, {result.data(), 1, 0});
  gpu.wait();
  std::vector<double> found(1);
  result.download(found);
  EXPECT_EQ(bits_of(reduce<TypeParam>(device::cpu(1), span(x), reduction::norm2)),
            bits_of(found[0]));
}

TYPED_TEST(reductions_on_a_gpu, keep_a_nan_wherever_it_is) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  reducer gpu(device::cuda());
  for (const std::size_t n : {1u, 40u, 1024u, 9000u, 300'000u, 2'500'000u})
    for (const std::size_t at : {std::size_t(0), n / 3, n - 1})
      for (const TypeParam which : {std::numeric_limits<TypeParam>::quiet_NaN(),
                                    -std::numeric_limits<TypeParam>::quiet_NaN()}) {
        auto v = uneven_numbers<TypeParam>(n, 3);
        v[at] = which;
        const auto v_there = this->there(v);
        for (const reduction r : all_reductions)
          EXPECT_EQ(bits_of(nan), bits_of(gpu.reduce<TypeParam>(this->view(v_there), r)))
              << to_string(r) << " of " << n << ", NaN at " << at;
      }
}

TEST(norm2_on_a_gpu, is_scaled_where_squares_leave_the_range) {
  if (const auto found = find_cuda(); found.devices == 0) GTEST_SKIP() << found.reason;
  for (const int exponent : {-1073, -600, 520, 1020})
    for (const std::size_t n : {1u, 4096u, 1u << 22}) {
      const std::vector<double> all(n, std::ldexp(1.0, exponent));
      EXPECT_EQ(reduce<double>(device::cuda(), all, reduction::norm2),
                reduce<double>(device::cpu(1), all, reduction::norm2))
          << n << " of 2^" << exponent;
    }
}

TYPED_TEST(reductions_on_a_gpu, are_refused_for_memory_of_the_host) {
  const std::vector<TypeParam> v(3);
  EXPECT_EQ(refusal([&] {
              reduce<TypeParam>(device::cuda(), device_span<const TypeParam>{v.data(), 3, 0});
            }),
            "v: expected memory of CUDA device 0, found memory of the host");
  const auto there = this->there(v);
  EXPECT_EQ(refusal([&] {
              reduce<TypeParam>(device::cuda(), std::span<const TypeParam>(there.data(), 3));
            }),
            "v: expected memory of the host, found a pointer to a GPU's: pass it as a device_span");
  reducer gpu(device::cuda());
  double here = 0;
  EXPECT_EQ(refusal([&] {
              gpu.queue<TypeParam>(this->view(there), reduction::sum, {&here, 1, 0});
            }),
            "result: expected memory of CUDA device 0, found memory of the host");
  EXPECT_EQ(refusal([&] { gpu.queue<TypeParam>(this->view(there), reduction::sum, {}); }),
            "result: expected room for one element, found none");
  EXPECT_EQ(refusal([&] { gpu.reduce<TypeParam>(device_span<const TypeParam>{}, reduction::max); }),
            "max: expected at least one element, found none");
}

}  // namespace
}  // namespace dwell
