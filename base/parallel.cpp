// SPDX-License-Identifier: MIT
// How many threads this process may use: the CPUs of its affinity mask (taskset, containers, batch
// systems), not those of the machine, and no more than its quota of time keeps busy.
#include "dwell/base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <limits>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "dwell/base/control_groups.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/threads_at_most.hpp"

namespace dwell {
namespace {

thread_local int limit_of_thread = std::numeric_limits<int>::max();

int cpus_in_mask() {
  // The kernel refuses a mask smaller than its own, whose size it does not tell: grow until it
  // fits.
  for (std::size_t cpus = 1024; cpus <= (std::size_t{1} << 20); cpus *= 2) {
    cpu_set_t* mask = CPU_ALLOC(cpus);
    if (!mask) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(bytes, mask);
    const int failed = sched_getaffinity(0, bytes, mask) == 0 ? 0 : errno;
    const int allowed = failed ? 0 : CPU_COUNT_S(bytes, mask);
    CPU_FREE(mask);
    if (!failed && allowed > 0) return allowed;
    if (failed != EINVAL) break;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

void run_parts(int parts, void (*call)(void* object, int part), void* object) {
  std::vector<std::exception_ptr> failed(static_cast<std::size_t>(std::max(parts, 1)));
  auto guarded = [&](int part) {
    try {
      call(object, part);
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

int default_threads() {
  return std::min(limit_of_thread, threads_within(cpus_in_mask(), cpu_quota()));
}

threads_at_most::threads_at_most(int most) : before_(limit_of_thread) {
  limit_of_thread = std::clamp(most, 1, before_);
}
threads_at_most::~threads_at_most() { limit_of_thread = before_; }

}  // namespace dwell
