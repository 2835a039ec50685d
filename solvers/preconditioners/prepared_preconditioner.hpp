// SPDX-License-Identifier: MIT
// What the set-up of a preconditioner makes. Private to the solvers.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "dwell/base/index.hpp"
#include "dwell/execution/krylov/products/sequence.hpp"
#include "dwell/linear/preconditioner_options.hpp"

namespace dwell {

/// A matrix of a preconditioner: a level, a factor.
struct preconditioner_part {
  std::string name;  ///< "level 1"
  index rows = 0, nonzeros = 0;
};

/// A preconditioner that is a sequence of products, set up for a matrix.
struct prepared_preconditioner {
  owned_sequence products;
  std::vector<preconditioner_part> parts;
  std::string note;             ///< what its user should know, one line; or empty
  bool vectors_misfit = false;  ///< near-null vectors that were given are none, as the note says
  bool wide_units = false;      ///< its diagonal spans more than f32 (sequences/equilibrated.hpp)
  /// Puts other values of the same pattern, csr_arrays of the type it was made from, into the
  /// products; empty: for other values it must be made anew.
  std::function<void(const void* csr_arrays)> refresh;
};

}  // namespace dwell
