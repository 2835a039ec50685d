// SPDX-License-Identifier: MIT
// bench-product: y = A x on a GPU by dwell::product and by cuSPARSE's generic interface, both made
// ready once, x and y in the GPU's memory. Products of each follow each other in a stream, and
// again recorded in a CUDA graph, where no launch waits for the host. Answers are compared with a
// plain loop.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cusparse_product.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/formats/matrix_file.hpp"
#include "dwell/linear/product.hpp"

namespace dwell {
namespace {

using peers::check;

/// Microseconds of one call: the median of `runs` rounds of `calls` calls each, after one round
/// that is not counted.
double microseconds(int runs, int calls, cudaStream_t stream, const std::function<void()>& round) {
  peers::event_handle begin, end;
  check(cudaEventCreate(begin.out()), "cudaEventCreate");
  check(cudaEventCreate(end.out()), "cudaEventCreate");
  std::vector<double> all;
  for (int r = -1; r < runs; ++r) {
    check(cudaEventRecord(begin.get(), stream), "cudaEventRecord");
    round();
    check(cudaEventRecord(end.get(), stream), "cudaEventRecord");
    check(cudaEventSynchronize(end.get()), "cudaEventSynchronize");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin.get(), end.get()), "cudaEventElapsedTime");
    if (r >= 0) all.push_back(1e3 * ms / calls);
  }
  std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
  return all[all.size() / 2];
}

struct timing {
  double launched = 0, graph = 0;  ///< us per product
};

timing time_of(int runs, int calls, cudaStream_t stream, const std::function<void()>& one) {
  const auto round = [&] {
    for (int k = 0; k < calls; ++k) one();
  };
  timing t;
  t.launched = microseconds(runs, calls, stream, round);
  peers::graph_handle graph;
  peers::graph_exec_handle exec;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  round();
  check(cudaStreamEndCapture(stream, graph.out()), "cudaStreamEndCapture");
  check(cudaGraphInstantiate(exec.out(), graph.get(), 0), "cudaGraphInstantiate");
  t.graph = microseconds(runs, calls, stream,
                         [&] { check(cudaGraphLaunch(exec.get(), stream), "cudaGraphLaunch"); });
  return t;
}

/// Largest |y - A x| relative to |A| |x|.
double worst_error(const csr<double>& a, const std::vector<double>& x, const double* on_device) {
  std::vector<double> y(static_cast<std::size_t>(a.rows));
  check(cudaMemcpy(y.data(), on_device, y.size() * sizeof(double), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  double worst = 0;
  for (index i = 0; i < a.rows; ++i) {
    double sum = 0, size = 0;
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const double term = a.val[static_cast<std::size_t>(k)] *
                          x[static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)])];
      sum += term;
      size += std::abs(term);
    }
    const double off = std::abs(y[static_cast<std::size_t>(i)] - sum);
    worst = std::max(worst, size > 0 ? off / size : off);
  }
  return worst;
}

void compare(const std::string& name, int runs, int calls) {
  const csr<double> a = is_generated(name) ? generate(name) : read_matrix(name).content.matrix;
  if (a.rows != a.cols)
    throw input_error(
        fmt::format("{}: expected a square matrix, found {} x {}", name, a.rows, a.cols));
  std::vector<double> x(static_cast<std::size_t>(a.cols));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 + 0.25 * static_cast<double>(i % 7);
  peers::stream_handle stream;
  check(cudaStreamCreate(stream.out()), "cudaStreamCreate");
  const peers::device_array<double> dx(std::span<const double>(x.data(), x.size())),
      dy(static_cast<std::size_t>(a.rows));
  const peers::device_array<index> row_ptr(
      std::span<const index>(a.row_ptr.data(), a.row_ptr.size())),
      col(std::span<const index>(a.col.data(), a.col.size()));
  const peers::device_array<double> val(std::span<const double>(a.val.data(), a.val.size()));

  product<double> mine(device::cuda(0).on_stream(stream.get()), a.view());
  const device_span<const double> from{dx.get(), x.size()};
  const device_span<double> to{dy.get(), static_cast<std::size_t>(a.rows)};
  const timing dwells = time_of(runs, calls, stream.get(), [&] { mine.apply_async(from, to); });
  const double error = worst_error(a, x, dy.get());
  if (!(error < 1e-13)) throw dwell::error(fmt::format("{}: wrong by {:.1e}", name, error));

  peers::cusparse_handle library;
  check(cusparseCreate(library.out()), "cusparseCreate");
  check(cusparseSetStream(library.get(), stream.get()), "cusparseSetStream");
  peers::vector_handle p, q;
  check(cusparseCreateDnVec(p.out(), a.cols, dx.get(), CUDA_R_64F), "cusparseCreateDnVec");
  check(cusparseCreateDnVec(q.out(), a.rows, dy.get(), CUDA_R_64F), "cusparseCreateDnVec");
  const peers::device_csr there{a.rows, a.nonzeros(), row_ptr.get(), col.get(), val.get()};
  timing best;
  const char* algorithm = "";
  for (const auto which : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}) {
    const peers::cusparse_product theirs(library.get(), there, p.get(), q.get(), which);
    const timing t = time_of(runs, calls, stream.get(), [&] { theirs(); });
    if (best.graph == 0 || t.graph < best.graph) best = t, algorithm = theirs.name();
  }
  const double gigabytes = 1e-3 * static_cast<double>(mine.report().bytes);
  fmt::print(
      "{:<24} {:>9} {:>10}  {:>8.2f} {:>8.2f}  {:>8.2f} {:>8.2f}  {:<8}  {:>5.2f}  {:>7.0f}\n",
      name, a.rows, a.nonzeros(), dwells.launched, dwells.graph, best.launched, best.graph,
      algorithm, best.graph / dwells.graph, gigabytes / dwells.graph);
}

int parse_and_run(int argc, char** argv) {
  std::vector<std::string> matrices = {
      "trefethen:2000",        "poisson2d:300x300", "poisson2d:1000x1000", "poisson3d:60x60x60",
      "poisson3d:160x160x160", "like:ecology2",     "like:af_1_k101"};
  int runs = 15, calls = 200;
  CLI::App app("y = A x on a GPU by dwell::product and by cuSPARSE");
  app.name("bench-product");
  app.add_option("MATRIX", matrices, "Matrix Market files, or kinds of 'dwell generate'")
      ->capture_default_str();
  app.add_option("--runs", runs, "Rounds, after one that is not counted; medians are printed")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--calls", calls, "Products in a round")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 1;
  }
  fmt::print("{}, f64, us per product, medians of {} rounds of {} products\n",
             device::cuda(0).facts().name, runs, calls);
  fmt::print("{:<24} {:>9} {:>10}  {:>8} {:>8}  {:>8} {:>8}  {:<8}  {:>5}  {:>7}\n", "matrix",
             "rows", "nonzeros", "dwell", "in graph", "cuSPARSE", "in graph", "its best", "ratio",
             "GB/s");
  for (const std::string& name : matrices) compare(name, runs, calls);
  return 0;
}

}  // namespace
}  // namespace dwell

int main(int argc, char** argv) {
  try {
    return dwell::parse_and_run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench-product: {}\n", e.what());
    return 1;
  }
}
