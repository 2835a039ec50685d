// SPDX-License-Identifier: MIT
// bench-prepare: what a prepared solver (linear_solver) saves. For each system: the set-up in its
// parts, from host arrays and from device arrays, one dwell::solve() from arrays to answer, and
// solves of the prepared solver with vectors of the host and of the device. Milliseconds on the
// host's clock, medians of several runs; the first row also has the first use of the process.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/formats/matrix_file.hpp"
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

template <class T>
class device_copy {
 public:
  explicit device_copy(const std::vector<T>& from) : size_(from.size()) {
    void* made = nullptr;
    DWELL_CUDA(cudaMalloc(&made, size_ * sizeof(T)));
    data_ = static_cast<T*>(made);
    DWELL_CUDA(cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~device_copy() { cudaFree(data_); }
  device_copy(const device_copy&) = delete;
  device_copy& operator=(const device_copy&) = delete;
  T* data() const { return data_; }
  device_span<T> span() const { return {data_, size_, 0}; }
  void zero() { DWELL_CUDA(cudaMemset(data_, 0, size_ * sizeof(T))); }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

std::string parts(const solve_setup& s) {
  return fmt::format("{:.2f} + {:.2f} + {:.2f} + {:.2f} + {:.2f} + {:.2f}", 1e3 * s.check_s,
                     1e3 * s.upload_s, 1e3 * s.plan_s, 1e3 * s.cut_s, 1e3 * s.preconditioner_s,
                     1e3 * s.load_s);
}

void measure(const std::string& name, const csr<double>& a, const solve_options& o, int runs) {
  const device gpu = device::cuda(0);
  const auto n = static_cast<std::size_t>(a.rows);
  const std::vector<double> b(n, 1.0);
  std::vector<double> x(n);
  const auto zero = [&] { std::fill(x.begin(), x.end(), 0.0); };
  const auto context = [] { DWELL_CUDA(cudaFree(nullptr)); };
  const double of_context = milliseconds(1, context);
  zero();
  solve_report first;
  const double of_first = milliseconds(1, [&] { first = solve(gpu, a.view(), b, x, o); });

  std::vector<solve_setup> setups;
  const double host_setup = milliseconds(runs, [&] {
    const linear_solver<double> solver(gpu, a.view(), o);
    setups.push_back(solver.setup());
  });
  const device_copy<index> row_ptr(a.row_ptr), col(a.col);
  const device_copy<double> val(a.val), device_b(b);
  device_copy<double> device_x(x);
  const device_csr_view<double> view{a.rows,     a.cols, a.nonzeros(), row_ptr.data(), col.data(),
                                     val.data(), 0};
  std::vector<solve_setup> device_setups;
  const double device_setup = milliseconds(runs, [&] {
    const linear_solver<double> solver(gpu, view, o);
    device_setups.push_back(solver.setup());
  });
  solve_report report;
  const double whole = milliseconds(runs, [&] {
    zero();
    report = solve(gpu, a.view(), b, x, o);
  });
  linear_solver<double> solver(gpu, a.view(), o);
  solve_report host_solve, device_solve;
  const double from_host = milliseconds(runs, [&] {
    zero();
    host_solve = solver.solve(std::span<const double>(b), std::span<double>(x));
  });
  const double from_device = milliseconds(runs, [&] {
    device_x.zero();
    device_solve = solver.solve(device_b.span(), device_x.span());
  });
  const double update =
      milliseconds(runs, [&] { solver.update_values(std::span<const double>(a.val)); });
  fmt::print(
      "| {} | {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | "
      "{:.1f} + {:.1f} | {} | {} | {:.1e} |\n",
      name, a.rows, report.iterations, 1e3 * host_solve.solve_s, host_setup, device_setup, whole,
      from_host, from_device, update, 1e3 * host_solve.finish_s, of_context, of_first,
      parts(setups.back()), parts(device_setups.back()), report.residual_relative_true);
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  CLI::App app{"what a prepared solver saves, on the first CUDA device"};
  std::vector<std::string> systems;
  solve_options o;
  o.preconditioner = preconditioner::none;
  int runs = 9;
  app.add_option("systems", systems, "generated systems (poisson3d:100x100x100) or .mtx files")
      ->required();
  app.add_option("--rtol", o.rtol, "relative tolerance");
  std::string preconditioner = to_string(o.preconditioner);
  app.add_option("--preconditioner", preconditioner, "as of dwell");
  app.add_option("--runs", runs, "runs whose median counts")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  o.preconditioner = parse_preconditioner(preconditioner);
  if (find_cuda().devices == 0) {
    fmt::print(stderr, "bench-prepare: no CUDA device: {}\n", find_cuda().reason);
    return 77;
  }
  fmt::print("{}\n", device::cuda(0).facts().name);
  fmt::print(
      "| system | rows | iterations | iterating, ms | set-up, host arrays | device arrays | "
      "dwell::solve | prepared, host b, x | prepared, device b, x | update_values | after "
      "the iteration | context + first solve | check + upload + plan + cut + preconditioner + load "
      "| the "
      "same, device arrays | true residual |\n|{}\n",
      [] {
        std::string s;
        for (int k = 0; k < 15; ++k) s += "-|";
        return s;
      }());
  for (const std::string& system : systems) {
    const csr<double> a = system.find(".mtx") != std::string::npos
                              ? read_matrix(system).content.matrix
                              : generate(system);
    measure(system.substr(system.rfind('/') + 1), a, o, runs);
  }
  return 0;
}

}  // namespace
}  // namespace dwell

int main(int argc, char** argv) {
  try {
    return dwell::run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench-prepare: {}\n", e.what());
    return 1;
  }
}
