// SPDX-License-Identifier: MIT
// A caching policy is a pure host function: facts in, what to cache on the chip out. It knows facts
// of a solver, never its code. Teams and cut are given; the policy chooses the config and the
// residency.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/krylov/plan/plan.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// How often an iteration touches each element of a vector, and what may hold it.
struct vector_facts {
  int loads = 0;
  int stores = 0;
  int values = 1;             ///< per row
  bool gathered = false;      ///< other teams read it: every store also goes to memory
  bool in_registers = false;  ///< a config with slots caches it in registers
  bool whole = false;         ///< a product is written to it: cached whole or not at all
  bool cacheable = true;      ///< may be cached at all
};

/// What a plan knows of a sequence of products, all of which is streamed: it lies in device memory,
/// and in L2 as far as it fits.
struct sequence_facts {
  int phases = 0;             ///< phases of one application
  std::size_t bytes = 0;      ///< that it moves
  std::size_t in_memory = 0;  ///< bytes of its matrices and vectors
};

/// What a policy knows of a Program's problem, cut for `teams` teams.
struct program_facts {
  index rows = 0;
  std::int64_t nonzeros = 0;
  std::size_t scalar_bytes = 8;
  std::size_t bytes_per_iteration = 0;  ///< nothing cached
  int barriers = 0;                     ///< per iteration
  int products = 1;                     ///< vectors that the product multiplies at once
  int columns = 1;                      ///< systems that are solved together
  std::vector<vector_facts> vectors;
  int teams = 1;
  bool in_cluster = false;  ///< all teams form one thread block cluster
  index rows_per_team = 0;  ///< the most that a team owns
  int tiles_per_team = 0;   ///< the most that a team has
  std::size_t tile_bytes = 0;
  bool narrow = true;          ///< columns in 16 bits
  bool may_cache_all = false;  ///< configs that cover all can run it
  /// Elements of the gathered vector that a team needs of others, and sends, at the most; 0 where
  /// teams cannot send any.
  int ghosts_per_team = 0, sends_per_team = 0;
  int sequences = 0;  ///< applications of the sequence per iteration, of Programs that have one
  sequence_facts sequence;   ///< in `barriers` and bytes_per_iteration
  bool own_columns = false;  ///< teams need no elements of others: configs with ghosts fit
};

/// Returns a plan that fits: the config, the residency, and the reason in one line.
using caching_policy = plan (*)(const program_facts&, std::span<const config_facts>,
                                const device_facts&);

/// Tries a plan: seconds per iteration, infinite if it cannot run; nothing: stop trying.
using plan_trial = std::function<std::optional<double>(const plan&)>;

/// A policy that tries plans before it returns one. It is given facts only: the caller decides what
/// a trial runs.
using measuring_policy = plan (*)(const program_facts&, std::span<const config_facts>,
                                  const device_facts&, const plan_trial&);

/// Config and teams of an executor that caches nothing. bytes: what an iteration moves.
DWELL_API plan plain_layout(index rows, std::int64_t nonzeros, std::size_t bytes,
                            std::span<const config_facts> configs, const device_facts& device);

/// Teams of an executor that caches data on the chip: one per multiprocessor, or, for a system so
/// small that barriers are most of its time, as few as form a cluster with a hardware barrier. On a
/// CPU as many as the bytes that an iteration moves are worth.
struct team_choice {
  int teams = 1;
  bool in_cluster = false;
  std::string why;  ///< half a line
};
DWELL_API team_choice caching_teams(index rows, std::int64_t nonzeros, std::size_t bytes,
                                    const device_facts& device);
/// Teams of a number that somebody asked for.
DWELL_API team_choice asked_teams(int teams, const device_facts& device);

/// Config and residency of teams that are alone (executor batch): p.teams systems, of which the
/// largest has p.rows_per_team rows. asked: a config, or -1. The plan of a config that assumes all
/// is not fully cached where the systems do not fit it.
plan apart_layout(const program_facts& p, std::span<const config_facts> configs, int asked,
                  const device_facts& device);

/// All policies of this build. find_policy takes a name or "auto", and throws unsupported_error
/// with the list.
struct named_policy {
  const char* name;
  const char* what;          ///< one line of help
  caching_policy choose;     ///< or null, if
  measuring_policy measure;  ///< it needs trials
  bool picks = false;        ///< among the plans of the others: it makes none of its own
};
std::span<const named_policy> program_policies();
DWELL_API const named_policy& find_policy(std::string_view name);

/// Names of the caching policies of this build, and of those of them that plan without trying
/// anything.
std::vector<std::string> built_policies();
std::vector<std::string> planning_policies();

}  // namespace dwell
