// SPDX-License-Identifier: MIT
// A field that is divided among ranks: slabs along its slowest axis, pencils or blocks along more
// of them. Each rank has cells of its own, and around them ghosts, copies of its neighbours' cells.
// A few steps are done on both, by any executor; with each of them one radius of the ghosts is
// lost, and then ghosts are exchanged.
#pragma once
#include <memory>
#include <optional>

#include "dwell/base/api.hpp"
#include "dwell/comm/communicator.hpp"
#include "dwell/comm/gpu_transport.hpp"
#include "dwell/device/device.hpp"
#include "dwell/formats/grid.hpp"
#include "dwell/stencil/solve.hpp"
#include "dwell/stencil/stencil_runner.hpp"

namespace dwell {

/// How a field is divided among ranks, and how they exchange ghosts.
struct field_division {
  /// Ranks along each axis, whose product is their number: {4, 1} are four slabs. None: as planned,
  /// slabs unless cuts along more axes cost a tenth less
  /// (execution/stencil/partition/grid_division.hpp), and on GPUs never along x, since columns of
  /// few cells are slow to copy there.
  std::optional<extents> ranks = {};
  /// Steps from one exchange to the next. 0: as many as add no more than about a tenth to a rank's
  /// cells, at most 16, on GPUs 48.
  int steps_per_exchange = 0;
  gpu_transport by = gpu_transport::automatic;  ///< transport between GPUs
};

/// What a rank has of a divided field.
struct field_share {
  extents ranks;               ///< along each axis
  grid_box own;                ///< its own cells, in the whole field
  grid_offset ghosts_before;   ///< layers of its neighbours' cells before its own, along each axis
  grid_offset ghosts_after;    ///< and behind them
  int steps_per_exchange = 1;  ///< 0: there are no exchanges
};

/// T is double or float. All ranks make the same calls, in the same order, with the same options
/// (but for progress and interrupt, which any rank may have); exceptions are those of all ranks. On
/// GPUs every rank has one, which `where` says, and ghosts go from one to the other
/// (gpu_transport). The bits are those of solve() of the whole field, whatever the division.
template <class T>
class DWELL_API distributed_stencil {
 public:
  /// all: cells of the whole field; those of an axis are dealt out as evenly as they go.
  /// has_source: as of stencil_runner. Throws input_error if a rank has fewer layers than one
  /// exchange needs, or `division` has another number of ranks; what stencil_runner throws; and on
  /// GPUs what distributed_solver does.
  distributed_stencil(const device& where, std::shared_ptr<communicator> comm, const extents& all,
                      const stencil_options& options = {}, const field_division& division = {},
                      bool has_source = false);
  /// What was moved from can only be destroyed or assigned to.
  distributed_stencil(distributed_stencil&&) noexcept;
  /// Frees what this one had.
  distributed_stencil& operator=(distributed_stencil&&) noexcept;
  ~distributed_stencil();

  const extents& all() const;   ///< cells of the whole field
  const extents& size() const;  ///< cells of this rank's own
  field_share share() const;    ///< share of this rank
  /// What ranks exchange ghosts by: as of distributed_solver.
  const char* transport() const;

  /// Takes this rank's own cells, of size(). Throws input_error as stencil_runner does.
  void set_field(grid_view<const T> mine);
  /// Takes its part of the source, likewise.
  void set_source(grid_view<const T> mine);
  /// Copies this rank's own cells to the host.
  void field(grid_view<T> mine);
  /// set_field() of all ranks from a whole field on rank `root`; what others give does not count.
  void scatter(grid_view<const T> whole, int root = 0);
  /// set_source() likewise.
  void scatter_source(grid_view<const T> whole, int root = 0);
  /// The whole field on rank `root`; one cell on the others.
  grid<T> gather(int root = 0);

  /// Does steps and waits for their end. The outcome is that of all ranks but for solve_s, which
  /// has the exchanges in it. Where a rank has asked for an end (interrupt, progress) all end after
  /// the same step, between two exchanges.
  stencil_outcome run(int steps);
  /// Steps until no cell of any rank changes by more than `tolerance` in one step, tested after
  /// every `check_every` steps and after max_steps.
  stencil_outcome run_until(double tolerance, int max_steps, int check_every = 100);

  /// Report of this rank's cells with their ghosts: the plan, and what set-up took.
  const stencil_report& report() const;

 private:
  struct state;
  grid<T> dealt(const char* name, grid_view<const T> whole, int root) const;
  std::unique_ptr<state> s_;
};

extern template class distributed_stencil<double>;
extern template class distributed_stencil<float>;

}  // namespace dwell
