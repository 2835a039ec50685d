// SPDX-License-Identifier: MIT
// The flags by which the teams of a run and the host meet: state, monitor, barrier, tickets, flags.
// They lie together, so that one operation zeroes all of them before a run; zeroed they stand for a
// run that has not begun.
#pragma once
#include <cstddef>

#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/engine.hpp"

namespace dwell {

/// The flags that a plan has.
inline std::size_t flag_count(const stencil_engine& engine, const stencil_plan& how) {
  if (how.subdomains_x > 0) {
    const auto columns = static_cast<std::size_t>(how.subdomains_x * how.subdomains_z);
    const auto rows = static_cast<std::size_t>(
        how.subdomains_y > how.side_subdomains_y ? how.subdomains_y : how.side_subdomains_y);
    return columns * rows * flag_distance;
  }
  return engine.shape().tile_flags ? static_cast<std::size_t>(how.tiles()) * tile_flag_distance : 0;
}

class stencil_flags {
 public:
  explicit stencil_flags(std::size_t flags) : flags_(flags) {}
  std::size_t bytes() const { return first_flag + flags_ * sizeof(unsigned); }
  /// Points `a` to them; `begin` is aligned to a line.
  template <class T>
  void place(std::byte* begin, stencil_args<T>& a) const {
    a.state = reinterpret_cast<stencil_state*>(begin);
    a.watch = reinterpret_cast<monitor*>(begin + distance);
    a.barrier = reinterpret_cast<unsigned*>(begin + 2 * distance);
    a.tickets = reinterpret_cast<unsigned*>(begin + 3 * distance);
    a.flags = flags_ > 0 ? reinterpret_cast<unsigned*>(begin + first_flag) : nullptr;
  }

 private:
  /// No two of them share a line, nor those that are read with them.
  static constexpr std::size_t distance = 256, first_flag = 4 * distance;
  static_assert(sizeof(stencil_state) <= distance && sizeof(monitor) <= distance);
  std::size_t flags_;
};

}  // namespace dwell
