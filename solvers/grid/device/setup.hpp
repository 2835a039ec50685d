// SPDX-License-Identifier: MIT
// An operator from k, and levels one after the other, as teams make them together: the values of
// discretize.cpp and hierarchy.cpp, each by one lane.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/bottom_inverse.hpp"
#include "dwell/solvers/grid/device/coarsening.hpp"
#include "dwell/solvers/grid/device/power_of_two.hpp"
#include "dwell/solvers/grid/device/setup_args.hpp"

namespace dwell::grids {

template <class T, class Team>
class device_setup {
 public:
  DWELL_FN device_setup(Team& team, const grid_setup_args<T>& a) : t_(team), a_(a) {}

  DWELL_FN void operator()() {
    if (a_.task == setup_task::conductances) return make_conductances();
    if (a_.task == setup_task::bottom) return invert_bottom(t_, a_.factor);
    if (a_.task == setup_task::first_level)
      scale();
    else
      halve();
    t_.sync_grid();
    make_inverse();
    make_places();
    make_facts();
  }

 private:
  DWELL_FN static bool is_good(double v) { return v - v == 0; }

  /// A lane's word for the host: the largest magnitude of what it has made, or infinity where
  /// something is wrong.
  DWELL_FN void make_conductances() {
    const face_rules<T>& rules = a_.rules;
    const made_operator<T>& to = a_.fine;
    double wrong = 1e300;
    wrong *= wrong;  // infinity
    const auto seen = [&](int lane, double size) {
      double& word = a_.of_lanes[t_.worker() * Team::lanes() + lane];
      word = word < size ? size : word;
    };
    t_.each([&](int lane) { a_.of_lanes[t_.worker() * Team::lanes() + lane] = 0; });
    each_element_of_lane(1, to.n[2] + 1, [&](int, int, long long i) { to.pool[i] = T(0); });
    const auto check = [&](const T* of, long long count, bool positive) {
      if (!of) return;
      each_element_of_lane(1, count, [&](int lane, int, long long i) {
        const double v = static_cast<double>(of[i]);
        if (!is_good(v) || (positive && !(v > 0))) seen(lane, wrong);
      });
    };
    check(rules.k_cells, to.cells(), true);
    check(rules.s_cells, to.cells(), false);
    for (int m = 0; m < 3; ++m) {
      const long long others = to.cells() / to.n[m];
      check(rules.faces[m], others * (to.n[m] + 1), true);
    }
    for (int kind = 0; kind < 4; ++kind) {
      if (!to.step[kind]) continue;
      const int lines = to.n[1] + (kind == rows_of_y ? 1 : 0), length = to.length(kind);
      each_element_of_lane(to.count(kind), length, [&](int lane, int number, long long i) {
        const typename face_rules<T>::position p{
            {number / lines, number % lines, static_cast<int>(i)}};
        bool vanished = false;
        const T v =
            kind == rows_of_s ? rules.s_of_cell(p) : rules.conductance(axis_of(kind), p, vanished);
        to.row(kind, number)[halved_place(static_cast<int>(i), length)] = v;
        const double size = static_cast<double>(v < 0 ? -v : v);
        seen(lane, vanished || !is_good(size) ? wrong : size);
      });
    }
    t_.sync_grid();
    largest();
  }
  DWELL_FN static int axis_of(int kind) {
    return kind == rows_of_x ? 2 : kind == rows_of_y ? 1 : 0;
  }
  /// f(lane, row, i), likewise; n may be more than an int holds where there is one row.
  template <class F>
  DWELL_FN void each_element_of_lane(int rows, long long n, F&& f) {
    const long long all = rows * n;
    const long long step = static_cast<long long>(t_.workers()) * Team::lanes();
    t_.each([&](int lane) {
      DWELL_ROLLED
      for (long long e = static_cast<long long>(t_.worker()) * Team::lanes() + lane; e < all;
           e += step) {
        const long long row = rows == 1 ? 0 : static_cast<unsigned>(e) / static_cast<unsigned>(n);
        f(lane, static_cast<int>(row), e - row * n);
      }
    });
  }
  /// The largest word of all lanes, by the first team.
  DWELL_FN void largest() {
    if (t_.worker() != 0) return;
    t_.section([&](int lane) {
      double all = 0;
      for (int team = 0; team < t_.workers(); ++team) {
        const double v = a_.of_lanes[team * Team::lanes() + lane];
        all = all < v ? v : all;
      }
      a_.of_lanes[lane] = all;
    });
    t_.once([&] {
      double all = 0;
      for (int lane = 0; lane < Team::lanes(); ++lane) {
        const double v = a_.of_lanes[lane];
        all = all < v ? v : all;
      }
      a_.out->largest = all;
      a_.out->bad = !is_good(all);
    });
  }

