// SPDX-License-Identifier: MIT
// One run of a Sweep on a device: owns everything that the teams read and write, and makes the one
// call through the variant table. Used by solvers; knows no executor.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>

#include "dwell/execution/core/buffer.hpp"
#include "dwell/execution/core/sweep_variant.hpp"

namespace dwell {

/// Throws unsupported_error, with the numbers, if `how` asks for more than the variant's kernel and
/// the device have.
void check_plan(const sweep_variant& v, const device& where, const sweep_plan& how);

/// The cells of a grid all of whose neighbours up to `radius` away lie in it.
cell_box inner_box(const extents& n, int radius);

/// Cells from a row of the field to the next in the device's memory.
int row_pitch(const sweep_variant& v, const sweep_plan& how, const extents& n,
              std::size_t scalar_bytes);

template <class T>
class sweep_run {
 public:
  sweep_run(const device& where, const sweep_variant& v, const sweep_plan& how, const extents& n,
            boundary edge, bool has_source)
      : where_(where), variant_(v) {
    check_plan(v, where, how);
    row_ = static_cast<std::size_t>(n.x);
    pitch_ = static_cast<std::size_t>(row_pitch(v, how, n, sizeof(T)));
    const std::size_t cells = n.cells() / row_ * pitch_, around = margin(v, how, n, edge);
    around_ = around;
    for (int k = 0; k < 2; ++k) field_[k] = buffer<T>(where, cells + 2 * around);
    if (has_source) source_ = buffer<T>(where, cells);
    partial_ = buffer<double>(where, static_cast<std::size_t>(how.teams) + 1);
    state_ = buffer<sweep_state>(where, 1);
    watch_ = buffer<monitor>(where, 1);
    barrier_ = buffer<unsigned>(where, 1);
    tickets_ = buffer<unsigned>(where, 1);
    if (how.shares_x > 0) {
      const auto teams = static_cast<std::size_t>(how.teams);
      const sweep_rung& r = v.rungs[static_cast<std::size_t>(how.rung)];
      const auto columns = static_cast<std::size_t>(how.shares_x * how.shares_z);
      const auto rows = static_cast<std::size_t>(std::max(how.shares_y, how.side_shares_y));
      flags_ = buffer<unsigned>(where, columns * rows * flag_distance);
      // Planes that waves do not keep live in the field, and so do rows that others need.
      const bool apart = n.dims == 2 ? !r.warp_shares : r.levels == 0;
      streamed_ =
          buffer<T>(where, !apart ? 0
                                  : teams * static_cast<std::size_t>(how.streamed_rows) *
                                        static_cast<std::size_t>(r.lanes * r.across * r.down));
    }
    if (v.rungs[static_cast<std::size_t>(how.rung)].flows)
      flags_ = buffer<unsigned>(where, static_cast<std::size_t>(how.tiles()) * tile_flag_distance);
    args_.size = n;
    args_.edge = edge;
    args_.inner = inner_box(n, v.shape.radius);
    args_.pitch = static_cast<int>(pitch_);
    for (int k = 0; k < 2; ++k) args_.field[k] = field_[k].data() + around;
    args_.source = has_source ? source_.data() : nullptr;
    args_.plan = how;
    args_.partial = partial_.data();
    args_.state = state_.data();
    args_.watch = watch_.data();
    args_.barrier = barrier_.data();
    args_.tickets = tickets_.data();
    args_.flags = flags_.data();
    args_.streamed = streamed_.data();
  }

  /// What the caller sets: steps, until and its companions, reverse_lanes.
  sweep_args<T>& args() { return args_; }
  void set_source(std::span<const T> values) { source_.upload_rows(values, row_, pitch_, 0); }
  /// The start. Both copies hold it, so that cells which never change are right in either.
  void set_field(std::span<const T> values) {
    for (auto& f : field_) f.upload_rows(values, row_, pitch_, around_);
  }

  /// Runs to the end; returns seconds. To be called once, for what teams meet by is used up then.
  double run(std::span<const double> weights, const run_control& control) {
    if (std::exchange(ran_, true)) throw std::logic_error("a sweep_run runs once");
    return variant_.run(&args_, weights, where_, control);
  }
  sweep_state outcome() const {
    sweep_state s;
    state_.download({&s, 1});
    return s;
  }
  void result(const sweep_state& end, std::span<T> values) const {
    field_[end.copy].download_rows(values, row_, pitch_, around_);
  }

 private:
  /// Values before and behind a field that may be read, and never count (sweep_patch.hpp); a whole
  /// number of lines, and some more where shares of a field often begin with a line. Then what
  /// waves read of a row, which begins a rim before that, does; and columns that two bricks
  /// exchange, on either side of it, share lines. Bricks begin behind columns of a fixed border.
  static std::size_t margin(const sweep_variant& v, const sweep_plan& how, const extents& n,
                            boundary edge) {
    const sweep_rung& r = v.rungs[static_cast<std::size_t>(how.rung)];
    const auto radius = static_cast<std::size_t>(v.shape.radius), line = 128 / sizeof(T);
    const std::size_t lines = (radius + 31) / 32 * 32;
    if (r.keeps && n.dims == 2 && r.levels > 0)
      return lines + (static_cast<std::size_t>(how.depth) * radius + 3) / 4 * 4;
    if (r.warp_shares) return lines + (edge == boundary::fixed ? line - radius : 0);
    if (r.keeps && n.dims == 3 && !r.rest)
      return lines + line / 2 + (edge == boundary::fixed ? line - radius : 0);
    return lines;
  }

  device where_;
  const sweep_variant& variant_;
  std::size_t around_ = 0, row_ = 0, pitch_ = 0;
  buffer<T> field_[2], source_, streamed_;
  buffer<double> partial_;
  buffer<sweep_state> state_;
  buffer<monitor> watch_;
  buffer<unsigned> barrier_, tickets_, flags_;
  sweep_args<T> args_;
  bool ran_ = false;
};

}  // namespace dwell
