// SPDX-License-Identifier: MIT
// A definition of several fields with a size and boundaries, drawn at random.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "field_oracle.hpp"

#include "dwell/execution/stencil/fields/field_memory.hpp"

namespace dwell::test {

/// A definition with a field, as test_field_runner.cpp draws them.
struct drawn {
  stencil_definition definition;
  std::array<std::int64_t, 3> n{1, 1, 1};
  std::vector<field_boundary> of_axes, given;  ///< axes z, y, x; and as a caller gives them
};

inline drawn with_borders(const cell_tape& tape, std::mt19937_64& chance) {
  const auto below = [&](int n) { return static_cast<int>(chance() % static_cast<unsigned>(n)); };
  drawn d{stencil_definition(tape), {1, 1, 1}, {}, {}};
  const auto first = static_cast<std::size_t>(3 - tape.dims);
  d.of_axes.assign(tape.fields.size(), field_boundary::all({side_kind::nearest, 0}));
  for (std::size_t a = first; a < 3; ++a) {
    d.n[a] = 1 + below(tape.dims == 3 ? (below(3) ? 12 : 40) : below(3) ? 70 : 200);
    const bool periodic = below(4) == 0;
    for (std::size_t high = 0; high < 2; ++high) {
      const bool fixed = below(4) == 0;
      for (auto& b : d.of_axes) {
        field_side& side = b.sides[a][high];
        side.kind = periodic ? side_kind::periodic
                    : fixed  ? side_kind::fixed
                             : static_cast<side_kind>(1 + below(5));
        if (side.kind == side_kind::constant) side.value = below(9) - 4;
      }
    }
    d.n[a] = std::max<std::int64_t>(d.n[a], d.definition.radius() + 1);
  }
  for (const field_boundary& b : d.of_axes) {
    field_boundary axes;
    for (std::size_t a = first; a < 3; ++a) axes.sides[a - first] = b.sides[a];
    d.given.push_back(axes);
  }
  return d;
}

inline drawn draw(std::mt19937_64& chance, int dims) {
  cell_tape tape = random_tape(chance);
  while (dims > 0 && tape.dims != dims) tape = random_tape(chance);
  return with_borders(tape, chance);
}

}  // namespace dwell::test
