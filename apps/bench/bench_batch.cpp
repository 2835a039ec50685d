// SPDX-License-Identifier: MIT
// bench-batch: many small systems at once (cg_batch). For each kind: N systems of one pattern,
// whose diagonals are shifted by chance, so that they end apart; the set-up in its parts, solves
// with vectors of the host and of the device, and the time of an iteration of a system beside that
// of a linear_solver that has one of them. Medians of several runs. The peer is peer-cusparse-cg
// with the same kind of system: its time per iteration is given by --peer-us.
//
// What a block cannot be faster than, for poisson2d:45x44 (1980 rows, 9722 nonzeros, f64) on an
// H200: 38 tiles, 16 of them in registers; per iteration 58 KB of tiles, 78 KB of gathers and 96 KB
// of p and q pass between shared memory and the lanes, 232 KB at 128 bytes a clock: 1.0 us at 1.8
// GHz, without bank conflicts; and a block meets five times, of which each costs tens of clocks.
// 132 blocks at once: 8 ns per iteration of a system. 50 times the rate of cuSPARSE's CG in a
// graph, 16.6 us an iteration, are 44 us an iteration of a block. trefethen:2000 (41906 nonzeros,
// 433 KB of tiles) does not fit a multiprocessor: what is not cached of it comes from device
// memory, at 36 GB/s for each of 132.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "dwell/base/lap_timer.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/formats/matrix_file.hpp"
#include "dwell/linear/cg_batch.hpp"
#include "dwell/linear/linear_solver.hpp"

namespace dwell {
namespace {

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  const std::size_t h = all.size() / 2;
  return all.size() % 2 ? all[h] : 0.5 * (all[h - 1] + all[h]);
}

/// Milliseconds of f(), the median of `runs` calls.
template <class F>
double milliseconds(int runs, F&& f) {
  std::vector<double> all;
  for (int k = 0; k < runs; ++k) {
    const double begin = seconds_on_host();
    f();
    all.push_back(1e3 * (seconds_on_host() - begin));
  }
  return median(all);
}

/// The values of `count` systems: the matrix, its diagonal times 1 to 1.02.
template <class T>
std::vector<T> shifted(const csr<T>& a, int count) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> shift(1.0, 1.02);
  std::vector<T> all;
  all.reserve(a.val.size() * static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) {
    const T by = static_cast<T>(shift(random));
    for (index i = 0; i < a.rows; ++i)
      for (index at = a.row_ptr[static_cast<std::size_t>(i)];
           at < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++at) {
        const T value = a.val[static_cast<std::size_t>(at)];
        all.push_back(a.col[static_cast<std::size_t>(at)] == i ? value * by : value);
      }
  }
  return all;
}

struct request {
  device where = device::cpu();
  solve_options options;  // main() says with which preconditioner
  int count = 1000, runs = 9;
  double peer_us = 0;
};

