// SPDX-License-Identifier: MIT
// bench-spmv: how much of a CPU's memory bandwidth dwell::product reaches, beside a plain triad
// loop and Eigen's product on the same threads. Triad: a[i] = b[i] + s * c[i], 24 bytes counted per
// element (two loads, one store; what the caches read to fill lines before a store is not counted).
// Products: A, x and y counted once each. Matrices well beyond the last-level cache show the
// memory, smaller ones what a call costs.
#include <fmt/format.h>
#if defined(DWELL_HAVE_EIGEN)
#include <Eigen/SparseCore>
#endif

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/device/device.hpp"
#include "dwell/formats/matrix_file.hpp"
#include "dwell/linear/product.hpp"

namespace dwell {
namespace {

struct spread {
  double median = 0, least = 0, most = 0;
};

spread spread_of(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  const std::size_t h = all.size() / 2;
  return {all.size() % 2 ? all[h] : 0.5 * (all[h - 1] + all[h]), all.front(), all.back()};
}

/// Each f() `runs` times, in turn, after one call that is not counted; f returns GB/s.
template <class... F>
std::array<spread, sizeof...(F)> repeat(int runs, F&&... f) {
  ((void)f(), ...);
  std::array<std::vector<double>, sizeof...(F)> all;
  for (int k = 0; k < runs; ++k) {
    std::size_t at = 0;
    (all[at++].push_back(f()), ...);
  }
  std::array<spread, sizeof...(F)> out;
  std::transform(all.begin(), all.end(), out.begin(), spread_of);
  return out;
}

/// The loop that STREAM (McCalpin 1995) calls triad. Every thread fills its own piece first, so
/// that the pages lie near the thread that uses them.
class triad {
 public:
  triad(std::size_t n, int threads)
      : n_(n), threads_(threads), a_(new double[n]), b_(new double[n]), c_(new double[n]) {
    for_parts(threads_, [&](int part) {
      const auto [begin, end] = piece(n_, part, threads_);
      std::fill(&a_[begin], &a_[end], 0.0);
      std::fill(&b_[begin], &b_[end], 1.0);
      std::fill(&c_[begin], &c_[end], 2.0);
    });
  }

  /// GB/s of `passes` passes. Threads start once; that they start is part of the time.
  double run(int passes) {
    const auto began = std::chrono::steady_clock::now();
    for_parts(threads_, [&](int part) {
      const auto [begin, end] = piece(n_, part, threads_);
      for (int pass = 0; pass < passes; ++pass) {
        double* __restrict a = a_.get();
        const double* __restrict b = b_.get();
        const double* __restrict c = c_.get();
        const double s = 3.0 + pass;
        for (std::size_t i = begin; i < end; ++i) a[i] = b[i] + s * c[i];
      }
    });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    const double expected = 1.0 + (3.0 + passes - 1) * 2.0;
    if (a_[0] != expected || a_[n_ / 2] != expected || a_[n_ - 1] != expected)
      throw error("triad: wrong result");
    return 24e-9 * static_cast<double>(n_) * passes / took.count();
  }

