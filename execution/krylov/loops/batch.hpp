// SPDX-License-Identifier: MIT
// Batch: many systems in one launch, one team each, which is alone with it: no team meets another,
// and each stops by itself. The matrices are the diagonal blocks of one cut, whose parts begin and
// end with the systems. Team k begins with the target in args.state[2 k], and leaves the scalars of
// its end in args.state[2 k + 1].
#pragma once
#include <cstddef>
#include <utility>

#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/program_args.hpp"

namespace dwell {

struct batch {
  static constexpr const char* name = "batch";
  static constexpr bool launches_phases = false;
  static constexpr bool alone = true;
  /// Configs for systems of which all stays on the chip, the smallest first, with 128 registers a
  /// lane: four teams on a multiprocessor for up to 512 rows, two for up to 1024, one for up to
  /// 2048. Four slots: more of them spilled in `perks`. The last one takes any system, and caches
  /// of it what fits.
  static constexpr program_config cuda_configs[] = {
      {128, 4, true, false, true, 4, caching::ghosts, 1},
      {256, 2, true, false, true, 4, caching::ghosts, 1},
      {512, 1, true, false, true, 4, caching::ghosts, 1},
      {512, 1, true, true, true, 0}};
  /// The first is for speed: 8 lanes are the elements of one vector register. The others run the
  /// code of the GPU, for the tests.
  static constexpr program_config cpu_configs[] = {
      {8, 1, false},
      {64, 1, true, false, true, 5, caching::ghosts, 1},
      {64, 1, true, true, true, 0}};

  /// Team side.
  template <class P, class T, class Workspace>
  DWELL_FN static void run(Workspace& s, const program_args<P, T>& a) {
    typename P::scalars* const state = a.state + 2 * static_cast<std::ptrdiff_t>(s.team().part());
    typename P::scalars m = a.start;
    m.target2 = state[0].target2;
    while (iteration<P, T>(s, m, std::make_integer_sequence<int, P::phases>{})) {
    }
    s.close();
    s.team().each([&](int lane) {
      if (lane == 0) state[1] = m;
    });
  }

 private:
  template <class P, class T, class Workspace, int... K>
  DWELL_FN static bool iteration(Workspace& s, typename P::scalars& m,
                                 std::integer_sequence<int, K...>) {
    return (one<K, P, T>(s, m) && ...);
  }
  template <int Phase, class P, class T, class Workspace>
  DWELL_FN static bool one(Workspace& s, typename P::scalars& m) {
    P::template phase<Phase, T>(s, m);
    if (m.stop != 0) return false;
    s.barrier();
    return true;
  }
};

}  // namespace dwell
