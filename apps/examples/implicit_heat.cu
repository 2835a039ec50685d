// SPDX-License-Identifier: MIT
// implicit_heat: implicit time steps of the heat equation with all data on the GPU. Backward Euler,
// (1 + dt L) u' = u + dt f, on a square plate whose border is cold, heated by a source that moves:
// a kernel of the program's own writes the right-hand side, and one prepared solver does 100 steps
// in the program's stream.
#include <cuda_runtime.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <dwell/core.hpp>
#include <exception>
#include <stdexcept>
#include <vector>

namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <class T>
struct device_array {
  explicit device_array(std::size_t n) : size(n) { check(cudaMalloc(&data, n * sizeof(T))); }
  explicit device_array(const std::vector<T>& from) : device_array(from.size()) {
    check(cudaMemcpy(data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~device_array() { cudaFree(data); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  T* data = nullptr;
  std::size_t size;
};

/// b = u + dt f(t), where f is 1 in a disc that goes round; the border is not part of u.
__global__ void right_hand_side(int n, double dt, double t, const double* u, double* b) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  const double h = 1.0 / (n + 1), dx = (x + 1) * h - 0.5 - 0.3 * cos(t),
               dy = (y + 1) * h - 0.5 - 0.3 * sin(t);
  const int i = y * n + x;
  b[i] = u[i] + (dx * dx + dy * dy < 0.01 ? dt : 0.0);
}

/// 1 + dt L of an n x n plate, by rows.
dwell::csr<double> implicit_matrix(int n, double dt) {
  const double k = dt * (n + 1) * (n + 1);  // dt / h^2
  dwell::csr<double> a;
  a.rows = a.cols = n * n;
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      const auto put = [&](bool there, int column, double value) {
        if (there) a.col.push_back(column), a.val.push_back(value);
      };
      const int i = y * n + x;
      put(y > 0, i - n, -k);
      put(x > 0, i - 1, -k);
      put(true, i, 1 + 4 * k);
      put(x < n - 1, i + 1, -k);
      put(y < n - 1, i + n, -k);
      a.row_ptr.push_back(static_cast<int>(a.col.size()));
    }
  return a;
}

int run(int n) {
  constexpr int steps = 100;
  constexpr double dt = 1e-3;
  const dwell::csr<double> a = implicit_matrix(n, dt);
  const auto unknowns = static_cast<std::size_t>(a.rows);
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  int status = 0;
  {
    dwell::solve_options options;
    options.preconditioner = dwell::preconditioner::jacobi;
    dwell::linear_solver<double> solver(dwell::device::cuda(0).on_stream(stream), a.view(),
                                        options);
    device_array<double> u(std::vector<double>(unknowns, 0.0)), b(unknowns);
    const dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);

    const auto begin = std::chrono::steady_clock::now();
    int iterations = 0;
    double worst = 0;
    for (int step = 1; step <= steps; ++step) {
      right_hand_side<<<grid, block, 0, stream>>>(n, dt, 0.1 * step, u.data, b.data);
      check(cudaGetLastError());
      // The field is the start vector, and then the next field.
      const dwell::solve_report report =
          solver.solve(dwell::device_span<const double>{b.data, b.size},
                       dwell::device_span<double>{u.data, u.size});
      if (report.stopped != dwell::stop_reason::converged)
        throw std::runtime_error("step " + std::to_string(step) + ": " +
                                 dwell::to_string(report.stopped));
      iterations += report.iterations;
      worst = std::fmax(worst, report.residual_relative_true);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;

    std::vector<double> field(unknowns);
    check(cudaMemcpy(field.data(), u.data, unknowns * sizeof(double), cudaMemcpyDeviceToHost));
    double heat = 0;
    for (const double v : field) heat += v;
    heat /= static_cast<double>(n + 1) * (n + 1);
    const double added = steps * dt * 0.0314159;  // what of it is left was not lost at the border
    std::printf(
        "%d x %d: set up in %.3g ms, %d steps of %.3g us (%d iterations in all, residuals "
        "up to %.1e), heat %.6f of %.6f added\n",
        n, n, 1e3 * solver.setup().total(), steps, 1e6 * took.count() / steps, iterations, worst,
        heat, added);
    status = worst <= 1e-7 && heat > 0 && heat < added ? 0 : 2;
  }
  check(cudaStreamDestroy(stream));
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? std::atoi(argv[1]) : 500);
  } catch (const std::exception& e) {  // no GPU, ...
    std::fprintf(stderr, "implicit_heat: %s\n", e.what());
    return 1;
  }
}
