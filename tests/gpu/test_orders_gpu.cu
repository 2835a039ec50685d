// SPDX-License-Identifier: MIT
// Orders of cells on a GPU: index maps in kernels say what they say on the host, and steps whose
// tiles are taken in any order have the bits of plain loops.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/stencil/order/cell_order.hpp"
#include "dwell/execution/stencil/order/index_map.hpp"
#include "dwell/stencil/solve.hpp"
#include "stencil_oracle.hpp"
#include "stencil_place.hpp"

namespace dwell::test {
namespace {

/// Cell number i of the order, and the number of that cell.
__global__ void ask_map(index_map map, int* places, std::int64_t* numbers) {
  for (std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < map.cells();
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    const grid_cell c = map.at(i);
    places[3 * i] = c.z;
    places[3 * i + 1] = c.y;
    places[3 * i + 2] = c.x;
    numbers[i] = map.number(c);
  }
}

class orders_gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(orders_gpu, maps_say_what_they_say_on_the_host) {
  const device where = stencil_place::where();
  for (const extents& n : {extents(37, 70), extents(9, 12, 31)})
    for (const char* text :
         {"rows", "tiles:7x5", "columns:9", "zigzag:16", "hilbert", "hilbert:3x2"}) {
      const index_map map(*parse_cell_order(text, n.dims), n);
      const auto cells = static_cast<std::size_t>(map.cells());
      buffer<int> places(where, 3 * cells);
      buffer<std::int64_t> numbers(where, cells);
      ask_map<<<4, 128>>>(map, places.data(), numbers.data());
      DWELL_CUDA(cudaDeviceSynchronize());
      std::vector<int> found(3 * cells);
      std::vector<std::int64_t> back(cells);
      places.download(found);
      numbers.download(back);
      for (std::size_t i = 0; i < cells; ++i) {
        const grid_cell c = map.at(static_cast<std::int64_t>(i));
        ASSERT_EQ((grid_cell{found[3 * i], found[3 * i + 1], found[3 * i + 2]}), c)
            << text << ' ' << i;
        ASSERT_EQ(back[i], static_cast<std::int64_t>(i)) << text;
      }
    }
}

TEST_F(orders_gpu, of_tiles_have_the_bits_of_plain_loops) {
  for (const auto& [shape, n] :
       {std::pair{"2d5pt", extents(203, 517)}, {"3d7pt", extents(35, 41, 130)}}) {
    const auto start = random_field<double>(n, 3);
    const auto s = find_stencil_shape(shape);
    const auto expected = stencil_by_loops<double>(s, start, 4, boundary::fixed, s.weights);
    for (const char* executor : {"host-loop", "graph", "persistent"})
      for (const char* order : {"rows", "columns:128", "tiles:128x16", "zigzag:64", "hilbert"}) {
        stencil_options o;
        o.shape = shape;
        o.executor = executor;
        o.order = order;
        o.steps = 4;
        auto u = start;
        const auto report = solve(stencil_place::where(), u, o);
        EXPECT_EQ(difference(u, expected), "") << shape << ' ' << executor << ' ' << order;
        EXPECT_EQ(report.order, order);
      }
  }
}

}  // namespace
}  // namespace dwell::test
