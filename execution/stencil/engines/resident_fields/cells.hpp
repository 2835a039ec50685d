// SPDX-License-Identifier: MIT
// Values of a lane of engine resident_fields, and a cell of it as a stencil sees it.
#pragma once
#include "dwell/execution/stencil/engines/resident_fields/sizes.hpp"

namespace dwell {

template <class S, class T, resident_config C>
struct resident_cells {
  T v[S::fields][C.across * C.rows * C.deep];
};
/// Coefficients that lanes hold.
template <class T, resident_config C>
struct resident_held {
  T v[C.held > 0 ? C.held : 1][C.across * C.rows * C.deep];
};

/// One cell of a lane.
template <class S, class T, resident_config C>
struct resident_view {
  using value = T;
  using sizes = resident_sizes<S, T, C>;
  const resident_cells<S, T, C>& own;
  const resident_held<T, C>& held;
  const T* at;  ///< in scratch, the lane's first cell
  const T* p;
  T (&made)[S::fields];
  int plane, row, column;  ///< in the lane

  template <int P>
  DWELL_FN T parameter() const {
    return p[P];
  }
  template <int F>
  DWELL_FN void put(T v) const {
    made[F] = v;
  }
  template <int A, int Dz, int Dy, int Dx>
  DWELL_FN T tap() const {
    const int z = plane + Dz, r = row + Dy, c = column + Dx;
    const int k = (z * C.rows + r) * C.across + c;
    if constexpr (A < S::fields) {
      if (z >= 0 && z < C.deep && r >= 0 && r < C.rows && c >= 0 && c < C.across)
        return own.v[A][k];
    }
    if constexpr (sizes::template held_place<A> >= 0)
      return held.v[sizes::template held_place<A>][k];
    else
      return at[sizes::template scratch_place<A> + sizes::offset(z, r, c)];
  }
};

}  // namespace dwell
