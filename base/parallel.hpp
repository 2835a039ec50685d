// SPDX-License-Identifier: MIT
// Fork and join for set-up work (reading, sorting, checking): f(part) for every part, each on a
// thread of its own as far as the system starts them. The first exception is rethrown once all have
// ended.
#pragma once
#include <algorithm>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "dwell/base/interruption.hpp"

namespace dwell {

/// The number of threads to use where none was asked for: the CPUs that this process may run on,
/// by its affinity and by the quota of its control groups.
int default_threads();

/// Runs f(part) for part = 0 .. parts - 1 and returns when all are done. No part may wait for
/// another: parts whose thread cannot be started run on the caller's, one after the other. Parts
/// that poll_interruption() end where the caller's work is to end.
template <class F>
void for_parts(int parts, F&& f) {
  std::vector<std::exception_ptr> failed(static_cast<std::size_t>(std::max(parts, 1)));
  auto guarded = [&](int part) {
    try {
      f(part);
    } catch (...) {
      failed[static_cast<std::size_t>(part)] = std::current_exception();
    }
  };
  const auto on_thread = [&, scope = interruption_scope::current()](int part) {
    const interruption_scope::member of(scope);
    guarded(part);
  };
  std::vector<std::jthread> others;
  others.reserve(failed.size());
  int begun = 1;
  try {
    for (; begun < parts; ++begun) others.emplace_back(on_thread, begun);
  } catch (const std::system_error&) {  // the system starts no more
  } catch (const std::bad_alloc&) {
  }
  if (parts > 0) guarded(0);
  for (; begun < parts; ++begun) guarded(begun);
  others.clear();
  for (auto& e : failed)
    if (e) std::rethrow_exception(e);
}

/// The half-open range of `part` when n things are cut into `parts` nearly equal pieces.
template <class I>
std::pair<I, I> piece(I n, int part, int parts) {
  const auto at = [&](int p) { return static_cast<I>(static_cast<__int128>(n) * p / parts); };
  return {at(part), at(part + 1)};
}

}  // namespace dwell
