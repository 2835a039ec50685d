// SPDX-License-Identifier: MIT
// Policy "none", and the layout of executors that cache nothing anyway.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/threads/threads_worth.hpp"
#include "dwell/execution/krylov/plan/policies/filling.hpp"
#include "dwell/execution/krylov/plan/policies/policies.hpp"

namespace dwell {
namespace {

/// Up to so many merge items per multiprocessor one team on each: the barrier costs more than lanes
/// gain. Of more, two teams, which wait at different times. Measured on an H200 with systems of
/// 0.3, 4, 17, 45 and 180 thousand items per multiprocessor.
constexpr std::int64_t items_of_one_team = 24 << 10;

}  // namespace

plan plain_layout(index rows, std::int64_t nonzeros, std::size_t bytes,
                  std::span<const config_facts> configs, const device_facts& device) {
  plan p;
  p.policy = p.chosen = nothing_cached;
  if (device.on == backend::cpu) {
    const thread_choice worth =
        threads_worth(static_cast<double>(bytes), rows, "iteration", device);
    p.teams = worth.threads;
    p.reason = worth.why + ", nothing cached explicitly";
    return p;
  }
  const std::int64_t items = rows + nonzeros;
  const int per_unit = items / device.units > items_of_one_team ? 2 : 1;
  p.teams = std::min(per_unit * device.units, configs.front().max_teams);
  p.reason =
      fmt::format("{} block{} of {} threads on {} multiprocessors, nothing cached explicitly",
                  p.teams, p.teams == 1 ? "" : "s", configs.front().shape.lanes, device.units);
  return p;
}

team_choice caching_teams(index rows, std::int64_t nonzeros, std::size_t bytes,
                          const device_facts& device) {
  // Measured on an H200, see docs/results: 16 blocks of a cluster meet in a third of the time that
  // 132 need, and are as fast as those up to about so many items each.
  constexpr std::int64_t items_per_cluster_team = 8000;
  if (device.on == backend::cpu) {
    const thread_choice worth =
        threads_worth(static_cast<double>(bytes), rows, "iteration", device);
    return {worth.threads, false, "one per thread: " + worth.why};
  }
  if (device.cluster_teams == 0)
    return {device.units, false, "one per multiprocessor; there are no clusters to use"};
  const std::int64_t items = rows + nonzeros;
  const int cluster = std::min(device.cluster_teams, device.units);
  const std::int64_t most = items_per_cluster_team * cluster;
  if (items <= most)
    return {cluster, true,
            fmt::format("one cluster, whose barrier is the fastest: {} rows and nonzeros, at most "
                        "{} fit it well",
                        items, most)};
  return {device.units, false,
          fmt::format("one per multiprocessor: {} rows and nonzeros, more than the {} that a "
                      "cluster does as fast",
                      items, most)};
}

team_choice asked_teams(int teams, const device_facts& device) {
  const bool in_cluster = teams > 1 && teams <= device.cluster_teams;
  return {teams, in_cluster, in_cluster ? "as asked: few enough for one cluster" : "as asked"};
}

}  // namespace dwell

namespace dwell::policies {

plan none(const program_facts& p, std::span<const config_facts> configs, const device_facts& d) {
  plan how = filling(p, configs, d, config_of_any_part(configs)).result();
  how.reason = "nothing: " + describe(p, how, configs);
  return how;
}

}  // namespace dwell::policies
