// SPDX-License-Identifier: MIT
// What an iteration costs with a matrix of more than 2^31 - 1 nonzeros, beside one of fewer, whose
// row pointers have 32 bits (docs/results/cg-h200.md):
//
//   large_matrix_rates N ITERATIONS [EXECUTOR]   cg without a preconditioner, poisson3d of N x N x
//   N
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/linear_solver.hpp"

namespace dwell {
namespace {

/// Arrays that take pages as threads write them.
template <class V>
std::unique_ptr<V[]> unset(std::int64_t n) {
  return std::unique_ptr<V[]>(new V[static_cast<std::size_t>(n)]);
}

template <class Offset>
struct laplacian {
  index n, rows;
  std::unique_ptr<Offset[]> row_ptr;
  std::unique_ptr<index[]> col;
  std::unique_ptr<double[]> val;

  explicit laplacian(const row_source& of, index points)
      : n(points),
        rows(n * n * n),
        row_ptr(unset<Offset>(std::int64_t{rows} + 1)),
        col(unset<index>(of.nonzeros())),
        val(unset<double>(of.nonzeros())) {
    const int threads = default_threads();
    for_parts(threads, [&](int part) {
      const auto [first, last] = piece(n, part, threads);
      for (index z = first; z < last; ++z) fill_plane(z, of.row_ptr(std::int64_t{z} * n * n));
    });
    row_ptr[static_cast<std::size_t>(rows)] = static_cast<Offset>(of.nonzeros());
  }
  csr_view<double, Offset> view() const {
    return {rows, rows, row_ptr.get(), col.get(), val.get()};
  }

 private:
  void fill_plane(index z, std::int64_t k) {
    const auto put = [&](bool there, index column, double value) {
      if (!there) return;
      col[static_cast<std::size_t>(k)] = column;
      val[static_cast<std::size_t>(k++)] = value;
    };
    for (index y = 0; y < n; ++y)
      for (index x = 0; x < n; ++x) {
        const index i = (z * n + y) * n + x;
        row_ptr[static_cast<std::size_t>(i)] = static_cast<Offset>(k);
        put(z > 0, i - n * n, -1);
        put(y > 0, i - n, -1);
        put(x > 0, i - 1, -1);
        put(true, i, 6);
        put(x + 1 < n, i + 1, -1);
        put(y + 1 < n, i + n, -1);
        put(z + 1 < n, i + n * n, -1);
      }
  }
};

template <class Offset>
void rate(const row_source& of, index n, const solve_options& o) {
  double making = 0;
  const laplacian<Offset> a = [&] {
    const lap_timer time(making);
    return laplacian<Offset>(of, n);
  }();
  linear_solver<double> solver(device::cuda(0), a.view(), o);
  const solve_setup& s = solver.setup();
  const auto rows = static_cast<std::size_t>(a.rows);
  const std::vector<double> b(rows, 1.0);
  std::vector<double> x(rows);
  const solve_report r = solver.solve(std::span<const double>(b), std::span<double>(x));
  const double nonzeros = static_cast<double>(of.nonzeros());
  fmt::print(
      "{0}x{0}x{0}: {1:.4g} nonzeros, {2} bits; made {3:.1f} s, upload {4:.1f}, check {5:.2f}, cut "
      "{6:.2f}; {7} iterations of {8:.1f} us, {9:.3f} ns per 1000 nonzeros, {10:.0f} GB/s; "
      "residual "
      "{11:.3e} true {12:.3e}; {13}\n",
      n, nonzeros, 8 * sizeof(Offset), making, s.upload_s, s.check_s, s.cut_s, r.iterations,
      r.per_iteration_us, 1e6 * r.per_iteration_us / nonzeros,
      1e-3 * static_cast<double>(r.bytes_per_iteration) / r.per_iteration_us,
      r.residual_relative_recursive, r.residual_relative_true, r.reason);
}

}  // namespace
}  // namespace dwell

int main(int argc, char** argv) {
  using namespace dwell;
  if (argc < 3) return std::fputs("large_matrix_rates N ITERATIONS [EXECUTOR]\n", stderr), 1;
  try {
    const int n = std::atoi(argv[1]);
    solve_options o;
    o.method = "cg";
    o.preconditioner = preconditioner::none;
    o.max_iterations = std::atoi(argv[2]);
    o.fixed_iterations = true;
    if (argc > 3) o.executor = argv[3];
    const auto of = generate_by_rows(fmt::format("poisson3d:{0}x{0}x{0}", n));
    if (of->nonzeros() <= 0x7fffffff)
      rate<dwell::index>(*of, n, o);
    else
      rate<std::int64_t>(*of, n, o);
    return 0;
  } catch (const error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
