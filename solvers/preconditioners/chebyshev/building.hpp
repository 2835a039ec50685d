// SPDX-License-Identifier: MIT
// The set-up of Chebyshev polynomials as a sequence of loops, for setup_loops of either backend.
// Included by the files that do it on one.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "dwell/solvers/preconditioners/chebyshev/chebyshev.hpp"
#include "dwell/solvers/preconditioners/chebyshev/steps.hpp"
#include "dwell/solvers/preconditioners/sequences/set_up.hpp"

namespace dwell::chebyshev {

inline constexpr int lanczos_steps = 12;

/// Lanczos' tridiagonal matrix: its diagonal, and what stands beside it.
struct tridiagonal {
  std::vector<double> diagonal, beside;
};
/// From what the iteration has seen, and a bound of the largest eigenvalue.
interval choose_interval(const tridiagonal& seen, double bound, int degree);

template <class Loops>
class builder : sequences::set_up<Loops> {
  using base = sequences::set_up<Loops>;
  using base::fetched, base::loops, base::where;

 public:
  using base::base;

  template <class T>
  interval find_interval(const csr_arrays<T>& given, int degree) {
    buffer<double> own_values, root;
    const rows_f64 a = this->take(given, own_values);
    this->find_diagonal_roots(a, root);
    return interval_of(a, root.data(), degree);
  }

  template <class T>
  prepared_preconditioner build(const csr_arrays<T>& given, const preconditioner_options& o) {
    buffer<double> own_values, root;
    const rows_f64 a = this->take(given, own_values);
    const index n = a.rows, nonzeros = given.nonzeros;
    const double unit_root = std::ldexp(1.0, this->find_diagonal_roots(a, root));
    const interval in = interval_of(a, root.data(), o.degree);
    const double theta = 0.5 * (in.most + in.least), delta = 0.5 * (in.most - in.least);
    const double sigma = theta / delta;
    double rho = 1.0 / sigma, next = 1.0 / (2.0 * sigma - rho);

    buffer<double> shifted = this->template allocated<double>(nonzeros),
                   first = this->template allocated<double>(nonzeros),
                   inverse = this->template allocated<double>(n);
    loops.items(n, sequences::rows_per_thread,
                fill_matrices{a, root.data(), theta, unit_root, 2.0 * next / delta, shifted.data(),
                              first.data(), inverse.data()});
    buffer<index> count = this->template allocated<index>(n + 1);
    loops.items(n + 1, sequences::rows_per_thread, sequences::count_up{count.data()});

    enum : int { r, g, z, other_z, vectors };
    sequences::linker to(where, n, vectors);
    const bool one = o.degree == 1;
    if (!one)
      to.add(this->slices(n, n, count.data(), count.data(), inverse.data()), to.vector(r),
             to.vector(g));
    to.add(this->slices(n, nonzeros, a.row_ptr, a.col, first.data()), to.vector(r),
           one ? nullptr : to.vector(z));
    to.end_phase();
    std::shared_ptr<owned_slices> again;
    if (!one) again = this->slices(n, nonzeros, a.row_ptr, a.col, shifted.data());
    int now = z, before = other_z;
    for (int k = 2; k <= o.degree; ++k, std::swap(now, before)) {
      rho = std::exchange(next, 1.0 / (2.0 * sigma - next));
      const double alpha = 2.0 * next / delta, beta = next * rho;
      sparse_product& step =
          to.add(again, to.vector(now), k == o.degree ? nullptr : to.vector(before), to.vector(g));
      step.scale = static_cast<float>(alpha);
      if (k == 2) {  // z_1 = g / theta
        step.add_scale = static_cast<float>(alpha - beta / theta);
      } else {  // z_j+1 takes the place of z_j-1
        step.add_scale = static_cast<float>(alpha);
        step.more = to.vector(before);
        step.more_scale = static_cast<float>(-beta);
      }
      to.end_phase();
    }
    prepared_preconditioner out;
    out.products = to.take();
    out.parts = {{"D^-1 A", n, nonzeros}};
    return out;
  }

 private:
  interval interval_of(const rows_f64& a, const double* root, int degree) {
    buffer<row_bounds> bounds(where, 1);
    loops.items(a.rows, sequences::rows_per_thread, find_bounds{a, root, bounds.data()});
    const tridiagonal seen = iterate(a, root);
    const row_bounds found = fetched(bounds.data());
    return choose_interval(seen, std::min(double_of(found.by_row), double_of(found.scaled)),
                           degree);
  }
  static double double_of(std::uint64_t bits) {
    double v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
  }

  double dot(const double* x, const double* y, index n, buffer<double>& partial) {
    const index pieces = static_cast<index>(partial.size());
    loops.items(pieces, sequences::rows_per_thread / sum_piece,
                sum_products{x, y, n, partial.data()});
    sums_.resize(partial.size());
    loops.fetch(sums_.data(), partial.data(), sums_.size() * sizeof(double));
    double sum = 0.0;
    for (const double s : sums_) sum += s;
    return sum;
  }
  /// Lanczos' iteration (Saad 2003, algorithm 6.15) on D^-1/2 A D^-1/2.
  tridiagonal iterate(const rows_f64& a, const double* root) {
    const index n = a.rows;
    buffer<double> before(where, static_cast<std::size_t>(n)),
        v = this->template allocated<double>(n), w = this->template allocated<double>(n);
    buffer<double> partial = this->template allocated<double>((n - 1) / sum_piece + 1);
    loops.items(n, sequences::rows_per_thread, begin_lanczos{v.data()});
    const double size = std::sqrt(dot(v.data(), v.data(), n, partial));
    loops.items(n, sequences::rows_per_thread, multiply_by{1.0 / size, v.data()});
    tridiagonal seen;
    double beta = 0.0;
    const int steps = static_cast<int>(std::min<index>(n, lanczos_steps));
    for (int k = 0; k < steps; ++k) {
      loops.items(n, sequences::rows_per_thread,
                  multiply_scaled{a, root, v.data(), before.data(), beta, w.data()});
      const double alpha = dot(w.data(), v.data(), n, partial);
      loops.items(n, sequences::rows_per_thread, subtract_multiple{alpha, v.data(), w.data()});
      beta = std::sqrt(dot(w.data(), w.data(), n, partial));
      seen.diagonal.push_back(alpha);
      if (k + 1 == steps || !(beta > 1e-10)) break;  // an invariant space
      seen.beside.push_back(beta);
      loops.items(n, sequences::rows_per_thread, multiply_by{1.0 / beta, w.data()});
      std::swap(before, v);
      std::swap(v, w);
    }
    return seen;
  }

  std::vector<double> sums_;
};

}  // namespace dwell::chebyshev
