// SPDX-License-Identifier: MIT
// The layers of a tile that are not in registers: the first of them in scratch, the others in
// memory that this team alone touches. A layer holds N values of every lane; only that lane reads
// and writes them, so nobody has to wait for anybody. Lanes lie side by side: no bank conflicts,
// whole lines.
#pragma once
#include <cstddef>

#include "dwell/formats/fn.hpp"

namespace dwell {

/// A lane's values of one layer.
template <class T, int N>
struct lane_layer {
  T v[N];
};

template <class T, int N, int Lanes>
class kept_layers {
 public:
  using layer = lane_layer<T, N>;

  DWELL_FN kept_layers(T* kept, int kept_count, T* streamed)
      : kept_(kept), streamed_(streamed), kept_count_(kept_count) {}

  DWELL_FN layer get(int lane, int q) const {
    return q < kept_count_ ? read(kept_ + offset(lane, q))
                           : read(streamed_ + offset(lane, q - kept_count_));
  }
  DWELL_FN void put(int lane, int q, const layer& v) {
    if (q < kept_count_)
      write(kept_ + offset(lane, q), v);
    else
      write(streamed_ + offset(lane, q - kept_count_), v);
  }

 private:
  DWELL_FN static std::ptrdiff_t offset(int lane, int q) {
    return static_cast<std::ptrdiff_t>(q) * (N * Lanes) + lane;
  }
  DWELL_FN static layer read(const T* p) {
    layer v;
    DWELL_UNROLL
    for (int k = 0; k < N; ++k) v.v[k] = p[k * Lanes];
    return v;
  }
  DWELL_FN static void write(T* p, const layer& v) {
    DWELL_UNROLL
    for (int k = 0; k < N; ++k) p[k * Lanes] = v.v[k];
  }

  T *kept_, *streamed_;
  int kept_count_;
};

}  // namespace dwell
