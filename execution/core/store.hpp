// SPDX-License-Identifier: MIT
// Where the phases of a Program meet the vectors and the matrix: one store per team, made by an
// executor. A phase says which vectors a pass loads and stores; where they live is the store's.
#pragma once
#include <cmath>
#include <cstddef>

#include "dwell/execution/core/plan.hpp"
#include "dwell/execution/core/program.hpp"
#include "dwell/formats/fn.hpp"

namespace dwell {

/// `Items` is the rung's: 0 multiplies row by row, else by tiles of the merge path (spmv.hpp).
template <class P, class T, class Team, int Items>
class store {
 public:
  using program = P;
  using value = T;

  DWELL_FN store(Team& team, const program_args<P, T>& args) : team_(team), a_(args) {
    const std::size_t first = static_cast<std::size_t>(team.worker()) * args.tiles;
    row_begin_ = args.tile_begin[first].row;
    row_end_ = args.tile_begin[first + args.tiles].row;
    carry_from_ = args.carry_from[team.worker()];
    if constexpr (Items > 0) box_ = team.template scratch<T>(Team::lanes() * Items);
  }
  /// Scratch that the store takes from its team.
  static constexpr std::size_t scratch_bytes() {
    return (static_cast<std::size_t>(Team::lanes()) * Items * sizeof(T) + 15) / 16 * 16;
  }

  /// f(v) for every element that this team owns: v[k] is vector k's, loaded if in reads<...>,
  /// stored if in writes<...>; any other v[k] is a free register.
  template <int... R, int... W, class F>
  DWELL_FN void each_owned(reads<R...> in, writes<W...> out, F&& f) {
    pass(in, out, [&](int, T* v) { f(v); });
  }
  /// The same with sums: f(v, acc) adds to acc[0 .. Count - 1], which after a barrier are
  /// total<Count>(First).
  template <int... R, int... W, int First, int Count, class F>
  DWELL_FN void each_owned(reads<R...> in, writes<W...> out, adds_to<First, Count>, F&& f) {
    auto acc = team_.template per_lane<sums<Count>>();
    team_.each([&](int lane) {
      for (int k = 0; k < Count; ++k) acc[lane].v[k] = 0.0;
    });
    pass(in, out, [&](int lane, T* v) { f(v, acc[lane].v); });
    give<First>(acc);
  }

  /// Sums First .. First + Count - 1, given before the last barrier; equal bits in every team.
  template <int Count = 1>
  DWELL_FN sums<Count> total(int first) {
    return team_.template total<Count>(
        a_.partial + static_cast<std::size_t>(first) * team_.workers(), team_.workers());
  }

  /// Out = A * In for the rows that end in this team, and adds In . Out to sum `Sum`. In is
  /// gathered; rows cut between teams are incomplete until finish<Out>() after the next barrier,
  /// but the sum is right at once: it is linear in the parts of a row.
  template <int In, int Out, int Sum>
  DWELL_FN void spmv(adds_to<Sum>);

  /// Adds to this team's first row the parts that earlier teams computed.
  template <int Out>
  DWELL_FN void finish() {
    const int me = team_.worker();
    if (carry_from_ == me) return;
    team_.once([&] {
      T missing = T(0);
      for (int t = carry_from_; t < me; ++t) missing += a_.carry[t];
      a_.vectors[Out][row_begin_] += missing;
    });
  }

  /// Tells the host how far the run is (residual: the norm), and records it if a history is wanted.
  DWELL_FN void note(int step, double residual) {
    if (team_.worker() == 0)
      team_.each([&](int lane) {
        if (lane != 0) return;
        Team::publish(&a_.watch->step, step);
        Team::publish(&a_.watch->residual, residual);
        if (a_.history) a_.history[step] = residual;
      });
  }
  /// Team 0 looks for an interrupt; after the next barrier interrupted() says so to all.
  DWELL_FN void poll() {
    if (team_.worker() == 0)
      team_.each([&](int lane) {
        if (lane == 0) a_.watch->seen = Team::observe(&a_.watch->interrupt);
      });
  }
  DWELL_FN bool interrupted() const { return a_.watch->seen != 0; }

  DWELL_FN Team& team() { return team_; }

 private:
  template <int... R, int... W, class F>
  DWELL_FN void pass(reads<R...>, writes<W...>, F&& f) {
    constexpr int block = Team::lanes() * Team::batch;
    index base = row_begin_;
    for (; base + block <= row_end_; base += block)
      team_.each([&](int lane) {
        T v[Team::batch][P::vectors];
        DWELL_UNROLL
        for (int b = 0; b < Team::batch; ++b)
          ((v[b][R] = a_.vectors[R][base + b * Team::lanes() + lane]), ...);
        DWELL_UNROLL
        for (int b = 0; b < Team::batch; ++b) f(lane, v[b]);
        DWELL_UNROLL
        for (int b = 0; b < Team::batch; ++b)
          ((a_.vectors[W][base + b * Team::lanes() + lane] = v[b][W]), ...);
      });
    for (; base < row_end_; base += Team::lanes())
      team_.each([&](int lane) {
        if (base + lane >= row_end_) return;
        T v[P::vectors];
        ((v[R] = a_.vectors[R][base + lane]), ...);
        f(lane, v);
        ((a_.vectors[W][base + lane] = v[W]), ...);
      });
  }

  template <int First, class Acc>
  DWELL_FN void give(Acc& acc) {
    team_.reduce(acc, [&](const auto& s) {
      constexpr int count = static_cast<int>(sizeof(s.v) / sizeof(double));
      for (int k = 0; k < count; ++k)
        a_.partial[static_cast<std::size_t>(First + k) * team_.workers() + team_.worker()] = s.v[k];
    });
  }

  template <int In, int Out, int Sum>
  DWELL_FN void spmv_rows();
  template <int In, int Out, int Sum>
  DWELL_FN void spmv_tiles();

  Team& team_;
  const program_args<P, T>& a_;
  index row_begin_, row_end_;
  int carry_from_;
  T* box_ = nullptr;
};

}  // namespace dwell

#include "dwell/execution/core/spmv.hpp"
