// SPDX-License-Identifier: MIT
// The first of a solver's values: a matrix on a device, checked, with the null space that is given
// for it. Private to the solver.
#pragma once
#include <cstdint>
#include <optional>

#include "dwell/base/lap_timer.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/device/plan_target.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/solvers/linear/check/null_vectors.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/check/triangles.hpp"
#include "dwell/solvers/linear/choose/preconditioner_search.hpp"
#include "dwell/solvers/linear/direct/direct_method.hpp"
#include "dwell/solvers/linear/run/prepared_system.hpp"

namespace dwell {

template <class T>
struct prepared_matrix {
  /// Throws what the constructors of prepared_system and null_vectors throw.
  template <class Matrix>
  prepared_matrix(const device& on, const Matrix& a, const solve_options& o, solve_setup& setup)
      : queue(on),
        target(target_of(queue.where())),
        system(queue.where(), a, demand_of(o), setup),
        null_space(queue.where(), o, system.arrays().rows, system.ranks()),
        constants(null_vectors::constants(queue.where(), o, rows(), system.ranks())) {}
  prepared_matrix(const prepared_matrix&) = delete;
  prepared_matrix& operator=(const prepared_matrix&) = delete;

  const device& where() const { return queue.where(); }
  bool on_gpu() const { return where().on() == backend::cuda; }
  const large_csr_arrays<T>& arrays() const { return system.arrays(); }
  const system_facts& facts() const { return system.facts(); }
  index rows() const { return arrays().rows; }
  /// Among which rows are divided, or null.
  const row_ranks* ranks() const { return system.ranks(); }

  /// What models of costs know of it; called by all ranks together.
  searched_system size() const {
    double nonzeros = static_cast<double>(arrays().nonzeros);
    if (ranks()) {
      nonzeros = 0;
      for (const std::int64_t one : values_of_ranks(*ranks()->comm, arrays().nonzeros))
        nonzeros += static_cast<double>(one);
    }
    return {system.all_rows(), nonzeros, facts().rows_with_positive, where().threads()};
  }
  /// And what a search of preconditioners does.
  searched_system searched() const {
    searched_system known = size();
    if (judges() && !facts().symmetric) known.lighter_triangle = part_in_lighter_triangle(arrays());
    return known;
  }
  /// Do runs ask a judge after every step? Those of one rank on a CPU do.
  bool judges() const { return !on_gpu() && !ranks(); }

  /// Can factors be those of this matrix? Of a small one, of one process, that is not known to be
  /// singular.
  bool has_fill(const solve_options& o) const {
    return !ranks() && !facts().large && !rows_beyond_advice(rows()) && !facts().zero_row_sums &&
           null_space.count() == 0 && o.null_space != "constant";
  }
  /// The fill of its factors; of a matrix that has some. Counted once, for the pattern stays. Null:
  /// there was too little memory.
  const counted_fill* fill();
  /// What fill() has counted, or null.
  const counted_fill* known_fill() const { return fill_ ? &*fill_ : nullptr; }

  /// The matrix takes the vectors that are given, or constant ones, to about zero, now and with
  /// other values; else throws input_error.
  void check_null_vectors(solve_setup& setup) {
    const null_vectors& wanted = null_space.count() > 0 ? null_space : constants;
    if (wanted.count() == 0) return;
    const lap_timer time(setup.check_s);
    system.demand([&wanted](const large_csr_arrays<T>& a, const system_facts& found) {
      wanted.check(a, found.exponent);
    });
  }
  /// Other values, as update() of prepared_system takes them.
  template <class Values>
  void update(const Values& values, solve_setup& setup) {
    system.update(values, setup);
    ++version;
  }
  void update_in_place(solve_setup& setup) {
    system.update_in_place(setup);
    ++version;
  }

  work_queue queue;  ///< ends after all that its work touches
  plan_target target;
  prepared_system<T> system;
  null_vectors null_space;
  null_vectors constants;  ///< where these are the null space by the options
  int version = 0;         ///< version of the values: runs that have others are brought up to date

 private:
  std::optional<counted_fill> fill_;
  bool fill_failed_ = false;
};

}  // namespace dwell
