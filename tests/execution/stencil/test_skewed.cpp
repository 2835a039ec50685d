// SPDX-License-Identifier: MIT
// How engine skewed divides an axis: in every step each cell belongs to one part, a part finds what
// it reads and overwrites nothing that is still to be read, in whatever order the parts of a phase
// come.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "dwell/execution/stencil/engines/skewed/axis.hpp"

namespace dwell::test {
namespace {

/// Plays steps of a stencil that reads all cells within `slope`, on two copies of an axis that hold
/// the number of steps that a cell has made.
class played_axis {
 public:
  explicit played_axis(const skewed_axis& axis) : axis_(axis) {
    for (auto& c : copy_) c.assign(std::size_t(axis.end + axis.slope), 0);
  }
  /// Step `step` of some cells.
  void make(const cell_range& r, int step) {
    for (int i = r.first; i < r.last; ++i) {
      for (int d = -axis_.slope; d <= axis_.slope; ++d)
        if (const int* from = cell(step % 2, i + d)) {
          ASSERT_EQ(*from, step) << "step " << step << " of cell " << i << " reads " << i + d;
        }
      int* to = cell((step + 1) % 2, i);
      ASSERT_TRUE(to) << i;
      ASSERT_LE(*to, step) << "step " << step << " of cell " << i << " is made twice";
      *to = step + 1;
    }
  }
  void expect_made(int steps) {
    for (int i = axis_.begin; i < axis_.end; ++i)
      ASSERT_EQ(copy_[steps % 2][std::size_t(i)], steps);
  }

 private:
  /// Null: a cell that never changes.
  int* cell(int copy, int i) {
    const int n = axis_.end - axis_.begin;
    if (axis_.ring) i = axis_.begin + ((i - axis_.begin) % n + n) % n;
    return i < axis_.begin || i >= axis_.end ? nullptr : &copy_[copy][std::size_t(i)];
  }
  skewed_axis axis_;
  std::vector<int> copy_[2];
};

template <class F>
void each_axis(const F& f) {
  for (const bool ring : {false, true})
    for (const int slope : {1, 2, 3})
      for (const int steps : {1, 2, 3, 5})
        for (const int parts : {1, 2, 3, 5})
          for (const int more : {0, 1, 7}) {
            const int least = skewed_axis::least(slope, steps);
            f(skewed_axis{slope, slope + parts * least + more, parts, slope, ring}, steps);
          }
}

TEST(skewed_axis_, parts_in_turn_find_what_they_read) {
  each_axis([](const skewed_axis& axis, int steps) {
    played_axis played(axis);
    for (int part = 0; part < axis.parts; ++part)
      for (int s = 0; s < steps; ++s) played.make(axis.in_turn(part, s), s);
    played.expect_made(steps);
  });
}

TEST(skewed_axis_, parts_at_once_and_between_find_what_they_read_in_any_order) {
  each_axis([](const skewed_axis& axis, int steps) {
    std::vector<int> order(std::size_t(axis.parts));
    std::iota(order.begin(), order.end(), 0);
    for (const bool backwards : {false, true}) {
      if (backwards) std::reverse(order.begin(), order.end());
      played_axis played(axis);
      for (const int part : order)
        for (int s = 0; s < steps; ++s) played.make(axis.at_once(part, s), s);
      for (const int part : order)
        for (int s = 0; s < steps; ++s) played.make(axis.between(part, s), s);
      played.expect_made(steps);
    }
  });
}

/// Down a tile, step s of a layer comes when the front has passed it by s * slope layers.
TEST(skewed_axis_, a_front_finds_what_it_reads) {
  each_axis([](const skewed_axis& axis, int steps) {
    played_axis played(axis);
    const auto down = [&](const auto& layers) {
      for (int front = -100; front < axis.end + 100; ++front)
        for (int s = 0; s < steps; ++s) {
          const cell_range r = layers(s);
          const int layer = front - s * axis.slope;
          if (layer >= r.first && layer < r.last) played.make({layer, layer + 1}, s);
        }
    };
    for (int part = 0; part < axis.parts; ++part)
      down([&](int s) { return axis.at_once(part, s); });
    for (int part = axis.parts - 1; part >= 0; --part)
      down([&](int s) { return axis.between(part, s); });
    played.expect_made(steps);
  });
}

}  // namespace
}  // namespace dwell::test
