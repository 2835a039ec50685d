// SPDX-License-Identifier: MIT
// The plan of teams that are alone, each with a system of its own (executor batch): a cut at the
// given rows, and a config for the largest system.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "dwell/execution/krylov/plan/planning.hpp"

namespace dwell {

/// Systems whose rows follow each other in one matrix.
struct systems_request {
  int count = 0;
  const index* first_rows = nullptr;  ///< count + 1, in memory of the device; stay valid
  index most_rows = 0;                ///< most rows of a system
};

/// request: its config, scratch_per_team and exponent count. configs: the kernel's. cuts: of the
/// matrix, where its arrays are.
template <class P, class T>
planned<T> make_plan_apart(const program_kernel& v, std::vector<config_facts> configs,
                           device_facts device, cut_cache<T>& cuts, const plan_request& request,
                           const systems_request& systems, typename P::scalars steady) {
  constexpr index most_places = 1 << 16;  // columns have 16 bits
  check_config(request.config, configs.size());
  if (request.scratch_per_team > 0) device.shared_per_team = request.scratch_per_team;
  const large_csr_arrays<T>& a = cuts.arrays();
  planned<T> out;
  out.matrix = a;
  out.exponent = request.exponent;
  out.configs = std::move(configs);
  cut_request asked;
  asked.teams = systems.count;
  asked.by_tiles = out.configs[static_cast<std::size_t>(std::max(request.config, 0))].shape.tiles;
  asked.whole_rows = true;
  asked.first_rows = systems.first_rows;
  asked.own_columns = asked.by_tiles && systems.most_rows <= most_places;
  out.cut = cuts.of(asked);
  out.facts = facts_of_cut<P, T>(a, out.cut->outline, traffic_of<P, T>(a.rows, a.nonzeros, steady));
  out.facts.own_columns = out.cut->outline.own_columns;
  out.how = apart_layout(out.facts, out.configs, request.config, device);
  check_plan(v, out.how, out.configs, cached_bytes<T>(out.how.cache, out.cut->outline.narrow),
             device);
  return out;
}

}  // namespace dwell
