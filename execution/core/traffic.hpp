// SPDX-License-Identifier: MIT
// The bytes that one iteration of a Program must move when nothing stays on the chip, counted by
// running its phases on a store that only counts: what a phase reads and writes stands in its text.
#pragma once
#include <cstddef>

#include "dwell/execution/core/program.hpp"

namespace dwell {

template <class P, class T>
class traffic_store {
 public:
  using program = P;
  using value = T;
  traffic_store(index rows, index nonzeros) : rows_(rows), nonzeros_(nonzeros) {}

  template <int... R, int... W, class F>
  void each_owned(reads<R...>, writes<W...>, F&&) {
    bytes_ += (sizeof...(R) + sizeof...(W)) * sizeof(T) * rows_;
  }
  template <int... R, int... W, int First, int Count, class F>
  void each_owned(reads<R...> in, writes<W...> out, adds_to<First, Count>, F&& f) {
    each_owned(in, out, f);
  }
  template <int Count = 1>
  sums<Count> total(int) const {
    sums<Count> s;
    for (double& v : s.v) v = 1.0;
    return s;
  }
  /// Values, columns, row ends, the gathered vector once, the result once.
  template <int In, int Out, int Sum>
  void spmv(adds_to<Sum>) {
    bytes_ += (sizeof(T) + sizeof(index)) * nonzeros_ + (sizeof(index) + 2 * sizeof(T)) * rows_;
  }
  template <int Out>
  void finish() {}
  void note(int, double) {}
  void poll() {}
  bool interrupted() const { return false; }

  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t rows_, nonzeros_, bytes_ = 0;
};

/// Bytes of one iteration in the midst of a run, begun with the scalars `m`.
template <class P, class T>
std::size_t bytes_per_iteration(index rows, index nonzeros, typename P::scalars m) {
  traffic_store<P, T> s(rows, nonzeros);
  [&]<int... K>(std::integer_sequence<int, K...>) { (P::template phase<K, T>(s, m), ...); }
  (std::make_integer_sequence<int, P::phases>{});
  return s.bytes();
}

}  // namespace dwell
