// SPDX-License-Identifier: MIT
// The matrix of a prepared solver: where the device's teams can read it, and checked there. Private
// to the solver.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dwell/comm/halo.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/check/validate.hpp"
#include "dwell/solvers/linear/run/system_scale.hpp"

namespace dwell {

/// Row pointers of 64 bits that end with at most so many nonzeros are copied to 32 bits, in which
/// all there is works: most_in_32_bits. Tests lower it, so that small matrices stay as large ones.
std::atomic<std::int64_t>& most_nonzeros_shortened();

/// The rows of one rank, whose columns are numbered by its own elements and then by its ghosts, in
/// host memory; validated by all ranks together (solvers/linear/ranks).
template <class T>
struct divided_rows {
  csr_view<T> rows;  ///< must stay
  csr_arrays<T> placed =
      {};  ///< where the device's teams can read them already, and stay; else empty
  system_facts facts;
  const row_ranks* ranks = nullptr;
};

template <class T>
class prepared_system {
 public:
  /// Refuses what check_system() refuses. A GPU gets a copy of the arrays. Adds to check_s and
  /// upload_s of `setup`.
  prepared_system(const device& where, const csr_view<T>& a, const matrix_demand& demand,
                  solve_setup& setup);
  prepared_system(const device& where, const large_csr_view<T>& a, const matrix_demand& demand,
                  solve_setup& setup);
  prepared_system(const device& where, const device_csr_view<T>& a, const matrix_demand& demand,
                  solve_setup& setup);
  prepared_system(const device& where, const large_device_csr_view<T>& a,
                  const matrix_demand& demand, solve_setup& setup);
  /// With arrays in memory of the device that others own: they must stay, and only
  /// update_in_place() follows what is written to them.
  prepared_system(const device& where, const large_csr_arrays<T>& a, const matrix_demand& demand,
                  solve_setup& setup);
  /// They have been found to be what the demand asks for.
  prepared_system(const device& where, const divided_rows<T>& a, const matrix_demand& demand,
                  solve_setup& setup);
  /// From now on this is asked for too. Throws as check_system() does.
  void demand(const matrix_demand& more);
  /// And this, which throws input_error for what it refuses.
  using other_demand = std::function<void(const large_csr_arrays<T>&, const system_facts&)>;
  void demand(other_demand more);
  /// Takes other values for the same pattern, as many as before. Values that are refused leave the
  /// ones before.
  void update(std::span<const T> values, solve_setup& setup);
  void update(device_span<const T> values, solve_setup& setup);
  /// The owner of the arrays has written other values to them. Values that are refused stay.
  void update_in_place(solve_setup& setup) { facts_ = validated(arrays_, setup); }
  /// Called by all ranks together. What is refused leaves what was before.
  void update(const divided_rows<T>& a, solve_setup& setup);

  /// Among which rows are divided, or null.
  const row_ranks* ranks() const { return ranks_; }
  /// Rows of all ranks.
  double all_rows() const { return ranks_ ? ranks_->all_rows : arrays_.rows; }
  /// Rows of one rank of several, in host memory.
  const csr_view<T>& given_rows() const { return given_rows_; }
  /// What a preconditioner is made of: all, or of several ranks the block of own columns, which is
  /// copied when it is first asked for. Not of a large matrix (system_facts).
  csr_arrays<T> block();

  const large_csr_arrays<T>& arrays() const { return arrays_; }
  const system_facts& facts() const { return facts_; }
  /// The matrix is solved divided by two to this power.
  int scale_exponent() const { return matrix_scale<T>(facts_.exponent); }
  /// The arrays that a CPU reads in place; empty on a GPU.
  large_csr_arrays<T> in_place() const;

 private:
  /// Throws input_error unless the matrix is sound.
  system_facts validated(const large_csr_arrays<T>& a, solve_setup& setup) const;
  /// The host says what is wrong, and where.
  [[noreturn]] void refuse(const large_csr_arrays<T>& a) const;
  template <class Offset>
  [[noreturn]] void refuse(const large_csr_arrays<T>& a, const Offset* row_ptr) const;
  /// Called by all ranks together.
  [[noreturn]] void refuse_on_ranks() const;
  void take(buffer<T> values, solve_setup& setup);
  /// Arrays of the host, or of the device, of which a solver has copies.
  template <class Offset>
  void place(const csr_view<T, Offset>& a, buffer<Offset>& row_ptr, solve_setup& setup);
  template <class Offset>
  void place(const device_csr_view<T, Offset>& a, buffer<Offset>& row_ptr, solve_setup& setup);

  device where_;
  matrix_demand demand_;
  other_demand more_;
  /// A matrix where the device's teams can read it.
  struct placed {
    buffer<index> row_ptr, col;
    buffer<T> val;
    csr_arrays<T> arrays;
    placed() = default;
    placed(const device& where, const csr_view<T>& a);
  };

  buffer<index> row_ptr_, col_;
  buffer<std::int64_t> large_row_ptr_;
  std::vector<index> shortened_;  ///< row_ptr in 32 bits, where a CPU reads it
  buffer<T> val_;
  // Members of one rank of several:
  placed rows_, own_columns_;
  csr_view<T> given_rows_;
  std::optional<csr<T>> own_block_;
  large_csr_arrays<T> arrays_;
  const row_ranks* ranks_ = nullptr;
  system_facts facts_;
};

}  // namespace dwell
