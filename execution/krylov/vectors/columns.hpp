// SPDX-License-Identifier: MIT
// What a workspace has more for Programs with columns (column_count, program_traits.hpp): the
// scalars of every column, and the functions that go over columns. A lane works for column lane %
// columns: on a GPU it keeps the scalars of that one in registers, a CPU's thread those of all
// columns.
#pragma once
#include <cstdint>
#include <utility>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"
#include "dwell/execution/krylov/program_args.hpp"
#include "dwell/execution/krylov/spmv/value_pack.hpp"

namespace dwell {

template <class P, class T, class Team, int Columns = column_count<P>>
class column_workspace {
 public:
  using column = typename P::column;
  /// Rows times columns may be more than an index holds.
  using element_index = std::int64_t;
  static_assert(Columns == 2 || Columns == 4 || Columns == 8);
  static_assert(whole_rows_of<P> && gathered_vector_of<P> >= 0);

  /// f(lane) once for every column at least: by one lane of it on a CPU, on a GPU by all. What f
  /// computes of column(lane) alone is the same in all lanes of the column, and in all teams.
  template <class F>
  DWELL_FN void each_column(F&& f) {
    team_.each_column(f);
  }
  /// Is f(lane) true for all columns? All lanes of all teams get the answer.
  template <class F>
  DWELL_FN bool every_column(F&& f) {
    return team_.every_column(f);
  }
  /// The scalars of the lane's column; to be changed by each_column() only.
  DWELL_FN column& column_of(int lane) { return columns_[lane]; }
  /// Room for a value per column, and per lane; indexed by a lane.
  template <class V>
  DWELL_FN auto per_column() const {
    return team_.template per_column<V>();
  }
  template <class V>
  DWELL_FN auto per_lane() const {
    return team_.template per_lane<V>();
  }
  template <class F>
  DWELL_FN void each_lane(F&& f) {
    team_.each(f);
  }
  /// The scalars of all columns, before the first phase: copy `copy` of those in memory.
  DWELL_FN void take_columns(int copy) {
    each_column([&](int lane) { columns_[lane] = a_.columns[copy * Columns + lane % Columns]; });
  }
  /// The reverse, after the last one.
  DWELL_FN void leave_columns(int copy) {
    if (team_.worker() == 0)
      each_column([&](int lane) {
        if (lane < Columns) a_.columns[copy * Columns + lane] = columns_[lane];
      });
  }
  /// Writes down f(lane), the coefficients of a step, where wanted(lane).
  template <class Wanted, class F>
  DWELL_FN void record(int step, Wanted&& wanted, F&& f) {
    if (team_.worker() == 0 && step < a_.recorded)
      team_.each_column([&](int lane) {
        if (lane < Columns && wanted(lane))
          a_.coefficients[static_cast<std::int64_t>(step) * Columns + lane] = f(lane);
      });
  }

 protected:
  DWELL_FN column_workspace(Team& team, const program_args<P, T>& a)
      : team_(team), a_(a), columns_(team.template per_column<column>()) {}
  template <class F, class... V>
  DWELL_FN static void call(F& f, int lane, V*... v) {
    f(lane, v...);
  }

 private:
  Team& team_;
  const program_args<P, T>& a_;
  decltype(std::declval<Team&>().template per_column<column>()) columns_;
};

/// One column: nothing more.
template <class P, class T, class Team>
class column_workspace<P, T, Team, 1> {
 public:
  using element_index = index;

 protected:
  DWELL_FN column_workspace(Team&, const program_args<P, T>&) {}
  template <class F, class... V>
  DWELL_FN static void call(F& f, int, V*... v) {
    f(v...);
  }
};

}  // namespace dwell
