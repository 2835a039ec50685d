// SPDX-License-Identifier: MIT
// Levels that teams of a device have made, beside those of the host: every row, bit by bit.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "dwell/comm/communicator.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/solvers/grid/device/made_grid.hpp"
#include "dwell/solvers/grid/prepared_grid.hpp"

namespace dwell::testing {

template <class V>
std::vector<V> downloaded(const device& where, const V* from, std::size_t n) {
  std::vector<V> to(n);
  if (n > 0) memory_of(where.on()).download(where, to.data(), from, n * sizeof(V));
  return to;
}

/// Rows of a device beside those of the host, by the places of both.
template <class V>
class rows_beside {
 public:
  rows_beside(const device& where, const V* pool, std::size_t elements,
              const std::vector<V>& wanted)
      : where_(where), pool_(downloaded(where, pool, elements)), wanted_(wanted) {}
  void expect(const char* what, const unsigned* places, const std::vector<std::size_t>& wanted,
              int length) const {
    const std::vector<unsigned> at = downloaded(where_, places, wanted.size());
    for (std::size_t row = 0; row < wanted.size(); ++row) {
      ASSERT_LE(at[row] + std::size_t(length), pool_.size()) << what << " " << row;
      const V *const found = &pool_[at[row]], *const of_host = &wanted_[wanted[row]];
      const auto other = std::mismatch(found, found + length, of_host);
      ASSERT_EQ(other.first, found + length)
          << what << ", row " << row << " of " << wanted.size() << ", element "
          << other.first - found << " of " << length << ": " << *other.first << " for "
          << *other.second;
    }
  }

 private:
  const device& where_;
  std::vector<V> pool_;
  const std::vector<V>& wanted_;
};

template <class V>
void expect_operator(const device& where, const grids::device_operator<V>& found,
                     std::size_t elements, const grids::coefficients<V>& wanted) {
  const int n = wanted.shape.n[2];
  const rows_beside<V> rows(where, found.pool, elements, wanted.pool);
  rows.expect("x", found.x, wanted.x, n + 1);
  rows.expect("y", found.y, wanted.y, n);
  rows.expect("z", found.z, wanted.z, n);
  rows.expect("s", found.s, wanted.s, n);
}

/// False where the host makes it all.
template <class T>
bool expect_made_as_by_the_host(const device& where, grids::grid_kernel<T>& kernel,
                                const grids::deal_limits& limits, const grid_description<T>& d) {
  const grids::chosen_method method = grids::method_of({}, backend::cuda);
  if (!grids::has_arrays(d) || !grids::can_be_made(method)) return false;
  const grids::axis_order order(d.cells, grids::reordering::any);
  grids::system<T> system = grids::discretize(d, order);
  const std::shared_ptr<communicator> alone = self_communicator();
  const grids::divided_grid one = grids::undivided(*alone, system.a.shape);
  grids::exchange_cost none;
  const grids::prepared_grid<T> wanted(one, std::move(system), {}, method, none);
  const grids::undiscretized<T> problem = grids::discretize_elsewhere(d, order);
  EXPECT_EQ(problem.system.singular, wanted.system.singular);
  const grids::made_grid<T> found = grids::make_grid(where, kernel, problem, method, limits);
  EXPECT_TRUE(found.good);
  const grids::hierarchy<grids::level_value>& levels = *wanted.levels.own;
  EXPECT_EQ(found.scale, wanted.scale);
  EXPECT_EQ(found.h.levels.size(), levels.levels.size());
  EXPECT_EQ(found.h.jumps, levels.jumps);
  if (::testing::Test::HasFailure()) return true;
  expect_operator(where, found.a, found.h.levels[0].a.elsewhere, wanted.system.a);
  for (std::size_t n = 0; n < levels.levels.size(); ++n) {
    SCOPED_TRACE(n);
    const grids::level<grids::level_value>& l = levels.levels[n];
    const grids::device_level& made = found.levels[n];
    EXPECT_EQ(found.h.levels[n].a.shape.n, l.a.shape.n);
    EXPECT_EQ(made.colours, l.colours);
    expect_operator(where, made.a, found.h.levels[n].a.elsewhere, l.a);
    const int nx = l.a.shape.n[2];
    rows_beside<float>(where, made.inverse, l.a.shape.cells(), l.inverse)
        .expect("inverse", made.inverse_at, l.inverse_at, nx);
    std::vector<float> diagonal = l.inverse;
    for (float& v : diagonal) v = 1 / v;
    rows_beside<float>(where, made.diagonal, l.a.shape.cells(), diagonal)
        .expect("diagonal", made.inverse_at, l.inverse_at, nx);
    const grids::axis_weights<float>* const weights[] = {&l.step.z, &l.step.y, &l.step.x};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      SCOPED_TRACE(axis);
      EXPECT_EQ(found.h.levels[n].step.axes[axis].halved, l.step.axes[axis].halved);
      if (!l.step.axes[axis].halved) continue;
      const int length = axis == 2               ? l.step.axes[2].coarse()
                         : l.step.axes[2].halved ? l.step.axes[2].coarse()
                                                 : nx;
      const auto& w = *weights[axis];
      const rows_beside<float> rows(where, made.weights[axis].pool,
                                    2 * w.before.size() * std::size_t(length), w.pool);
      rows.expect("weights before", made.weights[axis].before, w.before, length);
      rows.expect("weights after", made.weights[axis].after, w.after, length);
    }
    if (::testing::Test::HasFailure()) break;
  }
  const std::size_t n = levels.bottom.size();
  std::vector<double> inverse(n * n);
  levels.bottom.inverse(inverse.data());
  EXPECT_EQ(downloaded(where, found.bottom_inverse, n * n), inverse) << "the bottom's inverse";
  return true;
}

}  // namespace dwell::testing
