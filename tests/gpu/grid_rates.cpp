// SPDX-License-Identifier: MIT
// Set-ups and solves of systems on grids on a GPU: a first set-up, updates by the host and by
// kernels, medians of solves of a prepared handle. Arguments: seconds after which no more problems
// are begun; "kernels" (all are compiled to the cache), "problems", "sizes" (where set-ups by
// kernels begin to be faster) or "methods" (each with each preconditioner).
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "dwell/base/stopwatch.hpp"
#include "dwell/comm/communicator.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/solvers/grid/device/needed.hpp"
#include "dwell/solvers/grid/grid_handle.hpp"

namespace {

using namespace dwell;

struct problem {
  std::string says;
  std::vector<int> cells;
  double jump = 1;
  int block = 1;
  double of_x = 1;  ///< k along x is multiplied by it
  double of_y = 1;
};

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return 1e3 * v[v.size() / 2];
}

std::vector<double> coefficients_of(const problem& p) {
  std::vector<double> k;
  if (p.jump == 1) return k;
  std::mt19937 random(1);
  std::vector<int> blocks;
  std::size_t all = 1, of_blocks = 1;
  for (const int n : p.cells) {
    blocks.push_back((n + p.block - 1) / p.block);
    all *= std::size_t(n), of_blocks *= std::size_t(blocks.back());
  }
  std::vector<bool> high(of_blocks);
  for (std::size_t b = 0; b < of_blocks; ++b) high[b] = random() % 2;
  k.resize(all);
  for (std::size_t c = 0; c < all; ++c) {
    std::size_t rest = c, block = 0, by = 1;
    for (std::size_t axis = p.cells.size(); axis-- > 0;) {
      block += rest % std::size_t(p.cells[axis]) / std::size_t(p.block) * by;
      by *= std::size_t(blocks[axis]);
      rest /= std::size_t(p.cells[axis]);
    }
    k[c] = high[block] ? p.jump : 1;
  }
  return k;
}

grid_description<double> description_of(const problem& p, const std::vector<double>& k) {
  grid_description<double> d{.cells = p.cells};
  if (p.of_x != 1 || p.of_y != 1) d.k_axes = {p.of_y, p.of_x, 1};
  d.k_cells = k;
  return d;
}

/// Seconds of solves of a prepared handle, f = 1, from 0, with arrays of the GPU.
std::vector<double> solves_of(grids::grid_handle<double>& handle, int rounds, grid_report& last) {
  std::vector<double> solves;
  const std::size_t n = handle.rows();
  const device where = device::cuda();
  const buffer<double> f = buffer<double>::copy_of(where, std::vector<double>(n, 1.0));
  for (int round = 0; round < rounds; ++round) {
    buffer<double> u(where, n);
    stopwatch clock;
    last = handle.solve(device_span<const double>{f.data(), n, where.ordinal()},
                        device_span<double>{u.data(), n, where.ordinal()}, false);
    solves.push_back(clock.lap());
  }
  return solves;
}

/// All kernels, each by a thread, to the cache.
void compile_all() {
  std::vector<std::thread> threads;
  const auto target = cuda::target_of(device::cuda());
  for (const precision type : {precision::f64, precision::f32})
    for (const kernel_source& source : grids::needed_sources(type))
      threads.emplace_back([source, target] { compile_kernel(source, target); });
  for (std::thread& one : threads) one.join();
}

void measure_methods(const std::vector<int>& cells) {
  const grid_description<double> d{.cells = cells};
  for (const std::string& method : grid_methods())
    for (const std::string& preconditioner : grid_preconditioners()) {
      grid_options o;
      o.method = method;
      o.preconditioner = preconditioner;
      o.max_iterations = 2000;
      if (preconditioner == "multigrid") continue;
      if (preconditioner != "auto" && (method == "multigrid" || method == "jacobi")) continue;
      grids::grid_handle<double> handle(device::cuda(), self_communicator(), d, o, 0);
      grid_report r;
      const double ms = median(solves_of(handle, 3, r));
      fmt::print(
          "{}x{} {:10} preconditioner {:9}: {:9.3f} ms, {:4} iterations, {:7.2f} us each, {}, "
          "true residual {:.1e}\n",
          cells[0], cells[1], method, r.preconditioner, ms, r.iterations,
          1e3 * ms / std::max(r.iterations, 1), to_string(r.stopped), r.residual_relative_true);
      std::fflush(stdout);
    }
}

