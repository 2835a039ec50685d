// SPDX-License-Identifier: MIT
// reciprocal() and quotient() on a GPU, which has code of its own: the bits of its correctly
// rounded division where that is said, for every f32 there is to divide by and for many f64.
#include <gtest/gtest.h>

#include <cstdint>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/stencil/stencil.hpp"
#include "stencil_place.hpp"

namespace dwell::test {
namespace {

/// Numbers that differ in all of their bits.
__device__ std::uint64_t mixed(std::uint64_t v) {
  v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
  v = (v ^ v >> 27) * 0x94d049bb133111ebu;
  return v ^ v >> 31;
}
__device__ bool differ(double a, double b) { return a != b && !(isnan(a) && isnan(b)); }

/// All floats as divisors, of a numerator that is some other one near 1.
__global__ void divide_floats(unsigned* wrong) {
  const unsigned step = gridDim.x * blockDim.x;
  unsigned bits = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned k = 0; k < (1u << 31) / step * 2; ++k, bits += step) {
    const float d = __uint_as_float(bits), size = fabsf(d);
    const bool within = size >= 0x1p-120f && size < 0x1p120f;
    const float n = __uint_as_float(0x3f800000u | (static_cast<unsigned>(mixed(bits)) >> 9));
    const float nan = __uint_as_float(0x7fc00000u);
    if (differ(reciprocal(d), within ? __frcp_rn(d) : nan) ||
        differ(size < 0x1p100f ? quotient(n, d) : nan,
               within && size < 0x1p100f ? __fdiv_rn(n, d) : nan))
      atomicAdd(wrong, 1u);
  }
}
/// Divisors of all sizes: any mantissas, and those next to powers of two.
__global__ void divide_doubles(unsigned* wrong, int count) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (int k = 0; k < count; ++k) {
    const std::uint64_t a = mixed(thread * static_cast<unsigned>(count) + static_cast<unsigned>(k));
    const std::uint64_t b = mixed(a + 1), fraction = (std::uint64_t{1} << 52) - 1;
    std::uint64_t part = b & fraction;
    if (k % 4 == 1) part = b >> 58;               // little more than a power of two
    if (k % 4 == 2) part = fraction - (b >> 58);  // little less than the next
    const auto number = [&](std::uint64_t exponent, std::uint64_t mantissa) {
      return __longlong_as_double(static_cast<long long>(exponent << 52 | mantissa));
    };
    const double d = number(1023 - 1000 + b / 7 % 2000, part);
    const double n = number(1023 - 400 + a / 11 % 800, a & fraction);
    const double half = number(1023 - 500 + b / 7 % 1000, part);
    // The reciprocal of the last number before a power of two is the lower neighbour.
    const long long above = part == fraction ? 1 : 0;
    const auto rounded = [&](double v) {
      return __longlong_as_double(__double_as_longlong(__drcp_rn(v)) - above);
    };
    const double y = rounded(half), q = n * y;
    const double corrected = __fma_rn(__fma_rn(-half, q, n), y, q);
    if (differ(reciprocal(d), rounded(d)) ||
        differ(quotient(n, half), above != 0 ? corrected : __ddiv_rn(n, half)))
      atomicAdd(wrong, 1u);
  }
}

template <class Launch>
unsigned wrong_after(Launch&& launch) {
  const device where = stencil_place::where();
  buffer<unsigned> wrong(where, 1);
  launch(wrong.data());
  DWELL_CUDA(cudaGetLastError());
  DWELL_CUDA(cudaDeviceSynchronize());
  unsigned count = 0;
  wrong.download({&count, 1});
  return count;
}

TEST(quotient_gpu, of_all_floats) {
  if (const auto why = stencil_place::absent(); !why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(wrong_after([](unsigned* w) { divide_floats<<<1024, 256>>>(w); }), 0u);
}
TEST(quotient_gpu, of_many_doubles) {
  if (const auto why = stencil_place::absent(); !why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(wrong_after([](unsigned* w) { divide_doubles<<<4096, 256>>>(w, 1000); }), 0u);
}

}  // namespace
}  // namespace dwell::test
