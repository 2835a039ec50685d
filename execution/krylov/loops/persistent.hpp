// SPDX-License-Identifier: MIT
// The whole run in one launch: the time loop runs inside, and all teams meet at a grid barrier
// after every phase. Nothing stays on the chip but the lines that its caches keep.
#pragma once
#include <utility>

#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/configs.hpp"
#include "dwell/execution/krylov/program_args.hpp"

namespace dwell {

struct persistent {
  static constexpr const char* name = "persistent";
  static constexpr bool launches_phases = false;
  static constexpr const auto& cuda_configs = plain_cuda_configs;
  static constexpr const auto& cpu_configs = plain_cpu_configs;

  /// Team side.
  template <class P, class T, class Workspace>
  DWELL_FN static void run(Workspace& s, const program_args<P, T>& a) {
    typename P::scalars m = first_scalars(a);
    s.begin();
    while (iteration<P, T>(s, m, a, std::make_integer_sequence<int, P::phases>{})) {
    }
    s.close();
    if (s.team().worker() == 0)
      s.team().each([&](int lane) {
        if (lane == 0) a.state[1] = m;
      });
  }

 private:
  template <class P, class T, class Workspace, int... K>
  DWELL_FN static bool iteration(Workspace& s, typename P::scalars& m, const program_args<P, T>& a,
                                 std::integer_sequence<int, K...>) {
    return (each_time<K, P, T>(s, m, a) && ...);
  }
  template <int Phase, class P, class T, class Workspace>
  DWELL_FN static bool each_time(Workspace& s, typename P::scalars& m,
                                 const program_args<P, T>& a) {
    if constexpr (runs_sequence<P, Phase>) {
      for (int k = 0; k < a.sequence.phases; ++k) {
        s.take_sequence_phase(k);
        if (!one<Phase, P, T>(s, m)) return false;
      }
      return true;
    } else {
      return one<Phase, P, T>(s, m);
    }
  }
  /// All teams hold the same scalars, so all leave together.
  template <int Phase, class P, class T, class Workspace>
  DWELL_FN static bool one(Workspace& s, typename P::scalars& m) {
    P::template phase<Phase, T>(s, m);
    if (m.stop != 0) return false;
    s.barrier();
    return true;
  }
};

}  // namespace dwell
