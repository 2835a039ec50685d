// SPDX-License-Identifier: MIT
// What the host does between two phases of a run whose phases it launches one by one.
#pragma once

namespace dwell {

class between_phases {
 public:
  between_phases() = default;
  between_phases(const between_phases&) = delete;
  between_phases& operator=(const between_phases&) = delete;
  virtual ~between_phases() = default;
  virtual void run_begins() = 0;
  virtual void run_ended() = 0;
  /// A phase has ended. sums: it gave partial sums; elements: it wrote elements of vectors that
  /// others read. Both are the same on all ranks.
  virtual void phase_ended(bool sums, bool elements) = 0;
  /// In a phase, by all teams: returns when elements of other ranks are there, which may still be
  /// on their way when a phase begins. The first team is on the thread that launches phases.
  virtual void await_elements(bool first_team) = 0;
};

}  // namespace dwell
