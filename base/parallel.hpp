// SPDX-License-Identifier: MIT
// Fork and join for set-up work (reading, sorting, checking): f(part) for every part, each on a
// thread of its own as far as the system starts them. The first exception is rethrown once all have
// ended.
#pragma once
#include <memory>
#include <type_traits>
#include <utility>

namespace dwell {

/// The number of threads to use where none was asked for: the CPUs that this process may run on,
/// by its affinity and by the quota of its control groups.
int default_threads();

/// Runs call(object, part) for part = 0 .. parts - 1 and returns when all are done. No part may
/// wait for another: parts whose thread cannot be started run on the caller's, one after the other.
/// Parts that poll_interruption() end where the caller's work is to end.
void run_parts(int parts, void (*call)(void* object, int part), void* object);

/// The parts of a function object, f(part). Threads are started in one place for all of them: code
/// for threads of each type of f would be a third of what a build compiles for set-ups.
template <class F>
void for_parts(int parts, F&& f) {
  using object = std::remove_reference_t<F>;
  run_parts(
      parts, [](void* o, int part) { (*static_cast<object*>(o))(part); },
      const_cast<void*>(static_cast<const void*>(std::addressof(f))));
}

/// The half-open range of `part` when n things are cut into `parts` nearly equal pieces.
template <class I>
std::pair<I, I> piece(I n, int part, int parts) {
  const auto at = [&](int p) { return static_cast<I>(static_cast<__int128>(n) * p / parts); };
  return {at(part), at(part + 1)};
}

}  // namespace dwell
