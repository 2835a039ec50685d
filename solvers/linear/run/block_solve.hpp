// SPDX-License-Identifier: MIT
// Several right-hand sides of a prepared solver: in groups that are solved in one pass over the
// matrix, and one by one. Private to the solver.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/lap_timer.hpp"
#include "dwell/solvers/linear/check/memory_check.hpp"
#include "dwell/solvers/linear/run/attempts.hpp"

namespace dwell {

inline constexpr const char* name_of_b = "right-hand side";
inline constexpr const char* name_of_x = "start vector";
/// The part of a block of vectors that belongs to column k; `what` names the block.
inline std::string column_name(const char* what, int k) {
  return std::string(what) + " of column " + std::to_string(k + 1);
}

/// The systems of a block, of vectors anywhere.
template <class T>
struct block_solve {
  std::function<solve_report(int k)> alone;  ///< column k, by what is chosen now
  /// So many columns from this one on in one pass; began: on the host's clock.
  std::function<group_solve<T>(int first, int width, double began)> group;
  std::function<void(int k, solve_report&)> refine;  ///< a column of a group
  std::function<void(int k)> refuse;                 ///< throws for a column that is not finite

  std::vector<solve_report> run(prepared_solver<T>& s, int count) const;

 private:
  void add_group(prepared_solver<T>& s, int width, double began, const std::string& method,
                 std::vector<solve_report>& reports) const;
};

template <class T>
std::vector<solve_report> block_solve<T>::run(prepared_solver<T>& s, int count) const {
  s.begin_anew();
  std::vector<solve_report> reports;
  double began = seconds_on_host();  // the first group's, with what it takes to prepare groups
  const bool undecided = s.is_open();
  // What one that did not converge has chosen is nothing for the next.
  const auto next_alone = [&] {
    if (!reports.empty() && reports.back().stopped != stop_reason::converged) s.begin_anew();
    reports.push_back(alone(static_cast<int>(reports.size())));
  };
  if (undecided && count > 0) {  // the first one that converges decides for the others
    do next_alone();
    while (reports.back().stopped != stop_reason::converged &&
           static_cast<int>(reports.size()) < count);
    began = seconds_on_host();
  }
  const column_division by =
      s.runs.current().groups->divide(count - static_cast<int>(reports.size()));
  const std::string method = s.now.run.method;
  for (const int width : by.widths) {
    if (width == 1) {
      next_alone();
      if (!by.why_alone.empty())
        reports.back().reason += "; one right-hand side at a time: " + by.why_alone;
    } else if (s.now.run.method != method) {  // it has been changed
      for (int c = 0; c < width; ++c) next_alone();
    } else {
      add_group(s, width, began, method, reports);
    }
    began = seconds_on_host();
  }
  return reports;
}

template <class T>
void block_solve<T>::add_group(prepared_solver<T>& s, int width, double began,
                               const std::string& method,
                               std::vector<solve_report>& reports) const {
  const int first = static_cast<int>(reports.size());
  group_solve<T> got = group(first, width, began);
  const double finish_s = seconds_on_host() - got.ended;
  for (int c = 0; c < width; ++c)
    if (!got.finite[static_cast<std::size_t>(c)]) refuse(first + c);
  for (solve_report& report : got.reports) {
    report.finish_s = finish_s;
    report.method_reason = s.now.method_reason;
    report.preconditioner_reason = s.now.preconditioner_reason;
    const int k = static_cast<int>(reports.size());
    if (report.stopped == stop_reason::breakdown &&
        (s.now.run.method != method || s.change_method(report)))
      report = alone(k);
    else if (report.target_missed && s.options.refine)
      refine(k, report);
    reports.push_back(std::move(report));
  }
}

/// The block of vectors in host memory: b_of(k) and x_of(k) are spans. checked(f) calls f, which
/// throws for what is wrong; of ranks it does so on all.
template <class T, class B, class X, class Alone, class Checked>
std::vector<solve_report> solve_host_block(prepared_solver<T>& s, int count, B&& b_of, X&& x_of,
                                           Alone&& alone, Checked&& checked) {
  const bool on_gpu = s.matrix.on_gpu();
  const auto n = static_cast<std::size_t>(s.matrix.rows());
  const auto check = [&](int first, int width) {
    for (int k = first; k < first + width; ++k)
      for (int other = first; other < first + width; ++other)
        check_memory(s.matrix.system.in_place(), b_of(other), std::span<const T>(x_of(k)));
  };
  block_solve<T> block;
  block.alone = alone;
  block.group = [&](int first, int width, double began) {
    checked([&] { check(first, width); });
    column_groups<T>& groups = *s.runs.current().groups;
    std::vector<column_data<T>> columns;
    for (int k = first; k < first + width; ++k) columns.push_back({b_of(k).data(), x_of(k).data()});
    if (on_gpu) {
      buffer<T>&b_there = groups.b_of(width), &x_there = groups.x_of(width);
      for (int c = 0; c < width; ++c) {
        const auto at = static_cast<std::size_t>(c) * n;
        b_there.upload(b_of(first + c), at);
        x_there.upload(x_of(first + c), at);
        columns[static_cast<std::size_t>(c)] = {b_there.data() + at, x_there.data() + at};
      }
    }
    group_solve<T> got = groups.solve(columns, began, s.now.method_open);
    if (on_gpu)
      for (int c = 0; c < width; ++c)
        if (got.finite[static_cast<std::size_t>(c)])
          groups.x_of(width).download(x_of(first + c), static_cast<std::size_t>(c) * n);
    return got;
  };
  block.refine = [&](int k, solve_report& report) {
    if (!on_gpu)
      return attempts<T>(s, b_of(k).data(), x_of(k).data(), seconds_on_host())
          .refine_column(report);
    s.work.b.upload(b_of(k));
    s.work.x.upload(x_of(k));
    attempts<T>(s, s.work.b.data(), s.work.x.data(), seconds_on_host()).refine_column(report);
    s.work.x.download(x_of(k));
  };
  block.refuse = [&](int k) {
    checked([&] {
      check_finite(std::span<const T>(b_of(k)), column_name(name_of_b, k).c_str());
      check_finite(std::span<const T>(x_of(k)), column_name(name_of_x, k).c_str());
    });
  };
  return block.run(s, count);
}

}  // namespace dwell
