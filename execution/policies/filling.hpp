// SPDX-License-Identifier: MIT
// What the policies share: a rung's room, and filling it in some order. Private to policies.
#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "dwell/execution/core/policy.hpp"
#include "dwell/execution/core/window.hpp"

namespace dwell::policies {

/// Own vectors that are touched at all, the most worth keeping first.
std::vector<int> by_merit(const program_facts& p);

/// Fills a plan step by step and knows how much scratch is left.
class filling {
 public:
  filling(const program_facts& p, std::span<const rung_facts> rungs, const device_facts& d,
          int rung)
      : p_(p), rung_(rungs[static_cast<std::size_t>(rung)]) {
    plan_.rung = rung;
    plan_.teams = p.teams;
    plan_.in_cluster = p.in_cluster;
    left_ = room(d);
    // A tile's carry is used at once, and small: it comes first, if it does not take a tenth of
    // all.
    const int parts = p.tiles_per_team * p.products;
    const std::size_t carries = round(static_cast<std::size_t>(parts) * p.scalar_bytes);
    if (carries * 10 <= left_) plan_.keep.carries = parts, left_ -= carries;
  }

  /// Is the whole of vector f in registers under this rung?
  bool in_registers(int f) const {
    return p_.vectors[static_cast<std::size_t>(f)].in_registers && rung_.shape.slots > 0;
  }
  /// As much of vector f as fits, at most `share` bytes. A vector in registers takes no scratch.
  void keep_vector(int f, std::size_t share = SIZE_MAX) {
    if (in_registers(f)) return;
    const std::size_t room = std::min(left_, share) / 16 * 16 / p_.scalar_bytes;
    const std::size_t n = std::min<std::size_t>(room, static_cast<std::size_t>(p_.rows_per_team));
    if (p_.vectors[static_cast<std::size_t>(f)].whole &&
        n < static_cast<std::size_t>(p_.rows_per_team))
      return;
    plan_.keep.vector[f] = static_cast<int>(n);
    left_ -= std::min(left_, round(n * p_.scalar_bytes));
  }
  /// As many tiles as fit.
  void keep_tiles(std::size_t share = SIZE_MAX) {
    const std::size_t n =
        std::min<std::size_t>(std::min(left_, share) / p_.tile_bytes,
                              static_cast<std::size_t>(p_.tiles_per_team - plan_.keep.held));
    plan_.keep.tiles = static_cast<int>(n);
    left_ -= n * p_.tile_bytes;
  }
  /// Everything, if it fits a rung that covers all.
  bool keep_all() {
    const rung& shape = rung_.shape;
    const bool windows = shape.covers == keeping::windows;
    if (shape.covers == keeping::part || !p_.may_keep_all || plan_.keep.carries == 0) return false;
    if (windows ? p_.halo_per_team == 0 : shape.wide == p_.narrow) return false;
    if (shape.slots * shape.lanes < p_.rows_per_team) return false;
    plan_.keep.held = std::min(p_.tiles_per_team, shape.held * shape.lanes / tile_lanes);
    left_ -= std::min(left_, plan_.keep.held * sizeof(tile_header));
    keep_tiles();
    for (int f : by_merit(p_)) {
      keep_vector(f);
      if (!in_registers(f) && plan_.keep.vector[f] < p_.rows_per_team) return false;
    }
    if (plan_.keep.held + plan_.keep.tiles < p_.tiles_per_team) return false;
    if (windows) {
      if (halo_bytes() > left_) return false;
      plan_.keep.halo = p_.halo_per_team;
      plan_.keep.sends = p_.sends_per_team;
      left_ -= halo_bytes();
    }
    return plan_.keeps_all = true;
  }
  std::size_t left() const { return left_; }
  plan& result() { return plan_; }

 private:
  std::size_t halo_bytes() const {
    return round(static_cast<std::size_t>(p_.halo_per_team) * p_.scalar_bytes) +
           round(static_cast<std::size_t>(p_.sends_per_team) * sizeof(halo_send));
  }
  static std::size_t round(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

  /// The scratch to fill. Shared memory is taken from L1, in steps; the last one leaves L1 too
  /// small for the gathers, and is worth it only if the whole problem then stays on the chip. On an
  /// H200 a 27-point mesh of 90^3 took 60.4 us with the last step left to L1 and 67.7 us without.
  std::size_t room(const device_facts& d) const {
    constexpr std::size_t last_step = std::size_t{33} << 10;
    if (!rung_.shape.keeps || d.shared_per_team <= rung_.scratch_bytes) return 0;
    const std::size_t all = d.shared_per_team - rung_.scratch_bytes;
    const int held = rung_.shape.held * rung_.shape.lanes / tile_lanes;
    std::size_t need =
        static_cast<std::size_t>(std::max(0, p_.tiles_per_team - held)) * p_.tile_bytes +
        static_cast<std::size_t>(p_.tiles_per_team) * p_.scalar_bytes + halo_bytes();
    for (int f = 0; f < static_cast<int>(p_.vectors.size()); ++f) {
      const vector_facts& v = p_.vectors[static_cast<std::size_t>(f)];
      if (v.keepable && v.loads + v.stores > 0 && !in_registers(f))
        need += round(static_cast<std::size_t>(p_.rows_per_team) * p_.scalar_bytes);
    }
    return d.on == backend::cpu || need <= all || all <= 2 * last_step ? all : all - last_step;
  }

  const program_facts& p_;
  const rung_facts& rung_;
  plan plan_;
  std::size_t left_ = 0;
};

/// The plan that keeps all that an iteration touches, if there is a rung for such plans and it
/// fits.
std::optional<plan> keep_all(const program_facts& p, std::span<const rung_facts> rungs,
                             const device_facts& d);

/// Of rungs that need not keep all: the one without register slots, and the one with the fewest
/// that hold a team's rows; -1: none.
int rung_without_slots(std::span<const rung_facts> rungs);
int rung_with_slots(const program_facts& p, std::span<const rung_facts> rungs);

/// Accesses saved per element kept: a gathered vector's stores still go to memory.
double merit(const vector_facts& v);

/// "132 teams of 512 lanes keep 2 vectors in registers, 1 vector whole, 67 of 148 matrix tiles".
std::string describe(const program_facts& p, const plan& how, std::span<const rung_facts> rungs);

}  // namespace dwell::policies
