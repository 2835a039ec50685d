// SPDX-License-Identifier: MIT
// The bytes that one iteration of a Program must move when nothing stays on the chip, counted by
// running its phases on a store that only counts: a phase names what it reads and writes.
#pragma once
#include <cstddef>
#include <utility>

#include "dwell/execution/program/program.hpp"

namespace dwell {

/// Per iteration: bytes in all, and how often each element of a vector is loaded and stored.
struct traffic {
  std::size_t bytes = 0;
  int loads[max_vectors] = {};
  int stores[max_vectors] = {};
  bool product[max_vectors] = {};  ///< an SpMV writes to it
};

template <class P, class T>
class traffic_store {
 public:
  traffic_store(index rows, index nonzeros) : rows_(rows), nonzeros_(nonzeros) {}

  template <int... R, int... W, class F>
  void each_owned(reads<R...>, writes<W...>, F&&) {
    (load(R), ...);
    (store(W), ...);
  }
  template <int... R, int... W, int First, int Count, class F>
  void each_owned(reads<R...> in, writes<W...> out, adds_to<First, Count>, F&& f) {
    each_owned(in, out, f);
  }
  template <int Count = 1, bool Listen = false>
  sums<Count> total(int, int = 0) const {
    sums<Count> s;
    for (double& v : s.v) v = 1.0;
    return s;
  }
  /// Values, columns and row ends once; the result stored, and both vectors loaded for the sum. The
  /// gathers themselves are counted as those loads: at best every element comes once.
  template <int In, int Out, int Sum>
  void spmv(adds_to<Sum>) {
    all_.bytes += (sizeof(T) + sizeof(index)) * nonzeros_ + sizeof(index) * rows_;
    store(Out);
    load(Out);
    load(In);
    all_.product[Out] = true;
  }
  template <int In, int... Out>
  void spmv() {
    all_.bytes += (sizeof(T) + sizeof(index)) * nonzeros_ + sizeof(index) * rows_;
    (store(Out), ...);
    for (int w = 0; w < static_cast<int>(sizeof...(Out)); ++w) load(In + w);
    ((all_.product[Out] = true), ...);
  }
  void exchange(int) {}
  // Of a chain: all of it at once; what its products move is counted by whoever made it.
  int chain_phase() const { return 0; }
  int chain_phases() const { return 1; }
  template <int Out>
  void run_chain() {
    store(Out);
    all_.product[Out] = true;
  }
  template <int Out>
  void finish() {}
  void note(int, double, const step_coefficients&) {}
  void poll(int = 0) {}
  bool interrupted() const { return false; }

  const traffic& result() const { return all_; }

 private:
  void load(int f) {
    ++all_.loads[f];
    all_.bytes += sizeof(T) * rows_;
  }
  void store(int f) {
    ++all_.stores[f];
    all_.bytes += sizeof(T) * rows_;
  }

  std::size_t rows_, nonzeros_;
  traffic all_;
};

/// What one iteration in the midst of a run moves, begun with the scalars `m`.
template <class P, class T>
traffic traffic_of(index rows, index nonzeros, typename P::scalars m) {
  traffic_store<P, T> s(rows, nonzeros);
  [&]<int... K>(std::integer_sequence<int, K...>) { (P::template phase<K, T>(s, m), ...); }
  (std::make_integer_sequence<int, P::phases>{});
  return s.result();
}

}  // namespace dwell
