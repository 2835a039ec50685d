// SPDX-License-Identifier: MIT
// own_method: an iterative method of one's own, which Dwell has never heard of, under every
// executor. Richardson's iteration x += omega (b - A x) for the Laplacian of a square; each answer
// is compared with that of a plain loop.
#include <dwell/custom_program.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

/// x += omega (b - A x), until |b - A x| is small: a product, and an update with a sum.
struct richardson {
  static constexpr const char* name = "richardson";
  enum : int { x, b, q, vectors };
  static constexpr dwell::use uses[vectors] = {dwell::use::gather, dwell::use::own,
                                               dwell::use::own};
  using in_registers = dwell::vector_list<b>;
  using results = dwell::vector_list<x>;
  enum : int { rr, sum_count };
  static constexpr bool whole_rows = true;
  static constexpr int phases = 2;

  enum outcome : int { running, converged, step_limit, interrupted };
  struct scalars {
    int step = 0;
    int stop = running;
    int most_steps = 10000;
    double omega = 0;
    double tolerance = 0;  ///< limit of |b - A x|
    double residual = 0;
  };

  template <int Phase, class T, class Workspace>
  DWELL_HD static void phase(Workspace& s, scalars& m) {
    using namespace dwell;
    if constexpr (Phase == 0) {
      s.poll();
      s.multiply(reads<x>{}, writes<q>{});
      s.each_owned(reads<b, q>{}, writes<>{}, adds_to<rr>{}, [](T* v, double* sum) {
        const double r = v[b] - v[q];
        sum[0] = std::fma(r, r, sum[0]);
      });
    } else {
      const double square = s.total(sum_of<rr>{}, with_interrupt{}).v[0];
      s.note(m.step, square);
      m.residual = std::sqrt(square);
      if (m.residual <= m.tolerance)
        m.stop = converged;
      else if (m.step >= m.most_steps)
        m.stop = step_limit;
      else if (s.interrupted())
        m.stop = interrupted;
      if (m.stop != running) return;
      ++m.step;
      const T omega = static_cast<T>(m.omega);
      s.each_owned(reads<x, b, q>{}, writes<x>{},
                   [=](T* v) { v[x] = std::fma(omega, v[b] - v[q], v[x]); });
    }
  }
};

namespace {

/// The Laplacian of side x side cells, five points each.
struct laplacian {
  std::vector<dwell::index> row_ptr{0}, col;
  std::vector<double> val;
  dwell::index rows = 0;

  explicit laplacian(dwell::index side) : rows(side * side) {
    for (dwell::index y = 0; y < side; ++y)
      for (dwell::index x = 0; x < side; ++x) {
        const auto put = [&](dwell::index dy, dwell::index dx, double v) {
          if (y + dy < 0 || y + dy >= side || x + dx < 0 || x + dx >= side) return;
          col.push_back((y + dy) * side + x + dx);
          val.push_back(v);
        };
        put(-1, 0, -1), put(0, -1, -1), put(0, 0, 4), put(0, 1, -1), put(1, 0, -1);
        row_ptr.push_back(static_cast<dwell::index>(col.size()));
      }
  }
  dwell::csr_view<double> view() const {
    return {rows, rows, row_ptr.data(), col.data(), val.data()};
  }
};

/// Plain loops. Returns the steps.
int by_loops(const laplacian& a, const std::vector<double>& b, std::vector<double>& x,
             const richardson::scalars& start) {
  std::vector<double> r(b.size());
  for (int step = 0;; ++step) {
    double square = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      double product = 0;
      for (auto k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
        product += a.val[static_cast<std::size_t>(k)] *
                   x[static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)])];
      r[i] = b[i] - product;
      square += r[i] * r[i];
    }
    if (std::sqrt(square) <= start.tolerance || step >= start.most_steps) return step;
    for (std::size_t i = 0; i < b.size(); ++i) x[i] += start.omega * r[i];
  }
}

bool check(const char* executor, const laplacian& a, const std::vector<double>& b,
           const richardson::scalars& start, const std::vector<double>& expected, int steps) {
  dwell::program_options options;
  options.executor = executor;
  options.teams = 2;
  dwell::program_runner<richardson> runner(dwell::device::cpu(2), a.view(), options);
  runner.set_vector(richardson::b, b);
  const auto end = runner.run(start);
  std::vector<double> x(b.size());
  runner.vector(richardson::x, x);
  double difference = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    difference = std::max(difference, std::abs(x[i] - expected[i]));
  std::printf("%-10s  %d steps, residual %.2e, %.1e from the plain loop; %s\n", executor, end.step,
              end.residual, difference, runner.report().reason.c_str());
  // Sums have another order than those of the loop: the last step may be the one before or after.
  return end.stop == richardson::converged && std::abs(end.step - steps) <= 1 && difference < 1e-6;
}

}  // namespace

int main() try {
  const laplacian a(20);
  const std::vector<double> b(static_cast<std::size_t>(a.rows), 1.0);
  richardson::scalars start;
  start.omega = 0.25;
  start.tolerance = 1e-6;
  std::vector<double> expected(b.size());
  const int steps = by_loops(a, b, expected, start);
  bool good = true;
  for (const char* executor : {"host-loop", "persistent", "perks"})
    good = check(executor, a, b, start, expected, steps) && good;
  return good ? 0 : 2;
} catch (const dwell::error& e) {
  std::fprintf(stderr, "own_method: %s\n", e.what());
  return 1;
}
