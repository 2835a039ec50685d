// SPDX-License-Identifier: MIT
// What an iteration takes on many GPUs: a step of a stencil whose grid is divided among ranks, or
// an iteration of conjugate gradients on the matrix of such a grid. Bytes over rates, launches, one
// exchange of ghosts, and sums over all ranks (message_time.hpp). Pure functions; the times of one
// GPU come from device facts or from a measurement.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "studies/models/message_time.hpp"

#include "dwell/execution/stencil/partition/grid_division.hpp"

namespace dwell::model {

/// Rates of one GPU; bytes per second, seconds.
struct gpu_rates {
  double memory = 1;     ///< device memory
  double l2 = 1;         ///< last-level cache
  double l2_cached = 0;  ///< bytes of a repeated pass that it holds
  double launch = 0;     ///< from a kernel to the next one
  double phase = 0;      ///< what a phase of a program waits for besides
  double product = 0;    ///< and a product with the matrix
  /// Seconds that `bytes` take of a pass over `footprint` bytes, of which L2 finds the part
  /// 2 l2_cached / footprint - 1 again (as projection.hpp has it).
  double seconds(double bytes, double footprint) const;
};

/// What may go on while ghosts or sums are under way.
enum class overlap {
  none,      ///< nothing: Dwell's GPUs
  exchange,  ///< the cells or rows that need no ghosts: Dwell's ranks on CPUs
  all        ///< those and the product while sums travel, if the variant of CG allows it
};

/// How sums of ranks reach all ranks.
enum class rank_sums {
  groups,  ///< gather_by_groups(), what Dwell does
  ring,    ///< gather_by_ring(): NCCL's all-gather
  library  ///< all_reduce_by_library(): for comparison, its bits are not those of one rank
};

/// A variant of conjugate gradients, without a preconditioner, as solvers/cg has it.
struct cg_variant {
  std::string_view name;
  int phases;          ///< barriers, each a launch on a GPU with ranks
  int sums;            ///< reductions over all ranks
  int accesses;        ///< loads and stores of vectors, of each row
  int vectors;         ///< distinct ones
  int values;          ///< bytes of an element that the matrix multiplies: gathered and exchanged
  bool can_hide_sums;  ///< a product does not wait for the sums before it
};

/// Hestenes and Stiefel 1952; Chen and Carson 2020 (PR-CG, PIPE-PR-CG; the latter as Ghysels and
/// Vanroose 2014 hide the reduction). Bytes as `dwell explain cg --json` counts them.
inline constexpr std::array<cg_variant, 3> cg_variants = {
    {{"textbook", 3, 2, 11, 4, 1, false},
     {"single-reduction", 2, 1, 12, 4, 1, false},
     {"pipelined", 1, 1, 16, 8, 2, true}}};

/// What was measured on one GPU: an iteration, or a step, with its launches and waits, which are
/// not divided among ranks. 0: nothing.
struct measured_run {
  double seconds = 0, cells = 0;
  /// Time of a cell or row, without the launches and waits of an iteration.
  double seconds_per_cell(double waits) const { return std::max(0.0, seconds - waits) / cells; }
};

/// Setting of a run on ranks, whatever the problem.
struct scaling_setting {
  gpu_rates gpu = {};
  link_set links = {};
  overlap hides = overlap::none;
  rank_sums sums = rank_sums::groups;
  measured_run one_gpu = {};  ///< in place of bytes over rates
};

struct stencil_scaling {
  int radius = 1;
  bool star = true;  ///< reads no diagonal neighbours
  double cell_bytes = 8;
  int steps_per_exchange = 1;
  int pass_steps =
      1;  ///< steps of a pass over device memory; passes that are not whole take as long
};

struct cg_scaling {
  cg_variant variant = cg_variants[0];
  double nonzeros_per_row = 7;
  bool star = true;  ///< rows read the six or four nearest cells only
  double value_bytes = 8;
  double column_bytes = 4;
  double sum_bytes = 112;  ///< bytes of a rank: 14 doubles
};

enum class scaling_part { compute, exchange, reduction, latency };

/// Seconds of an iteration, or of a step. What is hidden behind `compute` is left out.
struct iteration_time {
  double compute = 0;    ///< bytes over rates, or as measured; ghosts computed twice included
  double exchange = 0;   ///< time of the exchange of ghosts
  double reduction = 0;  ///< sums over all ranks
  double latency = 0;    ///< launches and waits of phases, packing
  double hidden = 0;     ///< exchange and reduction that are not in the total

  constexpr double seconds() const { return compute + exchange + reduction + latency; }
  /// The largest part.
  scaling_part binds() const;
};

/// Figures of a rank that has neighbours on all sides.
struct scaling_point {
  grid_division division;
  grid_cells own;
  halo_messages halo;       ///< messages of one exchange
  double exchanges = 0;     ///< number in an iteration or step: 1 / steps_per_exchange
  double halo_bytes = 0;    ///< sent in one exchange
  double reductions = 0;    ///< number in an iteration
  sum_time sum;             ///< time of one of them
  double memory_bytes = 0;  ///< size of a rank's data
  iteration_time time;
};

/// One step. None if a rank has fewer layers than an exchange needs.
std::optional<scaling_point> scale(const stencil_scaling& problem, division_request where,
                                   const scaling_setting& on);
/// One iteration. None if a rank would have no rows.
std::optional<scaling_point> scale(const cg_scaling& problem, division_request where,
                                   const scaling_setting& on);

}  // namespace dwell::model