template <class T>
void measure(const std::string& name, const csr<T>& a, const request& q) {
  const std::vector<T> values = shifted(a, q.count);
  const std::size_t n = static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(q.count);
  const std::vector<T> b(n, T(1));
  std::vector<T> x(n);
  std::vector<solve_setup> setups;
  const double setup = milliseconds(q.runs, [&] {
    const cg_batch<T> batch(q.where, a.view(), values, q.count, q.options);
    setups.push_back(batch.setup());
  });
  cg_batch<T> batch(q.where, a.view(), values, q.count, q.options);
  cg_batch_report report;
  std::vector<double> iterating;
  const auto noted = [&](cg_batch_report of) {
    iterating.push_back(1e3 * of.solve_s);
    report = std::move(of);
  };
  const double from_host = milliseconds(q.runs, [&] {
    std::fill(x.begin(), x.end(), T(0));
    noted(batch.solve(std::span<const T>(b), std::span<T>(x)));
  });
  double from_device = 0;
  if (q.where.on() == backend::cuda) {
    const buffer<T> there = buffer<T>::copy_of(q.where, b);
    buffer<T> answer(q.where, n);
    const int ordinal = q.where.ordinal();
    const std::vector<T> zeros(n);
    std::vector<double> all;
    for (int k = 0; k < q.runs; ++k) {
      answer.upload(zeros);
      memory_of(backend::cuda).finish(q.where);
      all.push_back(milliseconds(1, [&] {
        noted(batch.solve(device_span<const T>{there.data(), n, ordinal},
                          device_span<T>{answer.data(), n, ordinal}));
      }));
    }
    from_device = median(all);
  }
  std::vector<int> iterations;
  double sum = 0, residual = 0;
  for (const cg_batch_entry& e : report.systems) {
    iterations.push_back(e.iterations);
    sum += e.iterations;
    residual = std::max(residual, e.residual_relative_true);
  }
  std::sort(iterations.begin(), iterations.end());

  std::vector<T> one(static_cast<std::size_t>(a.rows));
  linear_solver<T> solver(q.where, a.view(), q.options);
  double alone = 0;
  for (int k = 0; k < q.runs; ++k) {
    std::fill(one.begin(), one.end(), T(0));
    const double us = solver.solve(std::span<const T>(b).first(one.size()), one).per_iteration_us;
    alone = k == 0 ? us : std::min(alone, us);
  }
  const double each = 1e3 * median(iterating) / std::max(sum, 1.0);
  const solve_setup& s = setups.back();
  fmt::print(
      "| {} | {} | {} | {} to {} | {:.2f} ({:.2f} + {:.2f} + {:.2f} + {:.2f} + {:.2f}) | {:.2f} | "
      "{:.2f} | {:.2f} | {:.2f} | {:.4f} | {:.2f} | {} | {} of {} | {:.1e} | {} |\n",
      name, a.rows, q.count, iterations.empty() ? 0 : iterations.front(),
      iterations.empty() ? 0 : iterations.back(), setup, 1e3 * s.check_s, 1e3 * s.upload_s,
      1e3 * s.plan_s, 1e3 * s.cut_s, 1e3 * s.load_s, median(iterating), from_host, from_device,
      1e3 * report.finish_s, each, alone,
      q.peer_us > 0 ? fmt::format("{:.0f}", q.peer_us / each) : std::string("-"), report.converged,
      q.count, residual, report.reason);
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  CLI::App app{"many small systems at once, on the first CUDA device or on the CPU"};
  std::vector<std::string> systems = {"poisson2d:45x44", "trefethen:2000"};
  request q;
  bool on_cpu = false, single = false, jacobi = false;
  int threads = 0;
  app.add_option("systems", systems, "generated systems (poisson2d:45x44) or .mtx files");
  app.add_option("--count", q.count, "systems of each kind")->check(CLI::PositiveNumber);
  app.add_option("--rtol", q.options.rtol, "relative tolerance");
  app.add_option("--runs", q.runs, "runs whose median counts")->check(CLI::PositiveNumber);
  app.add_option("--config", q.options.config, "which of the kernels; -1: as planned");
  app.add_option("--peer-us", q.peer_us, "the peer's time per iteration, in microseconds");
  app.add_flag("--f32", single, "in single precision");
  app.add_flag("--jacobi", jacobi, "with a Jacobi preconditioner");
  app.add_flag("--cpu", on_cpu, "on the CPU");
  app.add_option("--threads", threads, "of the CPU");
  CLI11_PARSE(app, argc, argv);
  if (!on_cpu && find_cuda().devices == 0) {
    fmt::print(stderr, "bench-batch: no CUDA device: {} (--cpu runs on the CPU)\n",
               find_cuda().reason);
    return 77;
  }
  q.where = on_cpu ? device::cpu(threads) : device::cuda(0);
  q.options.preconditioner = jacobi ? preconditioner::jacobi : preconditioner::none;
  fmt::print("{}, {}\n", q.where.facts().name, single ? "f32" : "f64");
  fmt::print(
      "| system | rows | count | iterations | set-up, ms (check + upload + plan + cut + load) | "
      "iterating, ms | host b, x | device b, x | after the iteration | us per iteration of a "
      "system | of a linear_solver | times the peer's rate | converged | largest true residual | "
      "plan "
      "|\n|{}\n",
      [] {
        std::string s;
        for (int k = 0; k < 15; ++k) s += "-|";
        return s;
      }());
  for (const std::string& system : systems) {
    const csr<double> a = system.find(".mtx") != std::string::npos
                              ? read_matrix(system).content.matrix
                              : generate(system);
    const std::string name = system.substr(system.rfind('/') + 1);
    if (single)
      measure(name, convert<float>(a.view()), q);
    else
      measure(name, a, q);
  }
  return 0;
}

}  // namespace
}  // namespace dwell

int main(int argc, char** argv) {
  try {
    return dwell::run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench-batch: {}\n", e.what());
    return 1;
  }
}
