// SPDX-License-Identifier: MIT
// Method direct beside the iterations of method "auto": whether factors are projected to end a
// solve clearly sooner than what may go on iterating. It goes by the residuals and by models of
// costs, never by a clock or by what was counted before, so that a solve that is repeated decides
// the same. Private to the solver.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "dwell/solvers/linear/choose/preconditioner_search.hpp"
#include "dwell/solvers/linear/direct/direct_method.hpp"

namespace dwell {

/// Would factors end sooner than iterations that take so many nanoseconds of all threads together,
/// and these so long that a count of the fill is a small part of it?
bool is_clearly_sooner(const searched_system& of, const factor_fill& fill, bool symmetric,
                       double iterations);

class direct_candidate {
 public:
  /// count: counts the fill, or knows it; null: there was too little memory.
  direct_candidate(const searched_system& of, bool symmetric,
                   std::function<const counted_fill*()> count)
      : of_(of), symmetric_(symmetric), count_(std::move(count)) {}

  /// Why a run of this method is to be left for it; or nothing. `now`: its preconditioner.
  std::optional<std::string> better_than(const std::string& method, preconditioner now,
                                         const rest_of_run& seen) const;

 private:
  searched_system of_;
  bool symmetric_;
  std::function<const counted_fill*()> count_;
};

}  // namespace dwell
