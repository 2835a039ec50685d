// SPDX-License-Identifier: MIT
// Values of coefficients alone are the same in every step. Computed once, in arrays that steps read
// as coefficients, they have the same bits: each is the value of the same operations in the same
// cell, and is read in that cell only.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "dwell/execution/stencil/fields/field_domain.hpp"
#include "dwell/stencil/definition.hpp"
#include "dwell/stencil/field_boundary.hpp"

namespace dwell {

/// One step of it computes some of the values: they are its fields.
struct hoisted_values_definition {
  stencil_definition definition;
  std::vector<int> reads;  ///< its coefficients, by their places among those that were given
};

/// A definition whose steps read such values.
struct hoisting {
  stencil_definition steps;  ///< its coefficients are those that are left, then the values
  std::vector<int> left;     ///< which ones are left, by their places among those that were given
  std::vector<hoisted_values_definition> values;

  /// How many values there are.
  int count() const { return steps.coefficients() - static_cast<int>(left.size()); }
  /// How many of the coefficients that were given they are made of.
  int kept() const;
};

/// Nodes of coefficients and numbers alone, operations, that other nodes or outputs need; the ones
/// that cost most first. `dear`: only those that have a division, a root or a function.
std::vector<int> hoistable_nodes(const stencil_definition& definition, bool dear);

/// The definition without these nodes, or without as many of the first of them as there may be
/// coefficients; nothing where there are none, or where steps would have another radius, which says
/// how many cells are fixed.
std::optional<hoisting> hoisted(const stencil_definition& definition, std::span<const int> nodes);

/// The sides of runs that compute values for steps in `domain`: all cells have values, and
/// coefficients go on beyond borders as they do in steps.
field_boundary boundary_of_values(const field_domain& domain);

}  // namespace dwell
