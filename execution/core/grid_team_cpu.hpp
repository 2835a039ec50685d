// SPDX-License-Identifier: MIT
// What a team needs for Sweeps beside the members of cpu_team: loops over boxes of cells. Cells are
// dealt to lanes so that neighbours in x go to neighbouring lanes; here that is a loop which the
// compiler turns into vectors.
#pragma once
#include "dwell/execution/core/team_cpu.hpp"

namespace dwell {

template <int Lanes>
class cpu_grid_team : public cpu_team<Lanes> {
 public:
  using cpu_team<Lanes>::cpu_team;
  /// Cells along the slowest axis that a lane works on together.
  static constexpr int depth = 1;

  /// f(i, j) for 0 <= i < width, 0 <= j < height, in any order.
  template <class F>
  void over(int width, int height, F&& f) {
    if (this->reversed()) {
      for (int j = height - 1; j >= 0; --j)
        for (int i = width - 1; i >= 0; --i) f(i, j);
      return;
    }
    for (int j = 0; j < height; ++j) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
      for (int i = 0; i < width; ++i) f(i, j);
    }
  }
  /// f(lane, i) for first <= i < last.
  template <class I, class F>
  void flat(I first, I last, F&& f) {
    for (I i = first; i < last; i += Lanes)
      this->each([&](int lane) {
        if (i + lane < last) f(lane, i + lane);
      });
  }
};

}  // namespace dwell
