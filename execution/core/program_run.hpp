// SPDX-License-Identifier: MIT
// One run of a Program on a device: cuts the matrix, owns everything that the teams read and write,
// and makes the one call through the variant table. Used by solvers; knows no executor.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "dwell/execution/core/buffer.hpp"
#include "dwell/execution/core/planning.hpp"
#include "dwell/execution/core/variant.hpp"
#include "dwell/formats/error.hpp"

namespace dwell {

/// What a run writes down of its steps: entries, or 0.
struct run_records {
  std::size_t history = 0;       ///< residual norms
  std::size_t coefficients = 0;  ///< of the first so many steps
  bool every = false;            ///< the host reads the history while the run lasts
};

template <class P, class T>
class program_run {
 public:
  /// `a` and `made` must stay valid: a CPU reads them in place.
  program_run(const device& where, const program_variant& v, const planned<T>& made,
              const csr_view<T>& a, const run_records& records = {})
      : where_(where), variant_(v), plan_(made.how) {
    const rung& shape = v.rungs[static_cast<std::size_t>(plan_.rung)];
    const tiled_matrix<T>& m = made.cut;
    const auto n = static_cast<std::size_t>(a.rows), teams = static_cast<std::size_t>(plan_.teams);
    if (shape.tiles) {
      header_ = buffer<tile_header>::copy_of(where, m.header);
      path_ = buffer<std::uint16_t>::copy_of(where, m.path);
      tile_val_ = buffer<T>::copy_of(where, m.val);
      narrow_ = buffer<std::uint16_t>::copy_of(where, m.narrow);
      wide_ = buffer<index>::copy_of(where, m.wide);
      tile_carry_ = buffer<T>(where, m.header.size() * product_width_of<P>);
    } else {
      const auto nonzeros = static_cast<std::size_t>(a.nonzeros());
      row_ptr_ = buffer<index>::borrow(where, {a.row_ptr, n + 1});
      col_ = buffer<index>::borrow(where, {a.col, nonzeros});
      val_ = buffer<T>::borrow(where, {m.val.empty() ? a.val : m.val.data(), nonzeros});
    }
    shares_ = buffer<team_share>::copy_of(where, m.teams);
    for (int k = 0; k < P::vectors; ++k)
      vectors_.emplace_back(where, P::uses[k] == use::exchange  ? 4 * n
                                   : P::uses[k] == use::partner ? 0
                                                                : n);
    posts_ = buffer<double>(where, post_slots * teams);
    history_ = room_for(where, records);
    coefficients_ = {where, records.coefficients, fresh::unset};
    watch_ = buffer<monitor>(where, 1);
    state_ = buffer<typename P::scalars>(where, 2);
    barrier_ = buffer<unsigned>(where, 1);

    args_.matrix = {a.rows, a.cols, row_ptr_.data(), col_.data(), val_.data()};
    windows_ = buffer<team_window>::copy_of(where, made.windows.teams);
    sends_ = buffer<halo_send>::copy_of(where, made.windows.send);
    window_header_ = buffer<tile_header>::copy_of(where, made.windows.header);
    window_columns_ = buffer<std::uint16_t>::copy_of(where, made.windows.columns);
    if (where.on() == backend::cpu)
      boxes_ = buffer<T>(where, teams * static_cast<std::size_t>(made.windows.halo));
    args_.windows = windows_.data();
    args_.sends = sends_.data();
    args_.boxes = boxes_.data();
    narrow_columns_ = !m.narrow.empty();
    args_.tile_carry = tile_carry_.data();
    follow(made.how);
    args_.one_launch = v.resident;
    for (int k = 0; k < P::vectors; ++k)
      args_.vectors[k] = vectors_[static_cast<std::size_t>(k)].data();
    args_.posts = posts_.data();
    args_.history = records.history ? history_.data() : nullptr;
    args_.coefficients = coefficients_.data();
    args_.recorded = static_cast<int>(records.coefficients);
    every_ = records.every;
    args_.watch = watch_.data();
    args_.state = state_.data();
    args_.barrier = barrier_.data();
  }

  /// From now on by another plan of the same cut.
  void follow(const plan& how) {
    plan_ = how;
    args_.keep = how.keep;
    const bool windowed = how.keep.halo > 0;
    args_.tiles = {shares_.data(),
                   windowed ? window_header_.data() : header_.data(),
                   path_.data(),
                   tile_val_.data(),
                   windowed          ? window_columns_.data()
                   : narrow_columns_ ? narrow_.data()
                                     : nullptr,
                   wide_.data()};
    args_.in_cluster = how.in_cluster;
  }
  buffer<T>& vector(int k) { return vectors_[static_cast<std::size_t>(k)]; }
  /// CPU teams only: play the lanes backwards.
  void reverse_lanes(bool yes) { args_.reverse_lanes = yes; }

  /// Runs from the given scalars to the end. Returns seconds. May be called again; vectors are as
  /// the run before left them.
  double run(const typename P::scalars& start, run_control control) {
    args_.start = start;
    if (every_) control.every = history_.data();
    const unsigned nobody[] = {0};  // has arrived at the barrier
    const monitor unseen[] = {{0, -1, -1.0}};
    barrier_.upload(nobody);
    watch_.upload(unseen);
    return variant_.run(&args_, where_, plan_, control);
  }
  /// The scalars at the end of the run.
  typename P::scalars outcome() const {
    typename P::scalars both[2];
    state_.download(both);
    return both[0];
  }
  /// The first n entries of the history.
  std::vector<double> history(std::size_t n) const { return first_of(history_, n); }
  /// And of the coefficients.
  std::vector<step_coefficients> coefficients(std::size_t n) const {
    return first_of(coefficients_, n);
  }

 private:
  template <class V>
  static std::vector<V> first_of(const buffer<V>& all, std::size_t n) {
    std::vector<V> first(std::min(n, all.size()));
    all.download(first);
    return first;
  }
  /// Entries are written as the run comes to them, so that on a CPU a long limit costs nothing. The
  /// watch of a GPU knows by zeros what has not been written.
  static buffer<double> room_for(const device& where, const run_records& records) {
    const bool zeroed = records.every && where.on() == backend::cuda;
    try {
      return {where, records.history, zeroed ? fresh::zeroed : fresh::unset};
    } catch (const device_error& e) {
      throw device_error("history of up to " + std::to_string(records.history) +
                         " residuals (max_iterations says how many): " + e.what());
    }
  }

  device where_;
  const program_variant& variant_;
  plan plan_;
  buffer<index> row_ptr_, col_, wide_;
  buffer<T> val_, tile_val_, tile_carry_;
  buffer<tile_header> header_;
  buffer<std::uint16_t> path_, narrow_;
  buffer<team_share> shares_;
  buffer<team_window> windows_;
  buffer<halo_send> sends_;
  buffer<tile_header> window_header_;
  buffer<std::uint16_t> window_columns_;
  buffer<T> boxes_;
  bool narrow_columns_ = false;
  std::vector<buffer<T>> vectors_;
  buffer<double> posts_, history_;
  buffer<step_coefficients> coefficients_;
  bool every_ = false;
  buffer<monitor> watch_;
  buffer<typename P::scalars> state_;
  buffer<unsigned> barrier_;
  program_args<P, T> args_;
};

}  // namespace dwell
