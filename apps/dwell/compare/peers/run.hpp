// SPDX-License-Identifier: MIT
// Runs of peers by command, spread over the runs of ours.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/measured_run.hpp"
#include "compare/peers/command.hpp"

#include "dwell/device/device.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell::app {

/// What peers are asked for. Values of placeholders are made by the maker of this, but for those of
/// the device.
struct peer_problem {
  std::string problem;    ///< "stencil", "cg", "solve" or "convolve"
  std::string precision;  ///< "f64" or "f32"; what else there is no peer has
  std::map<std::string, std::string> values;
  std::string shape = {};  ///< stencil or filter, by our name; empty of a system
  extents size = {};       ///< cells of a field; of nothing for a system
  double cells = 0;        ///< all that are computed in a step or call, and of those
  double changing = 0;     ///< the ones that change
  int count = 1;           ///< steps, iterations or calls of a run
  /// The tolerance of a system; 0: exactly `count` iterations.
  double rtol = 0;
};

/// What a peer said in one run, in our units.
struct peer_result {
  double us = 0;        ///< per step, iteration or call; of "solve" the whole without the set-up
  double setup_us = 0;  ///< 0: it does not say
  int iterations = 0;   ///< made, or asked for where it does not say
  std::optional<double> residual;
};

/// A peer's row: how it ended, and the results of the counted runs, in their order; `us` of the row
/// is theirs, ascending.
struct peer_row {
  measured_run run;
  std::vector<peer_result> results;
};

/// Adds "shape", "size", its sides and what of them changes; of a stencil of this radius.
void add_field_values(peer_problem& problem, int radius);

class peer_runs {
 public:
  /// ours: how many runs there will be of ours, each of which ends with between(). All must stay.
  peer_runs(const std::vector<peer_command>& peers, peer_problem problem, const device& where,
            const repetition& runs, std::size_t ours);

  /// Runs that are due: each peer's are spread evenly over ours.
  void between();
  /// The rest of them, where ours were fewer. Null if interrupted.
  std::optional<std::vector<peer_row>> finish();

 private:
  void run_round();
  void run_once(std::size_t k);
  std::string obstacle(const peer_command& peer) const;

  const std::vector<peer_command>& peers_;
  peer_problem problem_;
  const device& where_;
  const repetition& runs_;
  const std::size_t ours_;
  std::size_t made_ = 0;  ///< runs of ours
  int rounds_ = 0;        ///< rounds of the peers; the first is not counted
  std::vector<peer_row> rows_;
};

/// Repetitions of ours with runs of peers between them.
repetition with_peers(const repetition& runs, peer_runs& peers);

}  // namespace dwell::app
