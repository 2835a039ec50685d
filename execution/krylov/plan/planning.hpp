// SPDX-License-Identifier: MIT
// From a matrix and a request to a plan: asks for a cut of the matrix, gathers the facts, asks the
// policy, and checks its plan against the device before anything is launched.
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/cluster.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/device/plan_target.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/krylov/plan/policy.hpp"
#include "dwell/execution/krylov/products/sequence.hpp"
#include "dwell/execution/krylov/spmv/cut_matrix.hpp"
#include "dwell/execution/krylov/vectors/cache.hpp"
#include "dwell/execution/krylov/vectors/traffic.hpp"

namespace dwell {

/// What a caller may ask of a plan; 0, -1 and "auto" leave it to the planner.
struct plan_request {
  std::string policy = automatic;
  int teams = 0;
  int config = -1;
  std::size_t scratch_per_team = 0;
  bool clusters = true;          ///< teams may form a thread block cluster
  int exponent = 0;              ///< the matrix is multiplied by 2^exponent
  sequence_facts sequence = {};  ///< facts of a sequence, for Programs that have one
};

/// A plan and the cut that it was made for, which may be that of other plans, too, and need not be
/// filled.
template <class T>
struct planned {
  plan how;
  std::shared_ptr<cut_matrix<T>> cut;
  large_csr_arrays<T> matrix;  ///< what was cut
  int exponent = 0;            ///< that it is to be filled with
  program_facts facts;
  std::vector<config_facts> configs;
  std::string teams_why;  ///< reason for the number of teams, of executors that cache data
};

/// Throws unsupported_error, with the numbers, if `how` asks for more than kernel and device have.
DWELL_API void check_plan(const program_kernel& v, const plan& how,
                          std::span<const config_facts> configs, std::size_t scratch,
                          const device_facts& device);

/// Throws unsupported_error unless there is config `asked`, or -1.
DWELL_API void check_config(int asked, std::size_t configs);

/// Rows that plans for a device are made with: of a GPU that is not here those of every build.
std::span<const program_kernel> kernels_for(const plan_target& target);
/// Facts of all configs of a kernel, as their source promises: the driver would load every kernel
/// before it says more. No plan depends on more.
DWELL_API std::vector<config_facts> configs_of(const program_kernel& v, const plan_target& target);
/// Facts of one config: as the device says or, if it is not here or the kernel is not compiled
/// ahead, as its source promises.
config_facts config_on(const program_kernel& v, const plan_target& target, int config);

/// Throws unsupported_error: a policy that tries plans, where nothing is run.
[[noreturn]] DWELL_API void refuse_to_try(const named_policy& policy);
/// Throws unsupported_error if the policy asked for, or "auto", would have this executor cache.
DWELL_API void check_caches_nothing(const program_kernel& v, const std::string& policy);

/// For planning where nothing can be tried: policies that try plans are refused.
struct no_trial {};

/// Bytes of a row's end: teams that walk tiles have them in 32 bits of their own, the others read
/// row pointers as they are.
template <class T>
std::size_t row_end_bytes(const large_csr_arrays<T>& a, const program_config& shape) {
  return !shape.tiles && a.row_ptr.of_64_bits() ? sizeof(std::int64_t) : sizeof(index);
}

template <class P, class T>
program_facts facts_of_cut(const large_csr_arrays<T>& a, const cut_outline& cut,
                           const traffic& moved) {
  program_facts p;
  p.rows = a.rows;
  p.nonzeros = a.nonzeros;
  p.scalar_bytes = sizeof(T);
  p.bytes_per_iteration = moved.bytes;
  p.barriers = P::phases;
  p.products = product_width_of<P> / column_count<P>;  // a pack of columns waits as one value does
  p.columns = column_count<P>;
  p.teams = static_cast<int>(cut.teams.size());
  for (const team_part& t : cut.teams) {
    p.rows_per_team = std::max(p.rows_per_team, t.end.row - t.begin.row);
    p.tiles_per_team = std::max(p.tiles_per_team, t.last_tile - t.first_tile);
  }
  residency one;
  one.tiles = 1;
  p.tile_bytes = cached_bytes<T>(one, cut.narrow);
  p.narrow = cut.narrow;
  p.may_cache_all = may_cache_all<P>;
  [&]<int... F>(std::integer_sequence<int, F...>) {
    (p.vectors.push_back({moved.loads[F], moved.stores[F], values_of<P, F>, P::uses[F] != use::own,
                          P::in_registers::place_of(F) >= 0, moved.product[F],
                          P::uses[F] == use::own || P::uses[F] == use::gather}),
     ...);
  }
  (std::make_integer_sequence<int, P::vectors>{});
  return p;
}

/// Facts of a sequence; of none, where it is null.
inline sequence_facts facts_of_sequence(const owned_sequence* c) {
  return c ? sequence_facts{c->sequence.phases, c->sequence.bytes, bytes_in_memory(*c)}
           : sequence_facts{};
}
/// A phase that runs the sequence stands for all phases of the sequence.
template <class P>
void add_sequence(const sequence_facts& sequence, program_facts& p) {
  p.barriers += sequences_of<P> * (sequence.phases - 1);
  p.sequences = sequence.phases > 0 ? sequences_of<P> : 0;
  p.sequence = sequence;
}

/// The configs among which a policy may choose: all, or the one asked for.
DWELL_API std::span<const config_facts> offered_configs(std::span<const config_facts> all,
                                                        int asked);
/// With the name of the policy that made it, and the config asked for.
DWELL_API plan signed_plan(plan how, const named_policy& policy, int asked_config);
/// The plan of a policy that needs no trial, for facts of a cut.
DWELL_API plan plan_of(const named_policy& policy, const program_facts& facts,
                       std::span<const config_facts> all, int asked_config,
                       const device_facts& device);

/// `policy`'s plan for the cut of `out`, of the config asked for if there is one. trial(out) tries
/// the plan in out.how, as plan_trial does.
template <class T, class Trial>
plan ask_policy(const named_policy& policy, const program_kernel& v, const device_facts& device,
                const plan_request& request, planned<T>& out, Trial&& trial) {
  const std::span<const config_facts> all = out.configs;
  if (policy.choose) return plan_of(policy, out.facts, all, request.config, device);
  if constexpr (std::is_same_v<std::decay_t<Trial>, no_trial>) {
    refuse_to_try(policy);
  } else {
    const auto measured =
        policy.measure(out.facts, offered_configs(all, request.config), device,
                       [&](const plan& how) -> std::optional<double> {
                         out.how = signed_plan(how, policy, request.config);
                         try {
                           check_plan(v, out.how, all,
                                      cached_bytes<T>(how.cache, out.cut->outline.narrow), device);
                         } catch (const unsupported_error&) {
                           return std::numeric_limits<double>::infinity();
                         }
                         return trial(std::as_const(out));
                       });
    return signed_plan(measured, policy, request.config);
  }
}

/// `midst` are scalars as in the midst of a run, for counting traffic. configs: the kernel's,
/// probed. cuts: of the matrix, where its arrays are; a plan for a device that is not here asks for
/// a cut on the host. trial: see ask_policy().
template <class P, class T, class Trial = no_trial>
planned<T> make_plan(const program_kernel& v, std::vector<config_facts> configs,
                     device_facts device, cut_cache<T>& cuts, const plan_request& request,
                     typename P::scalars steady, Trial&& trial = {}) {
  check_config(request.config, configs.size());
  if (request.scratch_per_team > 0) device.shared_per_team = request.scratch_per_team;
  // Partial sums by the cluster exchange are few.
  if (!request.clusters || has_basis<P>) device.cluster_teams = 0;
  const large_csr_arrays<T>& a = cuts.arrays();
  planned<T> out;
  out.matrix = a;
  out.exponent = request.exponent;
  out.configs = std::move(configs);
  const program_config& likely =
      out.configs[static_cast<std::size_t>(std::max(request.config, 0))].shape;
  traffic moved = traffic_of<P, T>(a.rows, a.nonzeros, steady, row_end_bytes(a, likely));
  moved.bytes += sequences_of<P> * request.sequence.bytes;
  const bool caches = out.configs[0].shape.caches;
  if (!caches) {
    check_caches_nothing(v, request.policy);
    out.how = plain_layout(a.rows, a.nonzeros, moved.bytes, out.configs, device);
    if (request.config >= 0) out.how.config = request.config;
    if (request.teams > 0) out.how.teams = request.teams;
    out.cut =
        cuts.of({out.how.teams, out.configs[static_cast<std::size_t>(out.how.config)].shape.tiles,
                 whole_rows_of<P>});
    out.facts = facts_of_cut<P, T>(a, out.cut->outline, moved);
    add_sequence<P>(request.sequence, out.facts);
  } else {
    team_choice teams = request.teams > 0 ? asked_teams(request.teams, device)
                                          : caching_teams(a.rows, a.nonzeros, moved.bytes, device);
    out.teams_why = std::move(teams.why);
    // A block reaches the scratch of another one in a cluster only; CPU teams follow it in tests.
    const bool ghosts =
        may_cache_all<P> &&
        (teams.in_cluster || (v.on == backend::cpu && teams.teams <= most_cluster_teams));
    out.cut = cuts.of({teams.teams, true, whole_rows_of<P>, ghosts});
    out.facts = facts_of_cut<P, T>(a, out.cut->outline, moved);
    add_sequence<P>(request.sequence, out.facts);
    out.facts.in_cluster = teams.in_cluster;
    if (ghosts) {
      out.facts.ghosts_per_team = out.cut->outline.halo;
      out.facts.sends_per_team = out.cut->outline.sends;
    }
    out.how = ask_policy(find_policy(request.policy), v, device, request, out, trial);
    if (out.how.in_cluster) out.how.reason += ", as one cluster";
  }
  check_plan(v, out.how, out.configs, cached_bytes<T>(out.how.cache, out.cut->outline.narrow),
             device);
  return out;
}

}  // namespace dwell
