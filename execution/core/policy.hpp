// SPDX-License-Identifier: MIT
// A caching policy is a pure host function: facts in, what to keep on the chip out. It never sees a
// solver's text. Teams and cut are given; the policy chooses the rung and the residency.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/execution/core/device.hpp"
#include "dwell/execution/core/plan.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// How often an iteration touches each element of a vector, and what may hold it.
struct vector_facts {
  int loads = 0;
  int stores = 0;
  bool gathered = false;      ///< other teams read it: every store also goes to memory
  bool in_registers = false;  ///< a rung with slots keeps it in registers
  bool whole = false;         ///< a product is written to it: kept whole or not at all
  bool keepable = true;       ///< may be kept at all
};

/// What a policy knows of a Program's problem, cut for `teams` teams.
struct program_facts {
  index rows = 0;
  index nonzeros = 0;
  std::size_t scalar_bytes = 8;
  std::size_t bytes_per_iteration = 0;  ///< nothing cached
  int barriers = 0;                     ///< per iteration
  int products = 1;                     ///< vectors that the product multiplies at once
  std::vector<vector_facts> vectors;
  int teams = 1;
  bool in_cluster = false;  ///< all teams form one thread block cluster
  index rows_per_team = 0;  ///< the most that a team owns
  int tiles_per_team = 0;   ///< likewise
  std::size_t tile_bytes = 0;
  bool narrow = true;         ///< columns in 16 bits
  bool may_keep_all = false;  ///< rungs that cover all can run it
  /// Elements of the gathered vector that a team needs of others, and sends, at the most; 0 where
  /// teams cannot send any.
  int halo_per_team = 0, sends_per_team = 0;
};

/// Returns a plan that fits: the rung, the residency, and the reason in one line.
using caching_policy = plan (*)(const program_facts&, std::span<const rung_facts>,
                                const device_facts&);

/// Tries a plan: seconds per iteration, infinite if it cannot run; nothing: stop trying.
using plan_trial = std::function<std::optional<double>(const plan&)>;

/// A policy that tries plans before it returns one. It still sees facts only: what a trial runs is
/// the caller's business.
using measuring_policy = plan (*)(const program_facts&, std::span<const rung_facts>,
                                  const device_facts&, const plan_trial&);

/// Rung and teams of an executor that keeps nothing. bytes: what an iteration moves.
plan plain_layout(index rows, index nonzeros, std::size_t bytes, std::span<const rung_facts> rungs,
                  const device_facts& device);

/// Teams of an executor that keeps data on the chip: one per multiprocessor, or, for a system so
/// small that barriers are most of its time, as few as form a cluster with a hardware barrier. On a
/// CPU as many as the bytes that an iteration moves are worth.
struct team_choice {
  int teams = 1;
  bool in_cluster = false;
  std::string why;  ///< half a line
};
team_choice kept_teams(index rows, index nonzeros, std::size_t bytes, const device_facts& device);
/// The same for a number of teams that somebody asked for.
team_choice asked_teams(int teams, const device_facts& device);

/// All policies of this build, by name; find_policy throws unsupported_error with the list.
struct named_policy {
  const char* name;
  const char* what;          ///< one line of help
  caching_policy choose;     ///< or null, if
  measuring_policy measure;  ///< it needs trials
};
std::span<const named_policy> program_policies();
const named_policy& find_policy(std::string_view name);

}  // namespace dwell
