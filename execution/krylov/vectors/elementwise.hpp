// SPDX-License-Identifier: MIT
// An elementwise pass as a member of workspace: first the elements in registers, then blocks of
// which every lane has several under way at once, then the rest.
#pragma once
#include <algorithm>

#include "dwell/execution/krylov/vectors/workspace.hpp"

namespace dwell {

template <class P, class T, class Team, class Shape>
template <int F>
DWELL_FN void workspace<P, T, Team, Shape>::put_slot(int lane, int s, element_index e, T v) {
  if constexpr (in_register<F>()) {
    static_assert(P::uses[F] == use::own);
    cache_.template slot<F>(lane, s) = v;
  } else {
    put<F>(e, v);
  }
}
template <class P, class T, class Team, class Shape>
template <int F>
DWELL_FN T workspace<P, T, Team, Shape>::get_slot(int lane, int s, element_index e) {
  if constexpr (in_register<F>())
    return cache_.template slot<F>(lane, s);
  else
    return *at<F>(e);
}

template <class P, class T, class Team, class Shape>
template <int... R, int... W, class F>
DWELL_FN void workspace<P, T, Team, Shape>::pass(reads<R...>, writes<W...>, F&& f) {
  const element_index owned = element_index(part_.end.row - part_.begin.row) * columns;
  if (pending_) team_.section([](int) {});
  pending_ = false;
  note_writes<W...>();
  constexpr int slots = shape.slots;  // all rows of the team, whether vectors are in registers
  if constexpr (slots > 0)
    team_.each([&](int lane) {
      DWELL_UNROLL
      for (int s = 0; s < slots; ++s) {
        if (s % 4 == 0) Team::settle();  // loads of many slots at once would push others out
        const index e = s * Team::lanes() + lane;
        if (e < owned) {
          T v[P::vectors];
          ((v[R] = get_slot<R>(lane, s, e)), ...);
          f(lane, v);
          (put_slot<W>(lane, s, e, v[W]), ...);
        }
      }
    });
  if constexpr (fully_cached) return;
  // Programs that multiply pairs have fewer registers left for what is on its way.
  constexpr int width = product_width_of<P> / columns, loads = sizeof...(R) > 0 ? sizeof...(R) : 1;
  constexpr int batch = std::clamp((width > 1 ? 12 : 20) / loads, 1, Team::batch);
  constexpr int block = Team::lanes() * batch;
  element_index base = 0;
  for (; base + block <= owned; base += block)
    team_.each([&](int lane) {
      T v[batch][P::vectors];
      DWELL_UNROLL
      for (int b = 0; b < batch; ++b) ((v[b][R] = *at<R>(base + b * Team::lanes() + lane)), ...);
      DWELL_UNROLL
      for (int b = 0; b < batch; ++b) f(lane, v[b]);
      DWELL_UNROLL
      for (int b = 0; b < batch; ++b) (put<W>(base + b * Team::lanes() + lane, v[b][W]), ...);
    });
  for (; base < owned; base += Team::lanes())
    team_.each([&](int lane) {
      if (base + lane >= owned) return;
      T v[P::vectors];
      ((v[R] = *at<R>(base + lane)), ...);
      f(lane, v);
      (put<W>(base + lane, v[W]), ...);
    });
}

}  // namespace dwell
