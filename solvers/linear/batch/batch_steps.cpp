// SPDX-License-Identifier: MIT
// The steps of a batch on a CPU: systems are dealt to threads.
#include "dwell/solvers/linear/batch/batch_steps.hpp"

#include "dwell/base/parallel.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/solvers/linear/batch/batch_diagonals.hpp"

namespace dwell {
namespace {

/// f(system) for all of them. Few elements are not worth a thread.
template <class T, class F>
void for_systems(const batch_places<T>& at, F&& f) {
  const int threads = at.all.a.rows < (1 << 16) ? 1 : default_threads();
  for_parts(threads, [&](int part) {
    const auto [first, last] = piece(at.count, part, threads);
    for (int system = first; system < last; ++system) f(at.of(system));
  });
}

template <class T>
void begin_all(const device& where, const batch_places<T>& at) {
  for_systems(
      at, [&](const solve_places<T>& one) { solve_steps_of<T>(backend::cpu).begin(where, one); });
}

template <class T>
void end_all(const device& where, const batch_places<T>& at) {
  for_systems(at, [&](const solve_places<T>& one) {
    solve_steps_of<T>(backend::cpu).end(where, {&one, 1});
  });
}

template <class T>
void weigh_all(const device& where, const batch_places<T>& at) {
  for_systems(at, [&](const solve_places<T>& one) {
    solve_steps_of<T>(backend::cpu).weigh(where, {&one, 1});
  });
}

template <class T>
void restore_some(const device& where, const batch_places<T>& at, const int* which) {
  for (int system = 0; system < at.count; ++system)
    if (which[system]) solve_steps_of<T>(backend::cpu).restore(where, at.of(system));
}

template <class T>
constexpr batch_steps<T> batch_on_cpu = {&begin_all<T>, &end_all<T>, &weigh_all<T>,
                                         &restore_some<T>,
                                         &validating::find_diagonals_with<cpu::setup_loops, T>};

}  // namespace

template <class T>
const batch_steps<T>& batch_steps_of(backend on) {
  return on == backend::cpu ? batch_on_cpu<T> : cuda_backend<batch_steps<T>>();
}

template const batch_steps<double>& batch_steps_of(backend);
template const batch_steps<float>& batch_steps_of(backend);

}  // namespace dwell
