// SPDX-License-Identifier: MIT
// Rounds of one rank, and the groups of a machine.
#include "dwell/execution/comm/gather_rounds.hpp"

#include <algorithm>
#include <cstddef>

namespace dwell {

std::vector<gather_round> gather_rounds(int rank, int ranks, std::span<const int> groups) {
  std::vector<gather_round> rounds;
  int size = 1;  // size of the blocks of ranks that have the same values so far
  for (const int members : groups) {
    const int group = size * members, first = rank / group * group;
    const int end = std::min(first + group, ranks);
    const auto block_at = [&](int begin) {
      return gather_message{0, begin, std::min(size, end - begin)};
    };
    const gather_message own = block_at(rank / size * size);
    gather_round round;
    for (int begin = first; begin < end; begin += size) {
      if (begin == own.first) continue;
      gather_message other = block_at(begin);
      // The last block may be smaller: its ranks send to several, or not all of the others do.
      other.peer = begin + (rank - own.first) % other.count;
      round.in.push_back(other);
      for (int peer = begin; peer < begin + other.count; ++peer)
        if ((peer - begin) % own.count == rank - own.first)
          round.out.push_back({peer, own.first, own.count});
    }
    rounds.push_back(std::move(round));
    size = group;
  }
  return rounds;
}

std::vector<int> gather_groups(int ranks, int ranks_of_host) {
  constexpr int messages_of_a_round = 12;
  const int hosts = (ranks + ranks_of_host - 1) / ranks_of_host;
  int best = 0, best_rounds = 0, least = 0;
  for (int members = 2; members <= hosts; ++members) {
    int rounds = 0;
    for (int left = hosts; left > 1; left = (left + members - 1) / members) ++rounds;
    const int costs = rounds * (messages_of_a_round + members - 2);
    if (best == 0 || costs < least) best = members, best_rounds = rounds, least = costs;
  }
  std::vector<int> groups{std::min(ranks, ranks_of_host)};
  groups.resize(1 + static_cast<std::size_t>(best_rounds), best);
  return groups;
}

}  // namespace dwell
