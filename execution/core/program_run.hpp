// SPDX-License-Identifier: MIT
// One run of a Program on a device: cuts the matrix, owns everything that the teams read and write,
// and makes the one call through the variant table. Used by solvers; knows no executor.
#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "dwell/execution/core/buffer.hpp"
#include "dwell/execution/core/partition.hpp"
#include "dwell/execution/core/variant.hpp"
#include "dwell/formats/error.hpp"

namespace dwell {

/// Throws unsupported_error, with the numbers, if `how` asks for more than the variant's kernel and
/// the device have.
inline void check_plan(const program_variant& v, const device& where, const plan& how) {
  if (how.rung < 0 || how.rung >= static_cast<int>(v.rungs.size()))
    throw unsupported_error(
        fmt::format("expected a rung from 0 to {}, found {}", v.rungs.size() - 1, how.rung));
  constexpr int most_teams = 1 << 16;
  if (how.teams < 1 || how.teams > most_teams)
    throw unsupported_error(fmt::format("expected 1 to {} teams, found {}", most_teams, how.teams));
  if (!v.resident || v.on == backend::cpu) return;
  const rung_facts f = v.probe(where, how.rung);
  if (how.teams > f.max_teams)
    throw unsupported_error(fmt::format(
        "executor '{}' needs all its {} blocks on the device together, but {} of {} threads, {} "
        "registers and "
        "{} bytes of shared memory each are the most that fit",
        v.executor, how.teams, f.max_teams, f.shape.lanes, f.registers, f.scratch_bytes));
}

template <class P, class T>
class program_run {
 public:
  /// `a` must stay valid: a CPU reads it in place. history: entries to record, or 0.
  program_run(const device& where, const program_variant& v, const plan& how, const csr_view<T>& a,
              std::size_t history)
      : where_(where), variant_(v), plan_(how) {
    check_plan(v, where, how);
    const partition p = cut(a.row_ptr, a.rows, v.rungs[how.rung], how.teams);
    const auto n = static_cast<std::size_t>(a.rows),
               nonzeros = static_cast<std::size_t>(a.nonzeros());
    const auto teams = static_cast<std::size_t>(how.teams);
    row_ptr_ = buffer<index>::borrow(where, {a.row_ptr, n + 1});
    col_ = buffer<index>::borrow(where, {a.col, nonzeros});
    val_ = buffer<T>::borrow(where, {a.val, nonzeros});
    tile_begin_ = buffer<merge_coordinate>::copy_of(where, p.tile_begin);
    lane_path_ = buffer<std::uint32_t>::copy_of(where, p.lane_path);
    carry_from_ = buffer<int>::copy_of(where, p.carry_from);
    for (int k = 0; k < P::vectors; ++k) vectors_.emplace_back(where, n);
    carry_ = buffer<T>(where, teams);
    partial_ = buffer<double>(where, P::sum_count * teams);
    history_ = buffer<double>(where, history);
    watch_ = buffer<monitor>(where, 1);
    state_ = buffer<typename P::scalars>(where, 2);
    barrier_ = buffer<unsigned>(where, 1);

    args_.matrix = {a.rows, a.cols, row_ptr_.data(), col_.data(), val_.data()};
    args_.tile_begin = tile_begin_.data();
    args_.lane_path = lane_path_.data();
    args_.carry_from = carry_from_.data();
    args_.tiles = p.tiles;
    args_.items = p.items;
    for (int k = 0; k < P::vectors; ++k)
      args_.vectors[k] = vectors_[static_cast<std::size_t>(k)].data();
    args_.carry = carry_.data();
    args_.partial = partial_.data();
    args_.history = history ? history_.data() : nullptr;
    args_.watch = watch_.data();
    args_.state = state_.data();
    args_.barrier = barrier_.data();
  }

  buffer<T>& vector(int k) { return vectors_[static_cast<std::size_t>(k)]; }
  /// CPU teams only: play the lanes backwards.
  void reverse_lanes(bool yes) { args_.reverse_lanes = yes; }

  /// Runs from the given scalars to the end. Returns seconds.
  double run(const typename P::scalars& start, const run_control& control) {
    args_.start = start;
    return variant_.run(&args_, where_, plan_, control);
  }
  /// The scalars at the end of the run.
  typename P::scalars outcome() const {
    typename P::scalars both[2];
    state_.download(both);
    return both[0];
  }
  /// The first n entries of the history.
  std::vector<double> history(std::size_t n) const {
    std::vector<double> all(history_.size());
    history_.download(all);
    all.resize(std::min(n, all.size()));
    return all;
  }

 private:
  device where_;
  const program_variant& variant_;
  plan plan_;
  buffer<index> row_ptr_, col_;
  buffer<T> val_, carry_;
  buffer<merge_coordinate> tile_begin_;
  buffer<std::uint32_t> lane_path_;
  buffer<int> carry_from_;
  std::vector<buffer<T>> vectors_;
  buffer<double> partial_, history_;
  buffer<monitor> watch_;
  buffer<typename P::scalars> state_;
  buffer<unsigned> barrier_;
  program_args<P, T> args_;
};

}  // namespace dwell
