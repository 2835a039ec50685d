// SPDX-License-Identifier: MIT
// A way in which a prepared solver solves: a method with a preconditioner in a precision, and what
// was prepared for it. A solve may leave the way that it began with, where the method breaks down,
// say; the next one begins with that way again, as that of a new solver would. Private to the
// solver.
#pragma once
#include <memory>
#include <string>

#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/choose/form.hpp"
#include "dwell/solvers/linear/run/column_groups.hpp"
#include "dwell/solvers/preconditioners/made_preconditioner.hpp"

namespace dwell {

class mixed_precision_run;

/// What tells ways apart.
struct way_choice {
  std::string method;
  preconditioner with = preconditioner::none;
  bool mixed_precision = false;
  bool operator==(const way_choice&) const = default;
};

/// What a solver has chosen before its first solve, and why.
struct first_choice {
  way_choice way;
  std::string method_reason, preconditioner_reason, why_f64;
  bool undecided = false;
};

template <class T>
struct solver_way {
  way_choice choice;
  bool outdated = false;                       ///< the matrix has other values since
  std::unique_ptr<made_preconditioner> chain;  ///< preconditioners that are a chain of products
  std::unique_ptr<cut_cache<T>> cuts;
  std::unique_ptr<prepared_run<T>> run;
  mixed_precision_run* mixed = nullptr;      ///< the run, where it iterates in f32
  std::unique_ptr<column_groups<T>> groups;  ///< groups of columns; they use the cuts
  solve_report prepared;                     ///< what every report begins with
};

}  // namespace dwell