 private:
  std::size_t n_;
  int threads_;
  std::unique_ptr<double[]> a_, b_, c_;
};

/// Largest |y - A x| relative to |A| |x|, by a loop of the simplest kind.
double worst_error(const csr_view<double>& a, const std::vector<double>& x,
                   const std::vector<double>& y) {
  double worst = 0;
  for (index i = 0; i < a.rows; ++i) {
    double sum = 0, size = 0;
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const double term = a.val[k] * x[static_cast<std::size_t>(a.col[k])];
      sum += term;
      size += std::abs(term);
    }
    if (size > 0) worst = std::max(worst, std::abs(y[static_cast<std::size_t>(i)] - sum) / size);
  }
  return worst;
}

void print(const char* what, const spread& s, const std::string& remark) {
  fmt::print("{:<28} {:>8.2f} GB/s  ({:.2f} to {:.2f})  {}\n", what, s.median, s.least, s.most,
             remark);
}

int parse_and_run(int argc, char** argv) {
  std::vector<std::string> matrices = {"poisson3d:160x160x160", "like:af_1_k101"};
  int threads = 0, runs = 7;
  double at_least = 0;
  CLI::App app("Memory bandwidth of y = A x on a CPU, beside a triad loop and Eigen");
  app.name("bench-spmv");
  app.add_option("MATRIX", matrices, "Matrix Market files, or kinds of 'dwell generate'")
      ->capture_default_str();
  app.add_option("--threads", threads, "0: all that this process may use")->capture_default_str();
  app.add_option("--runs", runs, "Runs, after one that is not counted; medians are printed")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--at-least", at_least,
                 "End with code 2 if a ratio of the product to triad is lower than this");
  app.footer("Example:\n  bench-spmv like:ecology2 --threads 2");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 1;
  }

  const device cpu = device::cpu(threads);
  const device_facts facts = cpu.facts();
  // Four times the last-level cache for each of the three arrays, and not less than 64 MiB.
  const std::size_t array_bytes = std::max(4 * facts.l2, std::size_t{64} << 20);
  const int passes =
      static_cast<int>(std::max<std::size_t>(1, (std::size_t{1} << 30) / array_bytes));
  fmt::print("{}, {} threads, last-level cache {} MiB, {} runs each\n", facts.name, cpu.threads(),
             facts.l2 >> 20, runs);
  const spread plain = [&] {
    triad loop(array_bytes / sizeof(double), cpu.threads());
    return repeat(runs, [&] { return loop.run(passes); })[0];
  }();
  print("triad", plain, fmt::format("3 arrays of {} MiB, 24 bytes per element", array_bytes >> 20));

  bool enough = true;
  for (const std::string& name : matrices) {
    const csr<double> a = is_generated(name) ? generate(name) : read_matrix(name).content.matrix;
    std::vector<double> x(static_cast<std::size_t>(a.cols)), y(static_cast<std::size_t>(a.rows));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 + 0.25 * static_cast<double>(i % 7);
    // About a gigabyte per run, as the triad.
    const auto calls =
        static_cast<int>(std::max<std::size_t>(2, (std::size_t{1} << 30) / a.bytes()));
    product<double> multiply(cpu, a.view());
    const auto bytes = static_cast<double>(multiply.report().bytes);
    const auto rate = [&](auto&& one) {
      const auto began = std::chrono::steady_clock::now();
      for (int k = 0; k < calls; ++k) one();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
      return 1e-9 * bytes * calls / took.count();
    };
    const auto dwells = [&] { return rate([&] { multiply.apply(x, y); }); };
#if defined(DWELL_HAVE_EIGEN)
    Eigen::setNbThreads(cpu.threads());
    const Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, index>> matrix(
        a.rows, a.cols, a.nonzeros(), a.row_ptr.data(), a.col.data(), a.val.data());
    const Eigen::Map<const Eigen::VectorXd> from(x.data(), a.cols);
    Eigen::VectorXd to(a.rows);
    const auto [mine, theirs] =
        repeat(runs, dwells, [&] { return rate([&] { to.noalias() = matrix * from; }); });
#else
    const spread mine = repeat(runs, dwells)[0];
#endif
    const double error = worst_error(a.view(), x, y);
    if (!(error < 1e-13))
      throw dwell::error(fmt::format("{}: the product is wrong by {:.1e}", name, error));
    const double ratio = mine.median / plain.median;
    print(("product " + name).c_str(), mine,
          fmt::format("{} rows, {} nonzeros, {} MiB, {} threads; {:.2f} us; {:.2f} of triad{}",
                      a.rows, a.nonzeros(), a.bytes() >> 20, multiply.report().teams,
                      1e-3 * bytes / mine.median, ratio,
                      a.bytes() < 2 * facts.l2 ? " (may be helped by the cache)" : ""));
#if defined(DWELL_HAVE_EIGEN)
    print(("Eigen " + name).c_str(), theirs,
          fmt::format("{:.2f} us; the product is {:.2f} times as fast, {:.2f} by the best of each",
                      1e-3 * bytes / theirs.median, mine.median / theirs.median,
                      mine.most / theirs.most));
#endif
    enough = enough && ratio >= at_least;
  }
  return enough ? 0 : 2;
}

}  // namespace
}  // namespace dwell

int main(int argc, char** argv) {
  try {
    return dwell::parse_and_run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench-spmv: {}\n", e.what());
    return 1;
  }
}
