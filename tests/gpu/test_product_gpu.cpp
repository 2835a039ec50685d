// SPDX-License-Identifier: MIT
// Products with data that are on the GPU already: the bits of those from the host's memory, in the
// caller's stream; memory of another kind is refused.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "battery.hpp"
#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/linear/product.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

template <class T>
device_span<T> product_span(const buffer<T>& v) {
  return {v.data(), v.size(), 0};
}

TEST(product_on_a_gpu, of_vectors_and_matrices_there) {
  DWELL_SKIP_IF_ABSENT();
  for (const battery_case& one : battery()) {
    const csr<double> a = one.build();
    const work_queue queue(place::where());
    const device& where = queue.where();
    const auto x = random_vector(a.cols, 5), y0 = random_vector(a.rows, 6);
    std::vector<double> y = y0, z = y0;
    product<double> p(where, a.view());
    p.apply(x, y, 2.0, -1.0);

    const auto row_ptr = buffer<index>::copy_of(where, a.row_ptr);
    const auto col = buffer<index>::copy_of(where, a.col);
    const auto val = buffer<double>::copy_of(where, a.val);
    product<double> q(where, device_csr_view<double>{a.rows, a.cols, a.nonzeros(), row_ptr.data(),
                                                     col.data(), val.data(), 0});
    const auto there = buffer<double>::copy_of(where, x), to = buffer<double>::copy_of(where, y0);
    q.apply_async(device_span<const double>(product_span(there)), product_span(to), 2.0, -1.0);
    to.download(z);  // in the stream, behind the product
    EXPECT_EQ(z, y) << one.name;
  }
}

TEST(product_on_a_gpu, refuses_memory_of_another_kind) {
  DWELL_SKIP_IF_ABSENT();
  const auto a = tridiagonal(8, 2, -1);
  product<double> p(place::where(), a.view());
  const buffer<double> there(place::where(), 8);
  std::vector<double> x(8), y(8);
  const device_span<double> vector = product_span(there);
  EXPECT_EQ(refusal<input_error>([&] {
              p.apply(device_span<const double>{x.data(), 8}, vector);
            }),
            "x: expected memory of CUDA device 0, found memory of the host");
  EXPECT_EQ(refusal<input_error>([&] { p.apply(device_span<const double>(vector), vector); }),
            "y: expected memory of its own, found that it overlaps x");
  EXPECT_NE(refusal<input_error>([&] {
              p.apply(std::span<const double>(x), std::span<double>(there.data(), 8));
            }).find("y: expected memory of the host"),
            std::string::npos);
  EXPECT_NE(refusal<input_error>([&] {
              product<double> q(place::where(),
                                device_csr_view<double>{8, 8, a.nonzeros(), a.row_ptr.data(),
                                                        a.col.data(), a.val.data(), 0});
            }).find("row_ptr of the matrix: expected memory of CUDA device 0"),
            std::string::npos);
}

}  // namespace
}  // namespace dwell::test
