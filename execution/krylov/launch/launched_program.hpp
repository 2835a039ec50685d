// SPDX-License-Identifier: MIT
// What launches ask of the arguments of any Program, as values: launchers know no type of a
// Program.
#pragma once
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "dwell/execution/device/between_launches.hpp"
#include "dwell/execution/device/monitor.hpp"
#include "dwell/execution/krylov/program_args.hpp"
#include "dwell/execution/krylov/vectors/cache.hpp"

namespace dwell {

/// How often an iteration runs each phase.
template <class P, class T>
std::array<int, P::phases> times_of_phases(const program_args<P, T>& a) {
  return [&]<int... K>(std::integer_sequence<int, K...>)->std::array<int, P::phases> {
    return {times_of<P, K>(a)...};
  }
  (std::make_integer_sequence<int, P::phases>{});
}

struct launched_program {
  const void* args = nullptr;          ///< a program_args<P, T>, which kernels take
  const int* stop = nullptr;           ///< in the device's memory; 0: the run goes on
  monitor* watch = nullptr;            ///< watch of the run
  between_launches* behind = nullptr;  ///< exchange of several ranks, or null
  bool in_cluster = false;             ///< all teams are one thread block cluster
  std::size_t cached_bytes = 0;        ///< scratch of a team in which the plan caches
  std::vector<int> times = {};         ///< times_of_phases()
  std::vector<output> outputs = {};    ///< what each phase may leave for other ranks
};

/// args: a program_args<P, T>. What it says holds until a run begins anew.
template <class P, class T>
launched_program launched_program_of(const void* args) {
  const auto& a = *static_cast<const program_args<P, T>*>(args);
  const auto times = times_of_phases(a);
  launched_program out;
  out.args = args;
  out.stop = &a.state->stop;
  out.watch = a.watch;
  out.behind = a.behind;
  out.in_cluster = a.in_cluster;
  out.cached_bytes = cached_bytes<T>(a.cache, a.tiles.narrow != nullptr);
  out.times.assign(times.begin(), times.end());
  [&]<int... K>(std::integer_sequence<int, K...>) { (out.outputs.push_back(output_of<P, K>), ...); }
  (std::make_integer_sequence<int, P::phases>{});
  return out;
}

}  // namespace dwell
