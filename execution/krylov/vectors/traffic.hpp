// SPDX-License-Identifier: MIT
// The bytes that one iteration of a Program must move when nothing stays on the chip, counted by
// running its phases on a workspace that only counts: a phase names what it reads and writes. It is
// run by the host; its functions are of both sides, for phases compiled by nvcc for both.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/program_args.hpp"

namespace dwell {

/// Per iteration: bytes in all, of all columns; and how often each element of a vector is loaded
/// and stored.
struct traffic {
  std::size_t bytes = 0;
  int loads[max_vectors] = {};
  int stores[max_vectors] = {};
  bool product[max_vectors] = {};  ///< an SpMV writes to it
};

template <class V>
struct counted_value {
  V v;
  V& operator[](int) { return v; }
};

/// The functions of column_workspace, for a lane 0 that stands for all.
template <class P, int Columns = column_count<P>>
class counted_columns {
 public:
  template <class V>
  DWELL_HD counted_value<V> per_column() const {
    return {};
  }
  template <class V>
  DWELL_HD counted_value<V> per_lane() const {
    return {};
  }
  template <class F>
  DWELL_HD void each_column(F&& f) {
    f(0);
  }
  template <class F>
  DWELL_HD void each_lane(F&& f) {
    f(0);
  }
  template <class F>
  DWELL_HD bool every_column(F&& f) {
    return f(0);
  }
  DWELL_HD typename P::column& column_of(int) { return column_; }
  template <class Wanted, class F>
  DWELL_HD void record(int, Wanted&&, F&&) {}

 protected:
  template <int Count>
  DWELL_HD static counted_value<sums<Count>> totals(const sums<Count>& s) {
    return {s};
  }

 private:
  typename P::column column_;
};
template <class P>
class counted_columns<P, 1> {
 protected:
  template <int Count>
  DWELL_HD static sums<Count> totals(const sums<Count>& s) {
    return s;
  }
};

template <class P, class T>
class traffic_workspace : public counted_columns<P> {
 public:
  DWELL_HD traffic_workspace(index rows, std::int64_t nonzeros, std::size_t row_end_bytes)
      : rows_(rows), nonzeros_(nonzeros), row_end_bytes_(row_end_bytes) {}

  template <int... R, int... W, class F>
  DWELL_HD void each_owned(reads<R...>, writes<W...>, F&&) {
    (load<R>(), ...);
    (store<W>(), ...);
  }
  template <int... R, int... W, int First, int Count, class F>
  DWELL_HD void each_owned(reads<R...> in, writes<W...> out, adds_to<First, Count>, F&& f) {
    each_owned(in, out, f);
  }
  template <int First, int Count>
  DWELL_HD auto total(sum_of<First, Count>, with_interrupt = {}) const {
    sums<Count> s;
    for (double& v : s.v) v = 1.0;
    return this->totals(s);
  }
  /// Values, columns and row ends once; the result stored, and both vectors loaded for the sum. The
  /// gathers themselves are counted as those loads: at best every element comes once.
  template <int In, int Out, int Sum>
  DWELL_HD void multiply(reads<In>, writes<Out>, adds_to<Sum>) {
    all_.bytes += (sizeof(T) + sizeof(index)) * nonzeros_ + row_end_bytes_ * rows_;
    store<Out>();
    load<Out>();
    load<In>();
    all_.product[Out] = true;
  }
  template <int In, int... Out>
  DWELL_HD void multiply(reads<In>, writes<Out...>) {
    all_.bytes += (sizeof(T) + sizeof(index)) * nonzeros_ + row_end_bytes_ * rows_;
    (store<Out>(), ...);
    [&]<int... W>(std::integer_sequence<int, W...>) { (load<In + W>(), ...); }
    (std::make_integer_sequence<int, sizeof...(Out)>{});
    ((all_.product[Out] = true), ...);
  }
  DWELL_HD void exchange(int) {}
  // Phases of a sequence: all of it at once; what its products move is counted by whoever made it.
  DWELL_HD int sequence_phase() const { return 0; }
  DWELL_HD int sequence_phases() const { return 1; }
  template <int Out>
  DWELL_HD void run_sequence(writes<Out>) {
    store<Out>();
    all_.product[Out] = true;
  }
  template <int Out>
  DWELL_HD void finish(writes<Out>) {}
  // Vectors of a basis count as bytes only.
  DWELL_HD void make_basis(int basis) {
    if constexpr (has_basis<P>) memory_.resize(P::team_doubles(basis_ = basis));
  }
  DWELL_HD double* team_memory() const { return memory_.data(); }
  DWELL_HD int basis_size() const { return basis_; }
  struct counted_team {
    DWELL_HD static constexpr int lanes() { return 1; }
    template <class F>
    DWELL_HD void once(F&& f) {
      f();
    }
    template <class F>
    DWELL_HD void section(F&& f) {
      f(0);
    }
  };
  DWELL_HD counted_team& team() { return team_; }
  template <int... R, int... W, class F>
  DWELL_HD void put_basis(reads<R...> in, writes<W...> out, int, F&& f) {
    each_owned(in, out, f);
    count_basis(1);
  }
  template <int F>
  DWELL_HD void add_basis(int count, const double*, double, bool = false) {
    load<F>();
    store<F>();
    count_basis(count);
  }
  template <int F>
  DWELL_HD void multiply_basis(int count, int) {
    load<F>();
    count_basis(count);
  }
  DWELL_HD void basis_totals(int, int, double*) const {}
  DWELL_HD void note(int, double, const step_coefficients& = {}) {}
  DWELL_HD void poll(int = 0) {}
  DWELL_HD bool interrupted() const { return false; }

  DWELL_HD const traffic& result() const { return all_; }

 private:
  DWELL_HD void count_basis(int count) {
    all_.bytes += sizeof(T) * rows_ * static_cast<std::size_t>(count);
  }
  template <int F>
  DWELL_HD void load() {
    ++all_.loads[F];
    all_.bytes += sizeof(T) * rows_ * values_of<P, F>;
  }
  template <int F>
  DWELL_HD void store() {
    ++all_.stores[F];
    all_.bytes += sizeof(T) * rows_ * values_of<P, F>;
  }

  std::size_t rows_, nonzeros_, row_end_bytes_;
  traffic all_;
  mutable std::vector<double> memory_;
  int basis_ = 0;
  counted_team team_;
};

/// What one iteration in the midst of a run moves, begun with the scalars `m`. row_end_bytes: of a
/// row's end as teams read it.
template <class P, class T>
traffic traffic_of(index rows, std::int64_t nonzeros, typename P::scalars m,
                   std::size_t row_end_bytes = sizeof(index)) {
  traffic_workspace<P, T> s(rows, nonzeros, row_end_bytes);
  if constexpr (has_basis<P>) s.make_basis(m.restart);
  [&]<int... K>(std::integer_sequence<int, K...>) { (P::template phase<K, T>(s, m), ...); }
  (std::make_integer_sequence<int, P::phases>{});
  return s.result();
}

}  // namespace dwell
