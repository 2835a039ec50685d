// SPDX-License-Identifier: MIT
// Sources and receivers that are drawn at random for steps of fields, and what plain loops make of
// them.
#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "drawn_fields.hpp"
#include "dwell/execution/stencil/fields/point_table.hpp"
#include "field_oracle.hpp"

namespace dwell::test {

/// Points of so many steps, by chance.
template <class T>
struct drawn_points {
  std::vector<pass_point> points;
  std::vector<T> series, record;
  std::int64_t rows_of_plane;

  /// may_add(field): sources are allowed. edges: columns of interest.
  template <class Allowed>
  drawn_points(const drawn& d, const plain_fields<T>& plain, int steps,
               std::vector<std::int64_t> edges, const Allowed& may_add, std::mt19937_64& chance)
      : rows_of_plane(d.n[1]) {
    const auto below = [&](auto n) {
      return static_cast<int>(chance() % static_cast<std::uint64_t>(n));
    };
    edges.insert(edges.end(), {0, d.n[2] - 1, below(d.n[2])});
    const auto some = [&](bool receives, const auto& allowed) {
      std::vector<pass_point> to;
      for (int left = below(20); left > 0; --left) {
        const int field = below(d.definition.fields());
        const std::int64_t rows[] = {0, d.n[0] * d.n[1] - 1, below(d.n[0] * d.n[1])};
        const std::int64_t row = rows[below(3)],
                           x = edges[static_cast<std::size_t>(below(edges.size()))];
        if (allowed(field, row, x))
          to.push_back({row, x, {0, 0, static_cast<short>(field), receives}});
      }
      for (std::size_t k = 0; k < to.size(); ++k) {
        to[k].values.at = static_cast<std::int64_t>(k);
        to[k].values.stride = static_cast<int>(to.size());
      }
      points.insert(points.end(), to.begin(), to.end());
      return to.size() * static_cast<std::size_t>(steps);
    };
    const std::size_t added = some(false, [&](int field, std::int64_t row, std::int64_t x) {
      return may_add(field) && !plain.fixed(row / d.n[1], row % d.n[1], x);
    });
    record.resize(some(true, [](int, std::int64_t, std::int64_t) { return true; }));
    std::uniform_real_distribution<double> values(-2, 2);
    for (std::size_t k = 0; k < added; ++k) series.push_back(static_cast<T>(values(chance)));
  }
  /// Adds what step `step` adds, and compares what it recorded.
  void expect(plain_fields<T>& plain, int step) const {
    const auto value = [&](const pass_point& p) {
      return static_cast<std::size_t>(p.values.at + step * p.values.stride);
    };
    const auto cell = [&](const pass_point& p) -> T& {
      return plain.cell(p.values.field, p.row / rows_of_plane, p.row % rows_of_plane, p.x);
    };
    for (const pass_point& p : points)
      if (!p.values.receives) cell(p) += series[value(p)];
    for (const pass_point& p : points)
      EXPECT_TRUE(!p.values.receives ||
                  same_values(std::vector{record[value(p)]}, std::vector{cell(p)}))
          << "step " << step << ", field " << p.values.field << ", row " << p.row << ", column "
          << p.x;
  }
};
template <class T>
T* data_or_null(std::vector<T>& list) {
  return list.empty() ? nullptr : list.data();
}

}  // namespace dwell::test
