// SPDX-License-Identifier: MIT
// Programs that Dwell does not know, as a user writes them, and the same by plain loops: one whose
// products are whole, one whose rows are cut between teams, one with vectors worth registers.
#pragma once
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "dwell/custom_program.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell::test {

/// y = A x, rows summed in double.
template <class T>
std::vector<double> product_by_loops(const csr_view<T>& a, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(a.rows));
  for (index row = 0; row < a.rows; ++row)
    for (index k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k)
      y[static_cast<std::size_t>(row)] +=
          static_cast<double>(a.val[k]) * x[static_cast<std::size_t>(a.col[k])];
  return y;
}

/// What all of them have.
struct fixed_steps {
  enum outcome : int { running, done, interrupted };
  struct scalars {
    int step = 0;
    int stop = running;
    int steps = 10;
    double omega = 0;
    double value = 0;  ///< value of the program's own
  };
};

/// x += omega (b - A x).
struct plain_richardson : fixed_steps {
  static constexpr const char* name = "plain-richardson";
  enum : int { x, b, q, vectors };
  static constexpr use uses[vectors] = {use::gather, use::own, use::own};
  using in_registers = vector_list<>;
  using results = vector_list<x>;
  enum : int { rr, sum_count };
  static constexpr bool whole_rows = true;
  static constexpr int phases = 2;

  template <int Phase, class T, class Workspace>
  DWELL_HD static void phase(Workspace& s, scalars& m) {
    if constexpr (Phase == 0) {
      s.poll();
      s.multiply(reads<x>{}, writes<q>{});
      s.each_owned(reads<b, q>{}, writes<>{}, adds_to<rr>{}, [](T* v, double* sum) {
        const double r = v[b] - v[q];
        sum[0] += r * r;
      });
    } else {
      m.value = s.total(sum_of<rr>{}, with_interrupt{}).v[0];
      s.note(m.step, m.value);
      m.stop = s.interrupted() ? interrupted : m.step >= m.steps ? done : running;
      if (m.stop != running) return;
      ++m.step;
      const T omega = static_cast<T>(m.omega);
      s.each_owned(reads<x, b, q>{}, writes<x>{}, [=](T* v) { v[x] += omega * (v[b] - v[q]); });
    }
  }

  template <class T>
  static std::vector<double> by_loops(const csr_view<T>& a, const std::vector<double>& b,
                                      const scalars& m) {
    std::vector<double> x(b.size());
    for (int step = 0; step < m.steps; ++step) {
      const auto q = product_by_loops(a, x);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += m.omega * (b[i] - q[i]);
    }
    return x;
  }
};

/// x = A x / |A x|, and value = x.Ax of the step before: rows are cut between teams.
struct power_iteration : fixed_steps {
  static constexpr const char* name = "power-iteration";
  enum : int { x, q, vectors };
  static constexpr use uses[vectors] = {use::gather, use::own};
  using in_registers = vector_list<>;
  using results = vector_list<x>;
  enum : int { xq, qq, sum_count };
  static constexpr int phases = 3;

  template <int Phase, class T, class Workspace>
  DWELL_HD static void phase(Workspace& s, scalars& m) {
    if constexpr (Phase == 0) {
      s.multiply(reads<x>{}, writes<q>{}, adds_to<xq>{});
    } else if constexpr (Phase == 1) {
      m.value = s.total(sum_of<xq>{}).v[0];
      s.finish(writes<q>{});
      s.poll();
      s.each_owned(reads<q>{}, writes<>{}, adds_to<qq>{}, [](T* v, double* sum) {
        const double one = v[q];
        sum[0] += one * one;
      });
    } else {
      const double square = s.total(sum_of<qq>{}, with_interrupt{}).v[0];
      s.note(m.step, square);
      const T scale = static_cast<T>(square > 0 ? 1 / std::sqrt(square) : 0);
      s.each_owned(reads<q>{}, writes<x>{}, [=](T* v) { v[x] = scale * v[q]; });
      m.stop = s.interrupted() ? interrupted : ++m.step >= m.steps ? done : running;
    }
  }

  template <class T>
  static std::vector<double> by_loops(const csr_view<T>& a, const std::vector<double>& start,
                                      const scalars& m) {
    std::vector<double> x = start;
    for (int step = 0; step < m.steps; ++step) {
      const auto q = product_by_loops(a, x);
      double square = 0;
      for (const double v : q) square += v * v;
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = square > 0 ? q[i] / std::sqrt(square) : 0;
    }
    return x;
  }
};

/// The heavy ball: x += omega (b - A x) + (x - y) / 2, y the x before.
struct heavy_ball : fixed_steps {
  static constexpr const char* name = "heavy-ball";
  enum : int { x, y, b, q, vectors };
  static constexpr use uses[vectors] = {use::gather, use::own, use::own, use::own};
  using in_registers = vector_list<y, b>;
  using results = vector_list<y, x>;
  enum : int { xx, bq, sum_count };
  static constexpr bool whole_rows = true;
  static constexpr int phases = 2;
  static constexpr output outputs[phases] = {output::sums, output::elements};

  static scalars steady_state() {
    scalars m;
    m.step = 1;
    return m;
  }
  template <int Phase, class T, class Workspace>
  DWELL_HD static void phase(Workspace& s, scalars& m) {
    if constexpr (Phase == 0) {
      s.multiply(reads<x>{}, writes<q>{});
      s.each_owned(reads<x, b, q>{}, writes<>{}, adds_to<xx, 2>{}, [](T* v, double* sum) {
        sum[0] += static_cast<double>(v[x]) * static_cast<double>(v[x]);
        sum[1] += static_cast<double>(v[b]) * static_cast<double>(v[q]);
      });
    } else {
      const auto now = s.total(sum_of<xx, 2>{});
      m.value = now.v[0] + now.v[1];
      const T omega = static_cast<T>(m.omega);
      if (m.step == 0)
        s.each_owned(reads<x, b, q>{}, writes<x, y>{}, [=](T* v) {
          v[y] = v[x];
          v[x] += omega * (v[b] - v[q]);
        });
      else
        s.each_owned(reads<x, y, b, q>{}, writes<x, y>{}, [=](T* v) {
          const T before = v[x];
          v[x] += omega * (v[b] - v[q]) + (before - v[y]) * T(0.5);
          v[y] = before;
        });
      if (++m.step >= m.steps) m.stop = done;
    }
  }

  template <class T>
  static std::vector<double> by_loops(const csr_view<T>& a, const std::vector<double>& b,
                                      const scalars& m) {
    std::vector<double> x(b.size()), y(b.size());
    for (int step = 0; step < m.steps; ++step) {
      const auto q = product_by_loops(a, x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double before = x[i];
        x[i] += m.omega * (b[i] - q[i]) + (step > 0 ? (before - y[i]) / 2 : 0);
        y[i] = before;
      }
    }
    return x;
  }
};

/// The vector that a case sets: b, or the start of the power iteration.
template <class P>
constexpr int given_vector() {
  if constexpr (requires { P::b; })
    return P::b;
  else
    return P::x;
}

}  // namespace dwell::test
