// SPDX-License-Identifier: MIT
// A team on a CPU that is alone with its part of the work: see alone_team_cuda.cuh. A thread plays
// one such team after the other; none waits for another one.
#pragma once
#include <cstddef>

#include "dwell/execution/team/team_cpu.hpp"

namespace dwell {

template <int Lanes>
class cpu_alone_team : public cpu_team<Lanes> {
 public:
  static constexpr bool alone = true;

  /// partials: partial_slots doubles of its own.
  cpu_alone_team(int part, bool reversed, std::byte* scratch, std::size_t scratch_bytes,
                 double* partials)
      : cpu_team<Lanes>(0, 1, nullptr, reversed, scratch, scratch_bytes, partials), part_(part) {}

  int part() const { return part_; }
  void sync_grid() {}

 private:
  int part_;
};

}  // namespace dwell
