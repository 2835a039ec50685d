// SPDX-License-Identifier: MIT
// The part of a divided field that a rank has, and its steps and exchanges. A part is a field of
// its own for stencil_runner, with the boundary of the whole on all sides: true where the part ends
// with the field, and elsewhere no more than wrong values that come one radius nearer with each
// step. Private to distributed_stencil.
#pragma once
#include <memory>
#include <optional>

#include "dwell/base/lap_timer.hpp"
#include "dwell/execution/comm/device_transport.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/solvers/stencil/ranks/field_part.hpp"
#include "dwell/solvers/stencil/ranks/ghost_exchange.hpp"
#include "dwell/stencil/distributed_stencil.hpp"

namespace dwell {

/// All ranks make the same calls, in the same order.
template <class T>
class field_part_run {
 public:
  field_part_run(const device& where, std::shared_ptr<communicator> of, const extents& all,
                 const stencil_options& options, const field_division& division, bool has_source);

  communicator& comm() const { return *comm_; }
  const divided_field& whole() const { return whole_; }
  const field_part& part() const { return part_; }
  int steps_per_exchange() const { return between_; }
  stencil_runner<T>& runner() { return *runner_; }
  const stencil_runner<T>& runner() const { return *runner_; }
  const char* transport() const { return gpus_ ? gpus_->name() : comm_->transport(); }

  /// This rank's own cells, and its neighbours' around them. (Of a field too: cells of a border
  /// that is fixed must be there before the first run.)
  grid<T> with_ghosts(grid_view<const T> mine);

  /// To be called once the runner has a field: a first exchange between GPUs, in which their
  /// transport connects them. It brings what with_ghosts() has brought.
  void connect();
  /// To be called before advance() where a run begins.
  void begin() { began_ = published_ = seconds_on_host(); }
  double seconds() const { return seconds_on_host() - began_; }
  /// So many steps, in pieces with fresh ghosts; `done` and `change` are told to the progress
  /// function. Returns how many were done; fewer if a rank has asked for the end, as `stopped` says
  /// then.
  int advance(int steps, int done, std::optional<double> change, stencil_stop& stopped);
  /// The largest change of an own cell of any rank in one more step; NaN if one is not finite.
  double change_of_step();

 private:
  void plan(const field_division& division);
  void exchange_kernels_for(const device& there, const stencil_options& local);
  void set_ghosts() { part_ = part_of(whole_, comm_->rank(), between_ * radius_); }
  bool passes_are_too_short(const stencil_report& plan) const;
  void exchange();
  bool is_interrupted(int step, std::optional<double> change);
  int advance_on_gpus(int steps);

  std::shared_ptr<communicator> comm_;
  stencil_options options_;
  divided_field whole_;
  field_part part_;
  int radius_ = 1;
  int between_ = 0;  ///< steps from one exchange to the next; 0: there are none
  int pieces_ = 1;   ///< on GPUs, that are put into the stream before the host waits
  int alone_ = 64;   ///< steps of one rank before it looks whether to go on
  // Members for GPUs:
  std::optional<work_queue> queue_;
  std::shared_ptr<device_transport> gpus_;
  std::optional<stencil_runner<T>> runner_;
  std::optional<ghost_exchange<T>> exchange_;
  std::optional<ghost_exchange_on_gpus<T>> exchange_there_;
  bool connected_ = false;
  double began_ = 0, published_ = 0;
};

extern template class field_part_run<double>;
extern template class field_part_run<float>;

}  // namespace dwell