/// Each problem without and with a start by full multigrid, in turns.
void measure_full(const problem& p, const std::vector<double>& k) {
  const grid_description<double> d = description_of(p, k);
  for (const bool full : {false, true, false, true}) {
    grid_options o;
    o.full_multigrid = full;
    grids::grid_handle<double> handle(device::cuda(), self_communicator(), d, o, 0);
    grid_report r;
    const double ms = median(solves_of(handle, 9, r));
    fmt::print("{:28} {:14}: {:8.3f} ms, {} iterations, {}, true residual {:.1e}\n", p.says,
               full ? "full multigrid" : "from 0", ms, r.iterations, to_string(r.stopped),
               r.residual_relative_true);
    std::fflush(stdout);
  }
}

void measure(const problem& p, bool by_gpu) {
  const std::vector<double> k = coefficients_of(p);
  const grid_description<double> d = description_of(p, k);
  stopwatch clock;
  grids::grid_handle<double> handle(device::cuda(), self_communicator(), d, {}, 0,
                                    by_gpu ? 0 : std::size_t(-1));
  const double first = 1e3 * clock.lap();
  std::vector<double> updates;
  for (int round = 0; round < 7; ++round) {
    clock.lap();
    handle.update(d);
    updates.push_back(clock.lap());
  }
  double there_ms = 0;  // k in the memory of the GPU
  if (by_gpu) {
    const device where = device::cuda();
    const buffer<double> of = buffer<double>::copy_of(where, k);
    grid_description<double> bare{.cells = p.cells};
    std::vector<double> seconds;
    for (int round = 0; round < 7; ++round) {
      clock.lap();
      handle.update(bare, {.k_cells = {of.data(), k.size(), where.ordinal()}});
      seconds.push_back(clock.lap());
    }
    there_ms = median(seconds);
  }
  grid_report r;
  const std::vector<double> solves = solves_of(handle, 7, r);
  fmt::print(
      "{:28} levels by {:4}: first set-up {:8.2f} ms, updates {:8.3f} (least {:.3f}, k of the GPU "
      "{:.3f}), solve {:8.3f} ms, {} iterations, {}\n",
      p.says, by_gpu ? "GPU" : "host", first, median(updates),
      1e3 * *std::ranges::min_element(updates), there_ms, median(solves), r.iterations,
      to_string(r.stopped));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 60;
  const std::string what = count > 2 ? arguments[2] : "problems";
  if (what == "kernels") {
    compile_all();
    return 0;
  }
  if (what == "methods") {
    for (const int n : {512, 1000}) measure_methods({n, n});
    return 0;
  }
  std::vector<problem> problems = {{"256x256, k = 1", {256, 256}},
                                   {"512x512, k = 1", {512, 512}},
                                   {"1024x1024, k = 1", {1024, 1024}},
                                   {"2048x2048, k = 1", {2048, 2048}},
                                   {"1000x1000, 1:1e4 in 50s", {1000, 1000}, 1e4, 50},
                                   {"1000x1000, y 100 times x", {1000, 1000}, 1, 1, 0.01, 1},
                                   {"1000x1000, x 100 times y", {1000, 1000}, 1, 1, 1, 0.01},
                                   {"1000x1000, 1:1e6 in 30s", {1000, 1000}, 1e6, 30},
                                   {"64x64x64, k = 1", {64, 64, 64}},
                                   {"128x128x128, k = 1", {128, 128, 128}},
                                   {"128x128x128, 1:1e4 in 16s", {128, 128, 128}, 1e4, 16},
                                   {"8192x8192, k = 1", {8192, 8192}},
                                   {"256x256x256, k = 1", {256, 256, 256}},
                                   {"4096x4096, 1:100 in 64s", {4096, 4096}, 100, 64}};
  if (what == "sizes") {
    problems.clear();
    for (const int n : {32, 48, 64, 96, 128, 192, 256, 512})
      problems.push_back({fmt::format("{}x{}, 1:1e4 in 8s", n, n), {n, n}, 1e4, 8});
    for (const int n : {16, 24, 32, 48})
      problems.push_back({fmt::format("{}x{}x{}, 1:1e4 in 4s", n, n, n), {n, n, n}, 1e4, 4});
  }
  double spent = 0;
  dwell::stopwatch clock;
  for (const problem& p : problems) {
    if (what == "full") {
      if ((spent += clock.lap()) > seconds) return 0;
      measure_full(p, coefficients_of(p));
      continue;
    }
    for (const bool by_gpu : {false, true}) {
      if (by_gpu && p.jump == 1) continue;  // rows are shared, and the host's
      if ((spent += clock.lap()) > seconds) return 0;
      measure(p, by_gpu);
    }
  }
}
