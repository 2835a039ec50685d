// SPDX-License-Identifier: MIT
// Stencils of several fields the plain way: cell by cell, each value looked up through the borders
// by what field_boundary.hpp says of them. Nothing of the library's executors is used, but the
// functions of cell_math.hpp, which have tests of their own.
#pragma once
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "dwell/stencil/definition.hpp"
#include "dwell/stencil/field_boundary.hpp"

namespace dwell::test {

template <class T>
class plain_fields {
 public:
  plain_fields(const stencil_definition& d, const std::array<std::int64_t, 3>& size,
               const std::vector<field_boundary>& of_fields)
      : definition(d), n(size), boundaries(of_fields) {}

  stencil_definition definition;
  std::array<std::int64_t, 3> n;           ///< z, y, x
  std::vector<field_boundary> boundaries;  ///< one for every field, axes z, y, x
  std::vector<std::vector<T>> arrays;      ///< fields, then coefficients
  std::vector<T> parameters;

  /// One step.
  void step();
  T& cell(int array, std::int64_t z, std::int64_t y, std::int64_t x) {
    return arrays[static_cast<std::size_t>(array)]
                 [static_cast<std::size_t>((z * n[1] + y) * n[2] + x)];
  }
  bool fixed(std::int64_t z, std::int64_t y, std::int64_t x) const;

 private:
  T beyond(int array, std::array<std::int64_t, 3> at, int axis) const;
  T number(int node, const std::array<std::int64_t, 3>& at);
  T computed(int node, const std::array<std::int64_t, 3>& at);
  bool truth(int node, const std::array<std::int64_t, 3>& at);

  std::vector<T> known_;  ///< values of nodes, in this cell
  std::vector<char> is_known_;
};

/// Equal bits, or both NaN.
template <class T>
bool same_values(const std::vector<T>& a, const std::vector<T>& b);

/// A definition by chance: any operations, fields, stages and offsets.
cell_tape random_tape(std::mt19937_64& chance);

}  // namespace dwell::test