  /// The operator and that of the finest level, |s| in it: both have the same places.
  DWELL_FN void scale() {
    const power_of_two<T> by(-a_.scale_of_a);
    T* const pool = a_.fine.pool;
    float* const fine = a_.level.a.pool;
    const made_operator<T>& g = a_.fine;
    long long all = g.n[2] + 1;
    for (int kind = 0; kind < 4; ++kind)
      all += static_cast<long long>(g.count(kind)) * g.step[kind];
    each_element_of_lane(1, all, [&](int, int, long long i) {
      const T v = by * pool[i];
      pool[i] = v;
      fine[i] = static_cast<float>(v < 0 ? -v : v);
    });
  }

  DWELL_FN void halve() {
    int done = 0, all = 0;
    for (int axis = 0; axis < 3; ++axis) all += a_.axes[axis].halved ? 1 : 0;
    for (int axis = 2; axis >= 0; --axis) {
      if (!a_.axes[axis].halved) continue;
      const made_operator<float>& from = done == 0 ? a_.from : a_.between[done - 1];
      const made_operator<float>& to = ++done == all ? a_.level.a : a_.between[done - 1];
      if (done > 1) t_.sync_grid();
      each_element(t_, 1, to.n[2] + 1, [&](int, int i) { to.pool[i] = 0; });
      const made_weights& w = a_.weights[axis];
      const int rows = to.rows(), length = to.n[2];
      each_element(t_, 1, rows, [&](int, int row) {
        w.before_at[row] = static_cast<unsigned>(row) * static_cast<unsigned>(length);
        w.after_at[row] = static_cast<unsigned>(rows + row) * static_cast<unsigned>(length);
      });
      if (axis == 2)
        halving_x{from, to, a_.axes[axis], w}(t_);
      else
        halving_rows{from, to, a_.axes[axis], w, axis == 0}(t_);
    }
  }

  DWELL_FN void make_inverse() {
    const made_level& l = a_.level;
    const made_operator<float>& g = l.a;
    const int ny = g.n[1], nx = g.n[2];
    each_element(t_, g.rows(), nx, [&](int row, int i) {
      const int k = row / ny, j = row % ny, at = halved_place(i, nx);
      const float* const x = g.row(rows_of_x, row);
      const float low = x[halved_place(i, nx + 1)], high = x[halved_place(i + 1, nx + 1)];
      const auto of = [&](int kind, int number) { return g.row(kind, number)[at]; };
      const float d =
          ((low + high) + (of(rows_of_z, row) + of(rows_of_z, row + ny))) +
          ((of(rows_of_y, g.number_of_y(k, j)) + of(rows_of_y, g.number_of_y(k, j + 1))) +
           of(rows_of_s, row));
      const float by = d > 0 ? 1 / d : 0.0f;
      const long long here = static_cast<long long>(row) * nx + at;
      l.inverse[here] = by;
      l.diagonal[here] = 1 / by;
    });
    each_element(t_, 1, g.rows(), [&](int, int row) {
      l.inverse_at[row] = static_cast<unsigned>(row) * static_cast<unsigned>(nx);
    });
  }
  DWELL_FN void make_places() {
    const made_operator<float>& g = a_.level.a;
    const auto put = [&](int kind, unsigned* to) {
      each_element(t_, 1, g.count(kind), [&](int, int number) {
        to[number] = static_cast<unsigned>(g.place(kind, number));
      });
    };
    put(rows_of_x, a_.level.places.x), put(rows_of_y, a_.level.places.y);
    put(rows_of_z, a_.level.places.z), put(rows_of_s, a_.level.places.s);
  }

  /// A row by a lane; then sums of some of them, until there is one.
  DWELL_FN void make_facts() {
    const made_operator<float>& g = a_.level.a;
    const int ny = g.n[1], nx = g.n[2];
    each_element(t_, 1, g.rows(), [&](int, int row) {
      const int k = row / ny, j = row % ny;
      axis_facts f;
      const auto along = [&](int axis, int kind, int number, int from) {
        const float* const of = g.row(kind, number);
        const int length = g.length(kind);
        f.take_row(axis, from, nx, [&](int i) { return of[halved_place(i, length)]; });
      };
      if (nx > 1) along(2, rows_of_x, row, 1);
      if (j > 0) along(1, rows_of_y, g.number_of_y(k, j), 0);
      if (k > 0) along(0, rows_of_z, row, 0);
      a_.of_rows[row] = f;
    });
    // From one half of the array to the other, and back.
    int count = g.rows(), from = 0, to = count;
    while (count > 1) {
      t_.sync_grid();
      const int sums = (count + facts_together - 1) / facts_together;
      each_element(t_, 1, sums, [&](int, int number) {
        const int begin = number * facts_together,
                  end = begin + facts_together < count ? begin + facts_together : count;
        axis_facts sum = a_.of_rows[from + begin];
        for (int i = begin + 1; i < end; ++i) sum.add(a_.of_rows[from + i]);
        a_.of_rows[to + number] = sum;
      });
      const int before = from;
      from = to, to = before;
      count = sums;
    }
    t_.sync_grid();
    if (t_.worker() == 0) t_.once([&] { a_.out->facts = a_.of_rows[from]; });
  }

  Team& t_;
  const grid_setup_args<T>& a_;
};

}  // namespace dwell::grids
