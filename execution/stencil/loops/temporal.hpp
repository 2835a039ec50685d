// SPDX-License-Identifier: MIT
// Several steps in every pass over the field (temporal blocking: EBISU, Zhang et al. 2023). A
// launch is a pass; passes go from one copy of the field to the other as the single steps of
// host-loop and graph do, on a GPU recorded in a graph. The engine says how a pass is made.
#pragma once
#include "dwell/execution/stencil/loops/graph.hpp"
#include "dwell/execution/stencil/loops/host_loop.hpp"

namespace dwell {

struct temporal_stencil {
  static constexpr const char* name = "temporal";
  static constexpr bool records = true;  ///< runs without a poll, too, if they repeat

  template <class T, class Queue>
  static void drive(Queue& queue, const stencil_args<T>& a) {
    if constexpr (requires { queue.replay(1, [] {}); })
      graph_stencil::drive(queue, a);
    else
      host_loop_stencil::drive(queue, a);
  }
};

}  // namespace dwell
