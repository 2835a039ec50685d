// SPDX-License-Identifier: MIT
// Finds the device that was asked for, and refuses --threads where it has no effect.
#include "cli/device_choice.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/threads/thread_limit.hpp"

namespace dwell::app {

std::string threads_refusal(const device_choice& choice, int threads, backend found) {
  if (threads == 0 || found == backend::cpu) return {};
  return choice.what == device_choice::kind::automatic
             ? "--threads: expected a run on the CPU, found a GPU; add --device cpu"
             : "--threads: expected a run on the CPU, found --device cuda; use --device cpu";
}

device resolve(const device_choice& choice, int threads, threads_for what) {
  require_threads(threads);
  const auto require_use = [&](backend found) {
    const auto refusal = threads_refusal(choice, threads, found);
    if (what == threads_for::runs && !refusal.empty()) throw input_error(refusal);
  };
  if (choice.what == device_choice::kind::cuda) {
    require_use(backend::cuda);
    return device::cuda(choice.ordinal);
  }
  if (choice.what == device_choice::kind::cpu) return device::cpu(threads);
  const auto best = device::best();
  require_use(best.on());
  return best.on() == backend::cpu ? device::cpu(threads) : best;
}

}  // namespace dwell::app
