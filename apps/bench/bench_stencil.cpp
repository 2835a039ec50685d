// SPDX-License-Identifier: MIT
// bench-stencil: what Dwell's executors reach on a CPU beside a plain loop over the cells, dealt to
// OpenMP threads by rows, that the compiler turns into vectors. Same stencil, steps, threads,
// instruction set and boundary (fixed), and the same bits, which is checked. Runs of the three take
// turns; the best of each counts, since another program on the machine can only make one longer.
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/step/step.hpp"
#include "dwell/solvers/stencil/shapes/box2d9.hpp"
#include "dwell/solvers/stencil/shapes/box3d27.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/solvers/stencil/shapes/star3d7.hpp"
#include "dwell/stencil/default_weights.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell {
namespace {

struct settings {
  int threads = 0, runs = 7;
  double at_least = 0;
  std::vector<extents> sizes = {{512, 512}, {4096, 4096}, {64, 64, 64}, {256, 256, 256}};
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The plain loop. Returns the seconds of all steps; the result is in `a`.
template <class S, class T>
double by_loop(std::vector<T>& a, std::vector<T>& b, const extents& n, int steps, int threads) {
  constexpr int r = radius_of<S>, rz = S::dims == 3 ? r : 0;
  const auto weights = default_weights<S>();
  const std::ptrdiff_t pitch = n.x, plane = pitch * n.y;
  b = a;  // the frame, which stays
#pragma omp parallel num_threads(threads)
  {}  // the threads start before the clock does
  const double begin = seconds_now();
#pragma omp parallel num_threads(threads)
  {
    T w[weight_count<S>];  // a thread's own: no store can change it
    std::transform(weights.begin(), weights.end(), w, [](double v) { return static_cast<T>(v); });
    for (int step = 0; step < steps; ++step) {
      const T* __restrict in = step % 2 ? b.data() : a.data();
      T* __restrict out = step % 2 ? a.data() : b.data();
#pragma omp for collapse(2) schedule(static)
      for (int z = rz; z < n.z - rz; ++z)
        for (int y = r; y < n.y - r; ++y) {
          const T* from = in + z * plane + y * pitch;
          T* to = out + z * plane + y * pitch;
#pragma omp simd
          for (int x = r; x < n.x - r; ++x)
            to[x] = S::template apply<T>(near_inner<T>{from + x, pitch, plane}, w);
        }
    }
  }
  const double seconds = seconds_now() - begin;
  omp_pause_resource_all(omp_pause_soft);  // else they spin for a while, on others' time
  if (steps % 2) a.swap(b);
  return seconds;
}

/// The best rate of each in GCells/s, and its ratio to the loop's.
struct outcome {
  double loop = 0, host_loop = 0, persistent = 0;
};

template <class S, class T>
outcome measure(const settings& how, const device& cpu, const extents& n) {
  grid<T> start(n);
  std::uint32_t state = 1;
  for (T& v : start.cells()) v = static_cast<T>((state = state * 1664525u + 1013904223u) * 0x1p-32);
  // About a tenth of a second, and not so few steps that the start of the threads shows.
  const int steps =
      static_cast<int>(std::clamp<std::size_t>(100'000'000 / n.cells(), 10, 4000)) | 1;
  std::vector<T> a, b;
  outcome best;
  for (int run = 0; run <= how.runs; ++run) {  // the first one warms up
    a.assign(start.cells().begin(), start.cells().end());
    const double loop_s = by_loop<S>(a, b, n, steps, cpu.threads());
    for (const char* executor : {"host-loop", "persistent"}) {
      grid<T> u = start;
      stencil_options options;
      options.shape = S::name;
      options.executor = executor;
      options.steps = steps;
      const auto report = solve(cpu, u, options);
      if (std::memcmp(u.cells().data(), a.data(), u.cells().size_bytes()) != 0)
        throw error(fmt::format("{} {}: {} does not have the bits of the loop", S::name,
                                to_string(n), executor));
      if (run == 0) continue;
      const double work = static_cast<double>(report.changing_cells) * steps * 1e-9;
      double& rate = executor[0] == 'h' ? best.host_loop : best.persistent;
      rate = std::max(rate, work / report.solve_s);
      best.loop = std::max(best.loop, work / loop_s);
    }
  }
  return best;
}

/// Prints a line for each size that S takes; false if a ratio is too low.
template <class S, class T>
bool show(const settings& how, const device& cpu) {
  bool enough = true;
  for (const extents& n : how.sizes) {
    if (n.dims != S::dims) continue;
    const outcome o = measure<S, T>(how, cpu, n);
    const double host = o.host_loop / o.loop, inside = o.persistent / o.loop;
    fmt::print("{:<8} {:<4} {:<14} {:>8.3f} {:>10.3f} {:>6.2f} {:>11.3f} {:>6.2f}\n", S::name,
               sizeof(T) == 8 ? "f64" : "f32", to_string(n), o.loop, o.host_loop, host,
               o.persistent, inside);
    enough = enough && std::min(host, inside) >= how.at_least;
  }
  return enough;
}

template <class T>
bool show_all(const settings& how, const device& cpu) {
  bool enough = show<star2d5, T>(how, cpu);
  enough = show<box2d9, T>(how, cpu) && enough;
  enough = show<star3d7, T>(how, cpu) && enough;
  return show<box3d27, T>(how, cpu) && enough;
}

int parse_and_run(int argc, char** argv) {
  settings how;
  CLI::App app("Dwell's stencils on a CPU beside a plain OpenMP loop");
  app.name("bench-stencil");
  app.add_option("--threads", how.threads, "0: all that this process may use")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--runs", how.runs, "Runs of each, after one that is not counted")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--at-least", how.at_least,
                 "End with code 2 if a ratio of Dwell to the loop is lower than this");
  app.footer("Example:\n  bench-stencil --threads 2 --at-least 0.9");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 1;
  }
  const device cpu = device::cpu(how.threads);
  fmt::print("{}, {} threads, best of {} runs each; GCells/s, and the ratio to the loop\n\n",
             cpu.facts().name, cpu.threads(), how.runs);
  fmt::print("{:<8} {:<4} {:<14} {:>8} {:>10} {:>6} {:>11} {:>6}\n", "stencil", "", "cells", "loop",
             "host-loop", "ratio", "persistent", "ratio");
  const bool f64 = show_all<double>(how, cpu), f32 = show_all<float>(how, cpu);
  return f64 && f32 ? 0 : 2;
}

}  // namespace
}  // namespace dwell

int main(int argc, char** argv) {
  try {
    return dwell::parse_and_run(argc, argv);
  } catch (const dwell::error& e) {
    fmt::print(stderr, "bench-stencil: {}\n", e.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "bench-stencil: too little memory\n");
  }
  return 1;
}
