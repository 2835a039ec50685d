// SPDX-License-Identifier: MIT
// y = A x, again and again: SpMV alone, to be timed and tested. A Program of two phases: the second
// finishes the rows that cuts divide.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/linear/program.hpp"

namespace dwell {

struct repeated_spmv {
  static constexpr const char* name = "spmv";
  enum : int { x, y, vectors };
  static constexpr use uses[vectors] = {use::gather, use::own};
  using in_registers = vector_list<>;
  using results = vector_list<y>;
  enum : int { xy, sum_count };
  static constexpr int phases = 2;
  enum : int { running, done, interrupted };
  struct scalars {
    int step = 0;
    int stop = running;
    int max_steps = 1;
  };

  template <int Phase, class T, class Store>
  DWELL_FN static void phase(Store& s, scalars& m) {
    if constexpr (Phase == 0) {
      s.multiply(reads<x>{}, writes<y>{}, adds_to<xy>{});
    } else {
      s.finish(writes<y>{});
      if (++m.step >= m.max_steps) m.stop = done;
    }
  }
};

}  // namespace dwell
