// SPDX-License-Identifier: MIT
// From a matrix and a wish to a plan: cuts the matrix, gathers the facts, asks the policy, and
// checks what it says against the device before anything is launched.
#pragma once
#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dwell/execution/core/policy.hpp"
#include "dwell/execution/core/store_keep.hpp"
#include "dwell/execution/core/tiles.hpp"
#include "dwell/execution/core/traffic.hpp"
#include "dwell/execution/core/variant.hpp"
#include "dwell/execution/core/variants.hpp"
#include "dwell/execution/core/window.hpp"
#include "dwell/formats/error.hpp"

namespace dwell {

/// What a caller may ask of a plan; 0, -1 and "auto" leave it to the planner.
struct plan_request {
  std::string policy = "auto";
  int teams = 0;
  int rung = -1;
  std::size_t scratch_per_team = 0;
  bool clusters = true;  ///< teams may form a thread block cluster
  int exponent = 0;      ///< the matrix is multiplied by 2^exponent
};

/// A plan and the cut that it was made for.
template <class T>
struct planned {
  plan how;
  tiled_matrix<T> cut;
  tile_windows windows;  ///< of it, for systems that may run in them
  program_facts facts;
  std::vector<rung_facts> rungs;
  std::string teams_why;  ///< of executors that keep data: why so many teams
};

/// Throws unsupported_error, with the numbers, if `how` asks for more than kernel and device have.
void check_plan(const program_variant& v, const plan& how, std::span<const rung_facts> rungs,
                std::size_t scratch, const device_facts& device);

/// For planning where nothing can be tried: policies that try plans are refused.
struct no_trial {};

/// The policy that "auto" stands for.
inline constexpr const char* auto_policy = "model";

template <class P, class T>
program_facts facts_of_cut(const csr_view<T>& a, const tiled_matrix<T>& cut, const traffic& moved) {
  program_facts p;
  p.rows = a.rows;
  p.nonzeros = a.nonzeros();
  p.scalar_bytes = sizeof(T);
  p.bytes_per_iteration = moved.bytes;
  p.barriers = P::phases;
  p.products = product_width_of<P>;
  p.teams = static_cast<int>(cut.teams.size());
  for (const team_share& t : cut.teams) {
    p.rows_per_team = std::max(p.rows_per_team, t.end.row - t.begin.row);
    p.tiles_per_team = std::max(p.tiles_per_team, t.last_tile - t.first_tile);
  }
  residency one;
  one.tiles = 1;
  p.tile_bytes = kept_bytes<T>(one, cut.wide.empty());
  p.narrow = cut.wide.empty();
  p.may_keep_all = gathered_vector_of<P> >= 0;
  for (int f = 0; f < P::vectors; ++f)
    p.vectors.push_back({moved.loads[f], moved.stores[f], P::uses[f] != use::own,
                         P::in_registers::place_of(f) >= 0, moved.product[f],
                         P::uses[f] == use::own || P::uses[f] == use::gather});
  return p;
}

/// `policy`'s plan for out.cut, of the rung asked for if there is one. trial(out) tries the plan in
/// out.how, as plan_trial does.
template <class T, class Trial>
plan ask_policy(const named_policy& policy, const program_variant& v, const device_facts& device,
                const plan_request& wish, planned<T>& out, Trial&& trial) {
  const std::span<const rung_facts> all = out.rungs;
  const auto offered = wish.rung < 0 ? all : all.subspan(static_cast<std::size_t>(wish.rung), 1);
  const auto finished = [&](plan how) {
    if (wish.rung >= 0) how.rung = wish.rung;
    how.policy = policy.name;
    if (how.chosen.empty()) how.chosen = policy.name;
    return how;
  };
  if (policy.choose) return finished(policy.choose(out.facts, offered, device));
  if constexpr (std::is_same_v<std::decay_t<Trial>, no_trial>) {
    throw unsupported_error(fmt::format(
        "policy '{}' tries plans on the device, and nothing is run here: expected one of {}",
        policy.name, fmt::join(planning_policies(), ", ")));
  } else {
    return finished(
        policy.measure(out.facts, offered, device, [&](const plan& how) -> std::optional<double> {
          out.how = finished(how);
          try {
            check_plan(v, out.how, all, kept_bytes<T>(how.keep, out.cut.wide.empty()), device);
          } catch (const unsupported_error&) {
            return std::numeric_limits<double>::infinity();
          }
          return trial(std::as_const(out));
        }));
  }
}

/// `midst` are scalars as in the midst of a run, for counting traffic. rungs: the variant's,
/// probed. trial: see ask_policy().
template <class P, class T, class Trial = no_trial>
planned<T> make_plan(const program_variant& v, std::vector<rung_facts> rungs, device_facts device,
                     const csr_view<T>& a, const plan_request& wish, typename P::scalars midst,
                     Trial&& trial = {}) {
  if (wish.rung < -1 || wish.rung >= static_cast<int>(rungs.size()))
    throw unsupported_error(
        fmt::format("expected a rung from 0 to {}, found {}", rungs.size() - 1, wish.rung));
  if (wish.scratch_per_team > 0) device.shared_per_team = wish.scratch_per_team;
  if (!wish.clusters) device.cluster_teams = 0;
  const traffic moved = traffic_of<P, T>(a.rows, a.nonzeros(), midst);
  planned<T> out;
  out.rungs = std::move(rungs);
  const bool keeps = out.rungs[0].shape.keeps;
  if (!keeps) {
    if (wish.policy != "auto" && wish.policy != "none")
      throw unsupported_error(
          fmt::format("executor '{}' keeps nothing on the chip: expected policy none, found '{}' "
                      "(executor perks has policies)",
                      v.executor, wish.policy));
    out.how = plain_layout(a.rows, a.nonzeros(), moved.bytes, out.rungs, device);
    if (wish.rung >= 0) out.how.rung = wish.rung;
    if (wish.teams > 0) out.how.teams = wish.teams;
    out.cut = cut(a, out.how.teams, out.rungs[static_cast<std::size_t>(out.how.rung)].shape.tiles,
                  whole_rows_of<P>, wish.exponent);
    out.facts = facts_of_cut<P, T>(a, out.cut, moved);
  } else {
    team_choice teams = wish.teams > 0 ? asked_teams(wish.teams, device)
                                       : kept_teams(a.rows, a.nonzeros(), moved.bytes, device);
    out.teams_why = std::move(teams.why);
    out.cut = cut(a, teams.teams, true, whole_rows_of<P>, wish.exponent);
    out.facts = facts_of_cut<P, T>(a, out.cut, moved);
    out.facts.in_cluster = teams.in_cluster;
    // A block reaches the scratch of another one in a cluster only; CPU teams play what it does.
    if (gathered_vector_of<P> >= 0 &&
        (teams.in_cluster || (v.on == backend::cpu && teams.teams <= most_cluster_teams))) {
      out.windows = windows_of(out.cut);
      out.facts.halo_per_team = out.windows.halo;
      out.facts.sends_per_team = out.windows.sends;
    }
    const named_policy& policy = find_policy(wish.policy == "auto" ? auto_policy : wish.policy);
    out.how = ask_policy(policy, v, device, wish, out, trial);
    if (out.how.in_cluster) out.how.reason += ", as one cluster";
  }
  check_plan(v, out.how, out.rungs, kept_bytes<T>(out.how.keep, out.cut.wide.empty()), device);
  return out;
}

}  // namespace dwell
