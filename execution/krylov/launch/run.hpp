// SPDX-License-Identifier: MIT
// Runs of a Program on a device: fills the cut, owns everything else that the teams read and write,
// and the launch that the kernel table makes. Used by solvers; knows no executor.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/krylov/launch/launched_exchange.hpp"
#include "dwell/execution/krylov/launch/rank_exchange.hpp"
#include "dwell/execution/krylov/plan/planning.hpp"
#include "dwell/execution/krylov/products/sequence.hpp"
#include "dwell/execution/team/partial_slots.hpp"

namespace dwell {

/// What a run writes down of its steps: entries, or 0.
struct run_records {
  std::size_t history = 0;       ///< residual norms
  std::size_t coefficients = 0;  ///< entries of the first steps; of each team that is alone
  bool every = false;            ///< the host reads the history while the run lasts
};

/// The scalars of columns, two copies.
template <class P, int Columns = column_count<P>>
struct column_scalars {
  typename P::column copies[2 * Columns]{};
};
template <class P>
struct column_scalars<P, 1> {};

/// The few flags by which host and teams, and teams among each other, agree; one upload resets all.
template <class P>
struct run_flags {
  alignas(128) unsigned barrier = 0;        ///< nobody has arrived
  alignas(128) monitor watch{0, -1, -1.0};  ///< and nobody has told of itself
  alignas(128) typename P::scalars state[2]{};
  [[no_unique_address]] column_scalars<P> columns;
};

template <class P, class T>
class program_run {
 public:
  program_run(const program_run&) = delete;
  program_run& operator=(const program_run&) = delete;
  /// The arrays of made.matrix must stay valid: a CPU reads them in place. `where` has the stream
  /// that all work goes to, that of the cut included.
  /// `sequence`: of Programs that have one; it must stay. `basis`: so many vectors, of Programs
  /// that have one. `ranks`: among which rows are divided, or null; with an executor that launches
  /// phases from the host; then vectors have as many elements as the matrix has columns, and
  /// connect() is to be called.
  program_run(const device& where, const program_kernel& v, const planned<T>& made,
              const run_records& records = {}, const owned_sequence* sequence = nullptr,
              int basis = 0, const row_ranks* ranks = nullptr)
      : where_(where), variant_(v), plan_(made.how), cut_(made.cut) {
    const program_config& shape = v.configs[static_cast<std::size_t>(plan_.config)];
    const large_csr_arrays<T>& a = made.matrix;
    if (!cut_->filled) fill(where, a, made.exponent, *cut_);
    const auto n = static_cast<std::size_t>(a.cols), teams = static_cast<std::size_t>(plan_.teams);
    if (shape.tiles) {
      const auto tiles = static_cast<std::size_t>(cut_->outline.tiles);
      tile_carry_ = buffer<T>(where, tiles * product_width_of<P>);
    }
    place_matrix(a, shape);
    for (int k = 0; k < P::vectors; ++k)
      vectors_.emplace_back(where, P::uses[k] == use::exchange ? 4 * n
                                   : P::uses[k] == use::partner || P::uses[k] == use::handed
                                       ? 0
                                       : values_per_row(k) * n);
    const std::size_t slots =
        partial_slots_of<P> + (has_basis<P> ? 2 * basis * sums_per_product<T> : 0);
    if (!v.alone || where.on() == backend::cpu) partials_ = buffer<double>(where, slots * teams);
    if constexpr (has_basis<P>) make_basis(n, teams, basis);
    history_ = history_buffer(where, records);
    coefficients_ = {where, records.coefficients * column_count<P> * (v.alone ? teams : 1),
                     fresh::unset};
    if (v.alone) states_ = {where, 2 * teams, fresh::unset};
    flags_ = buffer<run_flags<P>>(where, 1);

    if (where.on() == backend::cpu)
      ghost_buffers_ = buffer<T>(where, teams * static_cast<std::size_t>(cut_->outline.halo));
    args_.ghosts = cut_->ghosts;
    args_.sends = cut_->send;
    args_.ghost_buffers = ghost_buffers_.data();
    args_.tile_carry = tile_carry_.data();
    args_.one_launch = v.cooperative || v.alone;
    follow(made.how);
    for (int k = 0; k < P::vectors; ++k)
      args_.vectors[k] = vectors_[static_cast<std::size_t>(k)].data();
    args_.partials = partials_.data();
    args_.history = records.history ? history_.data() : nullptr;
    args_.coefficients = coefficients_.data();
    args_.recorded = static_cast<int>(records.coefficients);
    every_ = records.every;
    run_flags<P>* const flags = flags_.data();
    args_.watch = &flags->watch;
    args_.state = v.alone ? states_.data() : flags->state;
    if constexpr (many_columns<P>) args_.columns = flags->columns.copies;
    args_.barrier = &flags->barrier;
    if (sequence) take_sequence(*sequence);
    if (ranks) {
      ranks_ = ranks;
      rank_sums_ = {where_, slots * static_cast<std::size_t>(ranks->comm->size())};
    }
  }

