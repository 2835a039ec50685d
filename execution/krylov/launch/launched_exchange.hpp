// SPDX-License-Identifier: MIT
// What rank_exchange.hpp does between two phases, on GPUs: put into the stream behind a phase, and
// the host waits for nothing. One kernel adds the partials of the rank's teams and packs elements;
// then come the messages.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "dwell/comm/agreement.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/comm/device_halo.hpp"
#include "dwell/execution/device/between_launches.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/krylov/program_args.hpp"

namespace dwell {

/// Exchange of a run's vectors in the memory of a rank's GPU. What a phase has left in truth may be
/// less than what it may leave: the same sums and elements are then exchanged once more.
template <class P, class T>
class launched_exchange final : public between_launches {
 public:
  /// args: of the run, with places for vectors and partials; slots: partial sums of a team.
  /// all_sums: slots x ranks elements. Made by all ranks together; exchanges once, so that what
  /// transports set up at their first messages is there before a graph is recorded.
  launched_exchange(const device& where, const row_ranks& ranks, const program_args<P, T>& args,
                    std::size_t slots, int teams, double* all_sums)
      : where_(where), by_(*ranks.gpus), all_sums_(all_sums) {
    sums_ = {args.partials, static_cast<int>(slots), teams,
             all_sums + static_cast<std::size_t>(ranks.comm->rank()) * slots};
    const auto halo_of = [&](T* vector, std::size_t values) {
      return std::make_unique<device_halo>(where, by_, *ranks.halo, vector, values * sizeof(T));
    };
    for (int f = 0; f < P::vectors; ++f) {
      if (P::uses[f] == use::gather) halos_[0].push_back(halo_of(args.vectors[f], column_count<P>));
      if (P::uses[f] == use::exchange)
        for (int copy = 0; copy < 2; ++copy)
          halos_[copy].push_back(halo_of(
              args.vectors[f] + 2 * static_cast<std::ptrdiff_t>(copy) * args.matrix.cols, 2));
    }
    // A rank whose memory ran out is waited for here, where it can be given up, not by messages.
    any_of_ranks(*ranks.comm, false);
    for (const auto& some : halos_) leave(true, some, where.stream());
  }
  void run_begins() override { written_copy_ = has_pair ? 1 : 0; }

  void phase_launched(bool sums, bool elements, void* stream) override {
    static_assert(P::phases == 1 || !has_pair);
    static const halos none;
    leave(sums, elements ? halos_[written_copy_] : none, stream);
    if (has_pair) written_copy_ ^= 1;  // written in turn, from the second one on: see pipelined.hpp
  }

 private:
  using halos = std::vector<std::unique_ptr<device_halo>>;
  static constexpr bool has_pair = [] {
    for (const use u : P::uses)
      if (u == use::exchange) return true;
    return false;
  }();
  static_assert([] {
    std::size_t gathered = 0;
    for (const use u : P::uses) gathered += u == use::gather;
    return gathered <= most_packings && !(has_pair && gathered > 0);
  }());

  void leave(bool sums, const halos& some, void* stream) {
    std::vector<halo_packing> packings;
    for (const auto& one : some) packings.push_back(one->packing());
    leave_for_ranks(where_, packings, sums ? sums_ : team_sums{}, stream);
    for (const auto& one : some) one->send(stream);
    if (sums && by_.size() > 1) by_.all_gather(sums_.mine, sums_.slots, all_sums_, stream);
  }

  device where_;
  device_transport& by_;
  double* all_sums_;
  team_sums sums_;
  halos halos_[2];  ///< halos of the two copies of a pair, else of all gathered vectors
  int written_copy_ = 0;
};

}  // namespace dwell
