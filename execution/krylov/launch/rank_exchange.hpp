// SPDX-License-Identifier: MIT
// What a barrier between two phases is where the rows of a matrix are divided among ranks: sums
// that teams have given become one summand per rank, of which every rank has all; elements that
// others read travel to the ghosts of their readers. A Program does not know of it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "dwell/comm/halo.hpp"
#include "dwell/execution/device/between_phases.hpp"
#include "dwell/execution/device/threads/waiting_cpu.hpp"
#include "dwell/execution/krylov/program_args.hpp"

namespace dwell {

/// Exchange of a run's vectors in the host's memory.
template <class P, class T>
class rank_exchange final : public between_phases {
  static constexpr int columns = column_count<P>;
  static constexpr int interrupt_slots[] = {P::sum_count * columns + 1, P::sum_count* columns + 2};

 public:
  /// args: of the run, with places for vectors and partials; slots: partial sums of a team; lanes:
  /// of a team, which say in which order sums are added. `sums`: slots x ranks elements.
  rank_exchange(const row_ranks& ranks, const program_args<P, T>& args, std::size_t slots,
                int teams, int lanes, double* sums)
      : comm_(*ranks.comm),
        partials_(args.partials),
        sums_(sums),
        slots_(slots),
        teams_(teams),
        warp_(many_columns<P> ? 32 : std::min(lanes, 32)),
        mine_(slots),
        all_(slots * static_cast<std::size_t>(comm_.size())),
        waiting_(teams) {
    const auto halo_of = [&](T* vector, std::size_t values) {
      return std::make_unique<halo_exchange>(comm_, *ranks.halo, vector, values * sizeof(T));
    };
    for (int f = 0; f < P::vectors; ++f) {
      if (P::uses[f] == use::gather) gathered_.push_back(halo_of(args.vectors[f], columns));
      if (P::uses[f] == use::exchange)
        for (int copy = 0; copy < 2; ++copy)
          pair_[copy] = halo_of(
              args.vectors[f] + 2 * static_cast<std::ptrdiff_t>(copy) * args.matrix.cols, 2);
    }
  }
  void run_begins() override { written_copy_ = 1; }
  void run_ended() override { finish_exchanges(); }

  void phase_ended(bool sums, bool elements) override {
    if (elements) {
      finish_exchanges();
      for (const auto& one : gathered_) start(*one);
      if (pair_[0]) {  // written in turn, from the second one on: see pipelined.hpp
        static_assert(P::phases == 1 || !has_pair);
        start(*pair_[written_copy_]);
      }
      ++sent_;
    }
    if (has_pair) written_copy_ ^= 1;
    if (sums) join_sums();
  }

  void await_elements(bool first_team) override {
    if (!first_team) {
      waiting_.until(arrived_, [&](unsigned now) { return now == sent_; });
      return;
    }
    try {
      finish_exchanges();
    } catch (...) {
      waiting_.give_up();
      throw;
    }
    if (arrived_ != sent_) waiting_.set(arrived_, sent_);
  }

 private:
  static constexpr bool has_pair = [] {
    for (const use u : P::uses)
      if (u == use::exchange) return true;
    return false;
  }();

  void start(halo_exchange& one) {
    one.start();
    under_way_.push_back(&one);
  }
  void finish_exchanges() {
    for (halo_exchange* one : under_way_) one->finish();
    under_way_.clear();
  }
  void join_sums() {
    for (std::size_t s = 0; s < slots_; ++s)
      mine_[s] = sum_of_teams(partials_ + s * static_cast<std::size_t>(teams_));
    comm_.all_gather(mine_.data(), slots_ * sizeof(double), all_.data());
    const auto ranks = static_cast<std::size_t>(comm_.size());
    for (std::size_t s = 0; s < slots_; ++s)
      for (std::size_t r = 0; r < ranks; ++r) sums_[s * ranks + r] = all_[r * slots_ + s];
    // Interrupts: total() looks at the first summand alone.
    for (const int s : interrupt_slots) {
      double* const of = sums_ + static_cast<std::size_t>(s) * ranks;
      of[0] = *std::max_element(of, of + ranks);
    }
  }
  /// Adds as total() of cpu_team and of cpu_column_team does: one rank alone has the bits of a
  /// solve without ranks.
  double sum_of_teams(const double* partial) const {
    double lane[32] = {};
    for (int t = 0; t < teams_; ++t) lane[t % warp_] += partial[t];
    for (int h = warp_ / 2; h > 0; h /= 2)
      for (int l = 0; l < h; ++l) lane[l] += lane[l + h];
    return lane[0];
  }

  communicator& comm_;
  const double* partials_;
  double* sums_;
  std::size_t slots_;
  int teams_, warp_;
  int written_copy_ = 1;
  std::vector<std::unique_ptr<halo_exchange>> gathered_;
  std::unique_ptr<halo_exchange> pair_[2];
  std::vector<double> mine_, all_;
  /// Started, and not finished: a next phase that multiplies, or the next exchange, finishes them.
  std::vector<halo_exchange*> under_way_;
  unsigned sent_ = 0;     ///< exchanges so far; written between phases
  unsigned arrived_ = 0;  ///< those that the first team has; others wait for it
  cpu_waiting waiting_;
};

}  // namespace dwell