  /// Makes the messages that several ranks exchange; called by all of them together, before
  /// anything else. (What may fail on one rank alone, its memory, is behind it.)
  void connect() {
    if (!ranks_) return;
    const std::size_t slots = rank_sums_.size() / static_cast<std::size_t>(ranks_->comm->size());
    args_.rank_sums = rank_sums_.data();
    args_.ranks = ranks_->comm->size();
    if (where_.on() == backend::cuda) {
      args_.rank_slots = static_cast<int>(slots);
      behind_ = std::make_unique<launched_exchange<P, T>>(where_, *ranks_, args_, slots,
                                                          plan_.teams, rank_sums_.data());
      args_.behind = behind_.get();
      return;
    }
    args_.interior_begin = ranks_->halo->interior_begin;
    args_.interior_end = ranks_->halo->interior_end;
    const int lanes = variant_.configs[static_cast<std::size_t>(plan_.config)].lanes;
    exchange_ = std::make_unique<rank_exchange<P, T>>(*ranks_, args_, slots, plan_.teams, lanes,
                                                      rank_sums_.data());
    args_.between = exchange_.get();
  }

  /// From now on with this sequence, which must stay. P has one.
  void take_sequence(const owned_sequence& sequence) {
    if constexpr (has_sequence<P>) {
      launch_.reset();
      args_.sequence = share_out_sequence(where_, sequence, plan_.teams, sequence_shares_);
    }
  }

  /// From now on by another plan of the same cut.
  void follow(const plan& how) {
    plan_ = how;
    launch_.reset();
    args_.cache = how.cache;
    const program_config& shape = variant_.configs[static_cast<std::size_t>(how.config)];
    const bool with_ghosts =
        how.cache.halo > 0 || (cut_->outline.own_columns && shape.assumes == caching::ghosts);
    args_.tiles = {cut_->teams, with_ghosts ? cut_->ghost_header : cut_->header,  cut_->path,
                   cut_->val,   with_ghosts ? cut_->ghost_columns : cut_->narrow, cut_->wide};
    args_.in_cluster = how.in_cluster;
  }
  /// From now on with the values of a matrix of the same pattern, times 2^exponent. Other runs with
  /// the same cut must be given the same values, too.
  void refill(const large_csr_arrays<T>& a, int exponent) {
    fill_values(where_, a, exponent, *cut_);
    place_matrix(a, variant_.configs[static_cast<std::size_t>(plan_.config)]);
  }
  buffer<T>& vector(int k) { return vectors_[static_cast<std::size_t>(k)]; }
  /// CPU teams only: play the lanes backwards.
  void reverse_lanes(bool yes) { args_.reverse_lanes = yes; }

  /// The launch, made when it is first asked for: compiles kernels that are not there, loads them,
  /// records a graph.
  program_launch& ready() {
    if (launch_) return *launch_;
    if (variant_.compiled_ahead()) {
      launch_ = variant_.prepare(&args_, where_, plan_);
    } else {
      making_ = make_needed(variant_, plan_.config, where_);
      launch_ = prepare_needed(variant_, &args_, where_, plan_);
    }
    return *launch_;
  }
  /// What compiling the kernels of ready() took.
  const kernel_making& making() const { return making_; }
  /// The judge of the runs that follow, on a CPU and for one right-hand side, or null.
  void ask(run_judge* judge) {
    if (where_.on() == backend::cpu) args_.judge = judge;
  }
  /// Puts the scalars of a start where the run finds them, and resets what teams meet by. Of the
  /// scalars of a team that is alone only the target counts: whoever starts the run writes that.
  void reset(const typename P::scalars& start) {
    forget_history();
    args_.start = start;
    run_flags<P> fresh_flags;
    fresh_flags.state[0] = fresh_flags.state[1] = start;
    flags_.upload({&fresh_flags, 1});
  }
  /// After reset(): `control` must stay until finish(). May be called again and again; vectors are
  /// as the run before left them.
  void start(run_control& control) {
    started_ = true;
    if (every_) control.every = history_.data();
    if (exchange_) {
      exchange_->run_begins();
      control.between = exchange_.get();
    }
    if (behind_) behind_->run_begins();
    ready().start(control);
  }
  double finish() {
    const double seconds = ready().finish();
    if (exchange_) exchange_->run_ended();
    return seconds;
  }
  /// All of it: from the given scalars to the end. Returns seconds.
  double run(const typename P::scalars& from, run_control control) {
    reset(from);
    start(control);
    return finish();
  }
  /// Where the scalars of the end are, and of the start, in the device's memory. Those of a team
  /// that is alone are two elements after those of the team before.
  const typename P::scalars* end_state() const { return args_.state + (args_.one_launch ? 1 : 0); }
  typename P::scalars* start_state() const { return args_.state; }
  /// The scalars at the end of the run.
  typename P::scalars outcome() const {
    run_flags<P> flags;
    flags_.download({&flags, 1});
    return flags.state[args_.one_launch ? 1 : 0];
  }
  /// The last step that note() was called for; -1: none was.
  int last_noted() const {
    run_flags<P> flags;
    flags_.download({&flags, 1});
    return flags.watch.step;
  }
  /// The first n entries of the history, of steps that note() was called for.
  std::vector<double> history(std::size_t n) const { return first_of(history_, n); }
  /// And of the coefficients; of Programs with columns, those of a step side by side.
  std::vector<step_coefficients> coefficients(std::size_t n) const {
    return first_of(coefficients_, n * column_count<P>);
  }
  /// Scalars of Programs with columns at the begin and at the end, in the device's memory.
  auto* columns_begin() const { return args_.columns; }
  const auto* columns_end() const {
    return args_.columns + (args_.one_launch ? column_count<P> : 0);
  }

