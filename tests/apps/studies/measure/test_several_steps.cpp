// SPDX-License-Identifier: MIT
// The kernel of scripts/measure/tile-sweep.py, played by CPU threads that meet as those of a block
// do, against loops over the whole field, bit for bit: random sizes and heights of pieces.
#include <gtest/gtest.h>

#include <barrier>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

/// The block's shared memory.
extern "C" {
double queues[3 * 4 * (2 * 16 + 2)];
}

namespace {

struct index_of_thread {
  unsigned x = 0, y = 0;
};
thread_local index_of_thread threadIdx, blockIdx;
std::barrier<>* meeting = nullptr;

}  // namespace

// Words of CUDA, and the constants of three kernels.
#define __global__
#define __shared__
#define __launch_bounds__(threads, blocks)
#define __syncthreads() meeting->arrive_and_wait()
#define THREADS 16
#define BLOCKS 1
#define REAL double
#define DEPTH 1
#define CELLS 1
#define several_steps several_steps_1_1
namespace one_step {
#include "several_steps.cu"
}
#undef DEPTH
#undef several_steps
#define DEPTH 3
#define several_steps several_steps_3_1
namespace three_steps {
#include "several_steps.cu"
}
#undef CELLS
#undef several_steps
#define CELLS 2
#define several_steps several_steps_3_2
namespace three_steps_of_two_cells {
#include "several_steps.cu"
}
#undef several_steps

namespace {

using kernel = void (*)(const double*, double*, int, int, int, double, double);
constexpr double centre = 0.4375, beside = 0.140625;

/// All blocks, one after the other.
void play(kernel run, const std::vector<double>& u, std::vector<double>& v, int ny, int nx,
          int rows, int width) {
  for (unsigned by = 0; static_cast<int>(by) * rows < ny; ++by)
    for (unsigned bx = 0; static_cast<int>(bx) * width < nx; ++bx) {
      std::barrier<> all(THREADS);
      meeting = &all;
      std::vector<std::thread> lanes;
      for (unsigned lane = 0; lane < THREADS; ++lane)
        lanes.emplace_back([&, lane] {
          threadIdx = {lane, 0};
          blockIdx = {bx, by};
          run(u.data(), v.data(), ny, nx, rows, centre, beside);
        });
      for (auto& t : lanes) t.join();
    }
}

std::vector<double> by_loops(std::vector<double> u, int ny, int nx, int steps) {
  std::vector<double> v = u;
  for (int s = 0; s < steps; ++s) {
    for (int y = 1; y + 1 < ny; ++y)
      for (int x = 1; x + 1 < nx; ++x) {
        const double* c = &u[static_cast<std::size_t>(y) * static_cast<std::size_t>(nx) +
                             static_cast<std::size_t>(x)];
        double e = beside * c[-nx];
        e = std::fma(beside, c[-1], e);
        e = std::fma(centre, c[0], e);
        e = std::fma(beside, c[1], e);
        v[static_cast<std::size_t>(c - u.data())] = std::fma(beside, c[nx], e);
      }
    std::swap(u, v);
  }
  return u;
}

TEST(several_steps, have_the_bits_of_loops) {
  std::mt19937 random(20261129);
  const auto between = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  const struct {
    kernel run;
    int depth, width;  // columns that a tile keeps
  } kernels[] = {{one_step::several_steps_1_1, 1, 16 - 2},
                 {three_steps::several_steps_3_1, 3, 16 - 6},
                 {three_steps_of_two_cells::several_steps_3_2, 3, 32 - 6}};
  for (int k = 0; k < 18; ++k) {
    const auto& which = kernels[k % 3];
    const int ny = between(1, 30), nx = between(1, 60), rows = between(1, ny);
    SCOPED_TRACE(testing::Message() << ny << 'x' << nx << ", pieces of " << rows << " rows, depth "
                                    << which.depth << ", width " << which.width);
    std::vector<double> u(static_cast<std::size_t>(ny) * static_cast<std::size_t>(nx));
    for (double& c : u) c = std::uniform_real_distribution<double>(-1, 1)(random);
    std::vector<double> v(u.size(), -7);
    play(which.run, u, v, ny, nx, rows, which.width);
    EXPECT_EQ(v, by_loops(u, ny, nx, which.depth));
  }
}

}  // namespace
