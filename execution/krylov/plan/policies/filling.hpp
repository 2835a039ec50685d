// SPDX-License-Identifier: MIT
// What the policies share: a config's room, and filling it in some order. Private to policies.
#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "dwell/execution/krylov/plan/policy.hpp"
#include "dwell/execution/krylov/spmv/ghosts.hpp"
#include "dwell/execution/krylov/spmv/nonzero_tiles.hpp"

namespace dwell::policies {

/// Own vectors that are touched at all, the most worth caching first.
std::vector<int> by_merit(const program_facts& p);

/// Fills a plan step by step and knows how much scratch is left.
class filling {
 public:
  filling(const program_facts& p, std::span<const config_facts> configs, const device_facts& d,
          int config)
      : p_(p), config_(configs[static_cast<std::size_t>(config)]) {
    plan_.config = config;
    plan_.teams = p.teams;
    plan_.in_cluster = p.in_cluster;
    left_ = room(d);
    // A tile's carry is used at once, and small: it comes first, if it does not take a tenth of
    // all.
    const int parts = p.tiles_per_team * p.products;
    const std::size_t carries = round(static_cast<std::size_t>(parts) * p.scalar_bytes);
    if (carries * 10 <= left_) plan_.cache.carries = parts, left_ -= carries;
  }

  /// Is the whole of vector f in registers under this config?
  bool in_registers(int f) const {
    return p_.vectors[static_cast<std::size_t>(f)].in_registers && config_.shape.slots > 0;
  }
  /// Caches what fits of vector f, at most `share` bytes. A vector in registers takes no scratch.
  void cache_vector(int f, std::size_t share = SIZE_MAX) {
    if (in_registers(f)) return;
    const std::size_t room = std::min(left_, share) / 16 * 16 / p_.scalar_bytes;
    const std::size_t n = std::min<std::size_t>(room, static_cast<std::size_t>(p_.rows_per_team));
    if (p_.vectors[static_cast<std::size_t>(f)].whole &&
        n < static_cast<std::size_t>(p_.rows_per_team))
      return;
    plan_.cache.vector[f] = static_cast<int>(n);
    left_ -= std::min(left_, round(n * p_.scalar_bytes));
  }
  /// Caches the tiles that fit.
  void cache_tiles(std::size_t share = SIZE_MAX) {
    const std::size_t n = std::min<std::size_t>(
        std::min(left_, share) / p_.tile_bytes,
        static_cast<std::size_t>(p_.tiles_per_team - plan_.cache.tiles_in_registers));
    plan_.cache.tiles = static_cast<int>(n);
    left_ -= n * p_.tile_bytes;
  }
  /// Everything, if it fits a config that assumes all.
  bool cache_all() {
    const program_config& shape = config_.shape;
    const bool ghosts = shape.assumes == caching::ghosts;
    if (shape.assumes == caching::part || !p_.may_cache_all || plan_.cache.carries == 0)
      return false;
    if (ghosts ? p_.ghosts_per_team == 0 && !p_.own_columns : shape.wide == p_.narrow) return false;
    if (shape.slots * shape.lanes < p_.rows_per_team) return false;
    plan_.cache.tiles_in_registers =
        std::min(p_.tiles_per_team, shape.tiles_in_registers * shape.lanes / tile_lanes);
    left_ -= std::min(left_, plan_.cache.tiles_in_registers * sizeof(tile_header));
    cache_tiles();
    for (int f : by_merit(p_)) {
      cache_vector(f);
      if (!in_registers(f) && plan_.cache.vector[f] < p_.rows_per_team) return false;
    }
    if (plan_.cache.tiles_in_registers + plan_.cache.tiles < p_.tiles_per_team) return false;
    if (ghosts) {
      if (halo_bytes() > left_) return false;
      plan_.cache.halo = p_.ghosts_per_team;
      plan_.cache.sends = p_.sends_per_team;
      left_ -= halo_bytes();
    }
    return plan_.fully_cached = true;
  }
  std::size_t left() const { return left_; }
  plan& result() { return plan_; }

 private:
  std::size_t halo_bytes() const {
    return round(static_cast<std::size_t>(p_.ghosts_per_team) * p_.scalar_bytes) +
           round(static_cast<std::size_t>(p_.sends_per_team) * sizeof(ghost_send));
  }
  static std::size_t round(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

  /// The scratch to fill. Shared memory is taken from L1, in steps; the last one leaves L1 too
  /// small for the gathers, and is worth it only if the whole problem then stays on the chip. On an
  /// H200 a 27-point mesh of 90^3 took 60.4 us with the last step left to L1 and 67.7 us without.
  std::size_t room(const device_facts& d) const {
    constexpr std::size_t last_step = std::size_t{33} << 10;
    if (!config_.shape.caches || d.shared_per_team <= config_.scratch_bytes) return 0;
    const std::size_t all = d.shared_per_team - config_.scratch_bytes;
    const int tiles_in_registers =
        config_.shape.tiles_in_registers * config_.shape.lanes / tile_lanes;
    std::size_t need =
        static_cast<std::size_t>(std::max(0, p_.tiles_per_team - tiles_in_registers)) *
            p_.tile_bytes +
        static_cast<std::size_t>(p_.tiles_per_team) * p_.scalar_bytes + halo_bytes();
    for (int f = 0; f < static_cast<int>(p_.vectors.size()); ++f) {
      const vector_facts& v = p_.vectors[static_cast<std::size_t>(f)];
      if (v.cacheable && v.loads + v.stores > 0 && !in_registers(f))
        need += round(static_cast<std::size_t>(p_.rows_per_team) * p_.scalar_bytes);
    }
    return d.on == backend::cpu || need <= all || all <= 2 * last_step ? all : all - last_step;
  }

  const program_facts& p_;
  const config_facts& config_;
  plan plan_;
  std::size_t left_ = 0;
};

/// The plan that caches all that an iteration touches, if there is a config for such plans and it
/// fits.
std::optional<plan> cache_all(const program_facts& p, std::span<const config_facts> configs,
                              const device_facts& d);

/// The config whose plans may cache any part.
int config_of_any_part(std::span<const config_facts> configs);

/// Accesses saved per element cached: a gathered vector's stores still go to memory.
double merit(const vector_facts& v);

/// "132 teams of 512 lanes cache 2 vectors in registers, 1 vector whole, 67 of 148 matrix tiles".
std::string describe(const program_facts& p, const plan& how,
                     std::span<const config_facts> configs);

}  // namespace dwell::policies
