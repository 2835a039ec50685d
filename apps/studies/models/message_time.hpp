// SPDX-License-Identifier: MIT
// What messages between GPUs take: Hockney's model (Hockney 1994), T(m) = latency + m / bandwidth,
// a link for each kind of way, and what a call of the library costs beside it, with LogP's (Culler
// et al. 1993) overhead for each further message of a rank. Sums over ranks follow. Pure functions;
// seconds, bytes, bytes per second.
#pragma once
#include <algorithm>
#include <utility>

#include "dwell/execution/comm/gather_rounds.hpp"
#include "dwell/execution/stencil/partition/grid_division.hpp"

namespace dwell::model {

/// A way between two GPUs, one direction, for one GPU.
struct link {
  double latency = 0;        ///< time of a message of at most link_set::small_bytes
  double large_latency = 0;  ///< time of a longer one
  double bandwidth = 1;
  double ring_step = 0;  ///< time of a ring of all ranks from one to the next
  double overhead = 0;   ///< time of each further message of a rank
};

/// The ways of a cluster. As they stand: what NCCL 2.30's tuner reckons with for H100 (src/graph/
/// tuning.cc, protocols LL and Simple; topo.h: 18 links of 20.6 GB/s; enqueue.cc: 16 KiB) and NDR
/// InfiniBand, 400 Gbit/s for each GPU, of whose rate nothing is lost.
struct link_set {
  int ranks_of_host = 8;
  link host{0.6e-6, 3.4e-6, 370.8e9, 0.6e-6, 0};
  link network{5.0e-6, 14e-6, 50e9, 2.7e-6, 1e-6};
  double call = 6.6e-6;        ///< time of the library, put into the stream: its kernel with it
  double large_call = 8.4e-6;  ///< where a message is longer than small_bytes
  double small_bytes = 16384;
  /// A ring over several hosts waits so long at least from one rank to the next.
  double least_ring_step = 1e-6;
};

/// An exchange of ghosts, all messages of a round under way at once: for each round a call and the
/// latency of its farthest message, then the bytes at the rate of the slower way.
inline double exchange_seconds(const halo_messages& halo, double cell_bytes, const link_set& l) {
  if (halo.messages == 0) return 0;
  const bool large = halo.largest * cell_bytes > l.small_bytes;
  const link& far = halo.off_host > 0 ? l.network : l.host;
  const double start = (large ? l.large_call : l.call) + (large ? far.large_latency : far.latency);
  const double on_host = (halo.cells - halo.cells_off_host) * cell_bytes / l.host.bandwidth;
  const double off_host = halo.cells_off_host * cell_bytes / l.network.bandwidth;
  const int more_off = std::max(0, halo.off_host - halo.rounds);
  return halo.rounds * start + std::max(on_host, off_host) + more_off * l.network.overhead;
}

/// Hosts of so many ranks.
constexpr int hosts_of(int ranks, const link_set& l) {
  return (ranks + l.ranks_of_host - 1) / l.ranks_of_host;
}

/// Sums over all ranks: time, messages that follow each other, and bytes that a rank receives.
struct sum_time {
  double seconds = 0;
  int steps = 0;
  double bytes = 0;
};

/// All ranks gather `bytes` of each rank, by a ring as NCCL does it (Thakur et al. 2005), and add
/// them in the order of the ranks: n - 1 steps, of which as many as there are hosts, less one, lead
/// over the network.
inline sum_time gather_by_ring(int ranks, double bytes, const link_set& l) {
  if (ranks <= 1) return {};
  const int hosts = hosts_of(ranks, l), steps = ranks - 1, far = hosts - 1;
  const double near = hosts > 1 ? std::max(l.host.ring_step, l.least_ring_step) : l.host.ring_step;
  const double rate =
      hosts > 1 ? std::min(l.host.bandwidth, l.network.bandwidth) : l.host.bandwidth;
  const double received = steps * bytes;
  return {l.call + (steps - far) * near + far * l.network.ring_step + received / rate, steps,
          received};
}

/// Time of Dwell's gathering: where there are several hosts in rounds (gather_rounds.hpp), of which
/// the first one is within hosts, else by NCCL's ring. Sums are added in the order of the ranks.
inline sum_time gather_by_groups(int ranks, double bytes, const link_set& l) {
  sum_time out;
  if (hosts_of(ranks, l) <= 1) return gather_by_ring(ranks, bytes, l);
  int have = 1;  // ranks whose values a rank has
  const link* way = &l.host;
  for (const int group : gather_groups(ranks, l.ranks_of_host)) {
    const int members = std::min(group, (ranks + have - 1) / have);
    const double block = have * bytes, received = (members - 1) * block;
    const bool large = block > l.small_bytes;
    const link& by = *std::exchange(way, &l.network);
    have *= group;
    if (members == 1) continue;
    out.seconds += (large ? l.large_call : l.call) + (large ? by.large_latency : by.latency) +
                   (members - 2) * by.overhead + received / by.bandwidth;
    out.bytes += received;
    ++out.steps;
  }
  return out;
}

/// An all-reduce of NCCL by trees: up and down a chain of a host's ranks and a tree of hosts, as
/// its tuner reckons. The order of its sums is the library's own.
inline sum_time all_reduce_by_library(int ranks, double bytes, const link_set& l) {
  if (ranks <= 1) return {};
  const int on_host = std::min(ranks, l.ranks_of_host) - 1;
  int levels = 0;
  for (int hosts = hosts_of(ranks, l); hosts > 1; hosts /= 2) ++levels;
  const int steps = 2 * (on_host + levels);
  return {l.call + 2 * (on_host * l.host.latency + levels * l.network.latency) +
              2 * bytes * (on_host / l.host.bandwidth + levels / l.network.bandwidth),
          steps, 2 * bytes};
}

}  // namespace dwell::model