 private:
  static std::size_t values_per_row(int vector) {
    if constexpr (requires { typename P::singles; })
      if (P::singles::place_of(vector) >= 0) return 1;
    return column_count<P>;
  }
  void make_basis(std::size_t rows, std::size_t teams, int basis) {
    const auto count = static_cast<std::size_t>(basis);
    try {
      basis_ = {where_, rows * count, fresh::unset};
    } catch (const device_error& e) {
      throw device_error("basis of " + std::to_string(basis) +
                         " vectors (restart says how many): " + e.what());
    }
    team_memory_ = {where_, teams * P::team_doubles(basis)};
    args_.basis = basis_.data();
    args_.team_memory = team_memory_.data();
    args_.basis_size = basis;
  }
  /// What the run before has written would pass for what the next one has.
  void forget_history() {
    if (!started_ || !every_ || where_.on() == backend::cpu) return;
    const std::vector<double> zeros(std::min<std::size_t>(history_.size(), 1 << 16));
    for (std::size_t at = 0; at < history_.size(); at += zeros.size())
      history_.upload({zeros.data(), std::min(zeros.size(), history_.size() - at)}, at);
  }
  /// Teams that walk tiles have no use for rows.
  void place_matrix(const large_csr_arrays<T>& a, const program_config& shape) {
    if (shape.tiles)
      args_.matrix = {a.rows, a.cols, a.nonzeros, {}, nullptr, nullptr};
    else
      args_.matrix = {a.rows, a.cols, a.nonzeros, a.row_ptr, a.col, cut_->val ? cut_->val : a.val};
  }
  template <class V>
  static std::vector<V> first_of(const buffer<V>& all, std::size_t n) {
    std::vector<V> first(std::min(n, all.size()));
    all.download(first);
    return first;
  }
  /// Entries are written as the run comes to them, so that on a CPU a long limit costs nothing. The
  /// watch of a GPU knows by zeros what has not been written.
  static buffer<double> history_buffer(const device& where, const run_records& records) {
    const bool zeroed = records.every && where.on() == backend::cuda;
    try {
      return {where, records.history, zeroed ? fresh::zeroed : fresh::unset};
    } catch (const device_error& e) {
      throw device_error("history of up to " + std::to_string(records.history) +
                         " residuals (max_iterations says how many): " + e.what());
    }
  }

  device where_;
  const program_kernel& variant_;
  const row_ranks* ranks_ = nullptr;
  plan plan_;
  std::shared_ptr<cut_matrix<T>> cut_;
  sequence_shares sequence_shares_;
  buffer<T> tile_carry_, ghost_buffers_;
  std::vector<buffer<T>> vectors_;
  buffer<T> basis_;
  buffer<double> partials_, history_, team_memory_, rank_sums_;
  buffer<step_coefficients> coefficients_;
  bool every_ = false, started_ = false;
  buffer<run_flags<P>> flags_;
  buffer<typename P::scalars> states_;  ///< states of teams that are alone, two each
  program_args<P, T> args_;
  std::unique_ptr<between_phases> exchange_;  ///< exchange of several ranks
  std::unique_ptr<between_launches> behind_;  ///< exchange of several ranks on GPUs
  std::unique_ptr<program_launch> launch_;    ///< refers to args_
  kernel_making making_;
};

}  // namespace dwell
