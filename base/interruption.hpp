// SPDX-License-Identifier: MIT
// Interrupts of long work that is no run of a solver: reading, checks, set-up, convolutions. Who
// starts the work says in an interruption_scope how an interrupt is found; the loops of the work
// poll. A run of a solver has its own (run_control.hpp), since it keeps the answer so far.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <utility>

namespace dwell {

/// While it lives, what the thread that made it does may be interrupted, and so may the parts of
/// for_parts(). Scopes nest: an inner one asks the outer ones too.
class interruption_scope {
 public:
  /// wanted(): is the work to end? Called by the scope's own thread only, while it polls, `between`
  /// two calls at least. May throw, which ends the work as well. Empty: nothing in the scope is
  /// interrupted, whatever the outer ones say.
  explicit interruption_scope(std::function<bool()> wanted,
                              std::chrono::milliseconds between = std::chrono::milliseconds(20));
  ~interruption_scope();
  interruption_scope(const interruption_scope&) = delete;
  interruption_scope& operator=(const interruption_scope&) = delete;

  /// Do the scopes around this one want the end? For who is to ask in a scope that nothing
  /// interrupts.
  bool wanted_outside() const;

  /// That of this thread, or null.
  static interruption_scope* current();

  /// A thread that does a part of the work of a scope's thread, or of none where `of` is null.
  class member {
   public:
    explicit member(interruption_scope* of);
    ~member();
    member(const member&) = delete;
    member& operator=(const member&) = delete;
  };

 private:
  friend void poll_interruption();
  void poll(bool own_thread);

  const std::function<bool()> wanted_;
  const std::chrono::milliseconds between_;
  interruption_scope* const outer_;
  const bool outer_is_own_;  ///< the thread has made the outer one too
  std::atomic<bool> ended_{false};
  std::chrono::steady_clock::time_point next_;
};

/// To be called now and then by loops that may take long. Throws interrupted_error once the work of
/// this thread is to end.
void poll_interruption();
/// Polls in a loop over i, one step of which is short.
template <class I>
inline void poll_interruption_at(I i) {
  constexpr I steps = 1024;
  if (i % steps == 0) poll_interruption();
}

}  // namespace dwell
