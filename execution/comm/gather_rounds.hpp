// SPDX-License-Identifier: MIT
// An all-gather in rounds: groups of ranks give each other what they have, then groups of such
// groups, and so on. Every rank has the values of all ranks in their order at the end. For groups
// of two this is recursive doubling (Thakur et al. 2005, section 3.1).
#pragma once
#include <span>
#include <vector>

namespace dwell {

/// The values of ranks first to first + count - 1, to `peer` or from it.
struct gather_message {
  int peer = 0, first = 0, count = 0;
};
/// Messages that are under way together; at most one from each rank to each other one.
struct gather_round {
  std::vector<gather_message> out, in;
};

/// The rounds of `rank` out of `ranks`. groups[0] ranks that follow each other are a group of the
/// first round, groups[1] of these a group of the second one; the last ones may be smaller. The
/// groups together are no fewer than the ranks.
std::vector<gather_round> gather_rounds(int rank, int ranks, std::span<const int> groups);

/// The groups by which Dwell gathers a few numbers: the ranks of a host, then in every further
/// round as many hosts, or groups of hosts. With few rounds, whose latencies add up, or few
/// messages in each, which a rank sends one after another: a round is taken for as much as twelve
/// messages, as NCCL's tuner has a call and the latency of a network (message_time.hpp).
std::vector<int> gather_groups(int ranks, int ranks_of_host);

}  // namespace dwell
