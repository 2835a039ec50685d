// SPDX-License-Identifier: MIT
// Several right-hand sides of one matrix: which are solved in one pass over it, and their solves.
// A group of 2, 4 or 8 is decided and prepared when it is first needed, and kept. Private to the
// solver.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dwell/comm/halo.hpp"
#include "dwell/execution/comm/device_halo.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/solvers/linear/check/null_vectors.hpp"
#include "dwell/solvers/linear/choose/decide.hpp"
#include "dwell/solvers/linear/run/prepared_system.hpp"
#include "dwell/solvers/linear/run/solve_steps.hpp"

namespace dwell {

/// How a block of columns is cut.
struct column_division {
  std::vector<int> widths;  ///< width of each group, in the order of the columns: 8, 4, 2 and 1
  std::string why_alone;    ///< reason for groups of one, where the block has more columns
};

/// A right-hand side, and its start vector and answer, in memory that the device's teams read.
template <class T>
struct column_data {
  const T* b = nullptr;
  T* x = nullptr;
};

template <class T>
struct group_solve {
  std::vector<solve_report> reports;  ///< without finish_s; that of a column which is not finite
                                      ///< says nothing of an end
  std::vector<bool> finite;           ///< b and the start vector were; else x is as it was
  double ended = 0;                   ///< on the host's clock: the run
};

template <class T>
class column_groups {
 public:
  /// All must stay valid; `where` has the stream that all work goes to. alone: how one right-hand
  /// side is solved.
  column_groups(const device& where, const plan_target& target, const prepared_system<T>& matrix,
                const null_vectors& null_space, const solve_options& options, cut_cache<T>& cuts,
                solve_decision<T> alone);

  /// Cuts `count` columns, and prepares the groups; of ranks all together, and all the same. Throws
  /// device_error if a group that was asked for (columns_at_once) has too little memory; a group
  /// that was not is then not taken.
  column_division divide(int count);
  /// Solves columns of which divide() made a group. began: on the host's clock, the call.
  group_solve<T> solve(std::span<const column_data<T>> columns, double began, bool another_method);
  /// Room for the vectors of a group, one after another, where host vectors have to be copied.
  buffer<T>& b_of(int width) { return group_of(width).b; }
  buffer<T>& x_of(int width) { return group_of(width).x; }
  /// To be called when the matrix has other values.
  void refresh();

 private:
  struct group {
    group_decision<T> made;
    std::unique_ptr<prepared_run<T>> run;  ///< null until the group is prepared
    kernel_making making;                  ///< seconds: until a report has told
    buffer<T> b, x;
    buffer<solve_numbers> numbers;
    buffer<null_parts> parts;
    std::unique_ptr<halo_exchange> ghosts_of_x;      ///< exchange of several ranks
    std::unique_ptr<device_halo> ghosts_of_x_there;  ///< exchange of several ranks on GPUs
  };

  group& group_of(int width);
  /// The group with the least cost of those that may be taken for so many columns; or null.
  group* best_for(int count);
  solve_request<T> request() const;
  void prepare(group& g);
  /// The part of it that may fail on one rank alone.
  void make(group& g);
  /// The part that ranks do together.
  void connect(group& g);
  /// Answers that are worse than their start vectors become these; so do all of a method that broke
  /// down, if another one is to take over.
  void keep_starts(group& g, std::vector<solve_places<T>>& places,
                   const std::vector<solve_numbers>& seen, bool another_method,
                   group_solve<T>& out);
  void place_matrix(group& g);
  solve_places<T> places_of(group& g, int column) const;

  const device& where_;
  const plan_target& target_;
  const prepared_system<T>& matrix_;
  const null_vectors& null_;
  const solve_options& options_;
  cut_cache<T>& cuts_;
  solve_decision<T> alone_;
  std::string never_;                           ///< why no group is ever taken; or empty
  std::array<std::optional<group>, 3> groups_;  ///< groups of 2, 4 and 8 columns
  buffer<row_residual> residual_;
  buffer<double> partial_, rank_totals_;
  buffer<unsigned> done_;
};

}  // namespace dwell
