// SPDX-License-Identifier: MIT
// What a solve does with a system on a device: executor, variant of the iteration, plan, and why.
// solve() runs this value and explain() prints it; nowhere else is "auto" resolved.
#pragma once
#include <string>
#include <vector>

#include "dwell/device/limits.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"

namespace dwell {

/// A variant that was planned to find the fastest.
struct considered_variant {
  std::string name;
  double seconds = 0;  ///< projected, per iteration; 0 where there is no model of the device
};

template <class T>
struct solve_decision {
  std::string executor;  ///< never "auto"
  std::string why;       ///< this executor; why this plan says made.how.reason
  const solver_variant* variant = nullptr;
  const program_kernel* kernel = nullptr;  ///< its row of the table
  planned<T> made;
  /// Where the variant was asked for as "auto": all that were planned, `variant` among them.
  std::vector<considered_variant> considered;
};

/// Whether so many right-hand sides are solved in one pass over the matrix, and how.
template <class T>
struct group_decision {
  int columns = 0;
  bool together = false;
  std::string why;        ///< with the numbers of both ways
  double per_column = 0;  ///< time or bytes of an iteration over columns: to compare groups by
  solve_decision<T> how;
};

/// The variant of o.method that the options name, or that their preconditioner needs; null: any one
/// will do. Throws unsupported_error if they do not go together.
const solver_variant* variant_asked_for(const solve_options& o);

/// Throws unsupported_error if nothing in this build can do what is asked there, input_error if a
/// word of the options is unknown.
template <class T>
solve_decision<T> decide(const solve_request<T>& q);

/// Why systems with one matrix are solved one after another under these options, whatever the
/// matrix; empty: that depends on it. ranks: among which the rows are divided, or null; they ask
/// together.
std::string why_one_at_a_time(const solve_options& o, const device_facts& facts,
                              const row_ranks* ranks);

/// columns: 2, 4 or 8. alone: decide(q). Together if asked for (columns_at_once), else if an
/// iteration of all takes less time, by the model of the device, than one of each; on a CPU, of
/// which there is no model, if it moves fewer bytes. Ranks decide together: by the time of the
/// slowest, or the bytes of all. Throws as decide() does, on all ranks.
template <class T>
group_decision<T> decide_group(const solve_request<T>& q, const solve_decision<T>& alone,
                               int columns);

}  // namespace dwell
