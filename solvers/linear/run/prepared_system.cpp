// SPDX-License-Identifier: MIT
// Copies a matrix to the device, scales it, and has it checked.
#include "dwell/solvers/linear/run/prepared_system.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/threads/host_threads.hpp"
#include "dwell/solvers/linear/check/memory_check.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"

namespace dwell {

std::atomic<std::int64_t>& most_nonzeros_shortened() {
  static std::atomic<std::int64_t> most{most_in_32_bits};
  return most;
}

namespace {

void check_count(std::size_t found, std::int64_t nonzeros) {
  if (found != static_cast<std::size_t>(nonzeros))
    throw input_error(
        fmt::format("values: expected {} of them as the matrix has, found {}", nonzeros, found));
}

/// The sizes by which arrays are copied.
template <class T, class Offset>
bool has_sizes(const csr_view<T, Offset>& a) {
  return a.rows >= 0 && a.rows == a.cols &&
         (a.rows == 0 ||
          (a.row_ptr && a.row_ptr[a.rows] >= 0 && (a.row_ptr[a.rows] == 0 || (a.col && a.val))));
}

std::size_t row_ptr_size(index rows) { return rows > 0 ? static_cast<std::size_t>(rows) + 1 : 0; }

/// The sizes and places of arrays of a device.
template <class T, class Offset>
void check_device_arrays(const device& where, const device_csr_view<T, Offset>& a) {
  check_device_memory(where, a);
  if (a.rows < 0 || a.rows != a.cols)
    throw input_error(
        fmt::format("matrix: expected as many rows as columns, found {} x {}", a.rows, a.cols));
  if (a.nonzeros < 0 || (a.rows > 0 && !a.row_ptr) || (a.nonzeros > 0 && (!a.col || !a.val)))
    throw input_error(fmt::format(
        "matrix: expected row_ptr, columns and values of {} nonzeros, found a null pointer",
        a.nonzeros));
}

/// `to` gets the row pointers in 32 bits; false if some are not from 0 to `nonzeros`.
bool shorten(const std::int64_t* row_ptr, std::size_t n, std::int64_t nonzeros,
             std::vector<index>& to) {
  to.resize(n);
  bool within = true;
  for (std::size_t i = 0; i < n; ++i) {
    within &= row_ptr[i] >= 0 && row_ptr[i] <= nonzeros;
    to[i] = static_cast<index>(row_ptr[i]);
  }
  return within;
}
[[noreturn]] void throw_broken_row_ptr() {
  throw input_error("matrix: expected row_ptr from 0 to the number of nonzeros, found others");
}

/// A copy of an array in the device's memory, in memory that a solver owns.
template <class T>
buffer<T> copy_in(const device& where, const T* from, std::size_t n) {
  buffer<T> to(where, n, fresh::unset);
  memory_of(where.on()).copy(where, to.data(), from, n * sizeof(T));
  return to;
}

template <class T>
std::vector<T> downloaded(const device& where, const T* from, std::size_t n) {
  std::vector<T> to(n);
  memory_of(where.on()).download(where, to.data(), from, n * sizeof(T));
  return to;
}

template <class T>
csr<T> block_of_own_columns(const csr_view<T>& rows) {
  csr<T> block{rows.rows, rows.rows, {0}, {}, {}};
  for (index i = 0; i < rows.rows; ++i) {
    for (index k = rows.row_ptr[i]; k < rows.row_ptr[i + 1]; ++k) {
      if (rows.col[k] >= rows.rows) break;  // own columns come first
      block.col.push_back(rows.col[k]);
      block.val.push_back(rows.val[k]);
    }
    block.row_ptr.push_back(static_cast<index>(block.col.size()));
  }
  return block;
}

}  // namespace

template <class T>
prepared_system<T>::placed::placed(const device& where, const csr_view<T>& a) {
  const auto nonzeros = static_cast<std::size_t>(a.nonzeros());
  row_ptr = buffer<index>::borrow(
      where, {a.row_ptr, a.row_ptr ? static_cast<std::size_t>(a.rows) + 1 : 0});
  col = buffer<index>::borrow(where, {a.col, nonzeros});
  val = buffer<T>::borrow(where, {a.val, nonzeros});
  arrays = {a.rows, a.cols, a.nonzeros(), row_ptr.data(), col.data(), val.data()};
}

template <class T>
template <class Offset>
void prepared_system<T>::place(const csr_view<T, Offset>& a, buffer<Offset>& row_ptr,
                               solve_setup& setup) {
  const auto nonzeros = static_cast<std::size_t>(a.nonzeros());
  {
    const lap_timer time(setup.upload_s);
    row_ptr = buffer<Offset>::borrow(where_, {a.row_ptr, row_ptr_size(a.rows)});
    col_ = buffer<index>::borrow(where_, {a.col, nonzeros});
    val_ = buffer<T>::borrow(where_, {a.val, nonzeros});
  }
  arrays_ = {a.rows, a.cols, a.nonzeros(), row_ptr.data(), col_.data(), val_.data()};
  facts_ = validated(arrays_, setup);
}

template <class T>
prepared_system<T>::prepared_system(const device& where, const csr_view<T>& a,
                                    const matrix_demand& demand, solve_setup& setup)
    : where_(where), demand_(demand) {
  check_matrix_memory(a);
  if (!has_sizes(a)) check_system(a, demand);  // says why
  place(a, row_ptr_, setup);
}

template <class T>
prepared_system<T>::prepared_system(const device& where, const large_csr_view<T>& a,
                                    const matrix_demand& demand, solve_setup& setup)
    : where_(where), demand_(demand) {
  check_matrix_memory(a);
  if (!has_sizes(a)) check_system(a, demand);  // says why
  if (a.nonzeros() > most_nonzeros_shortened()) {
    check_nonzeros(a.nonzeros(), demand);
    place(a, large_row_ptr_, setup);
    return;
  }
  bool within = false;
  {
    const lap_timer time(setup.upload_s);
    within = shorten(a.row_ptr, row_ptr_size(a.rows), a.nonzeros(), shortened_);
  }
  if (!within) {
    check_system(a, demand);  // says why
    throw_broken_row_ptr();
  }
  place(csr_view<T>{a.rows, a.cols, shortened_.data(), a.col, a.val}, row_ptr_, setup);
  if (where.on() != backend::cpu) shortened_ = {};
}

template <class T>
template <class Offset>
void prepared_system<T>::place(const device_csr_view<T, Offset>& a, buffer<Offset>& row_ptr,
                               solve_setup& setup) {
  const auto nonzeros = static_cast<std::size_t>(a.nonzeros);
  {
    const lap_timer time(setup.upload_s);
    if (a.row_ptr) row_ptr = copy_in(where_, a.row_ptr, row_ptr_size(a.rows));
    col_ = copy_in(where_, a.col, nonzeros);
    val_ = copy_in(where_, a.val, nonzeros);
  }
  arrays_ = {a.rows, a.cols, a.nonzeros, row_ptr.data(), col_.data(), val_.data()};
  facts_ = validated(arrays_, setup);
}

template <class T>
prepared_system<T>::prepared_system(const device& where, const device_csr_view<T>& a,
                                    const matrix_demand& demand, solve_setup& setup)
    : where_(where), demand_(demand) {
  check_device_arrays(where, a);
  place(a, row_ptr_, setup);
}

template <class T>
prepared_system<T>::prepared_system(const device& where, const large_device_csr_view<T>& a,
                                    const matrix_demand& demand, solve_setup& setup)
    : where_(where), demand_(demand) {
  check_device_arrays(where, a);
  if (a.nonzeros > most_nonzeros_shortened()) {
    check_nonzeros(a.nonzeros, demand);
    place(a, large_row_ptr_, setup);
    return;
  }
  std::vector<index> here;
  {
    const lap_timer time(setup.upload_s);
    const auto row_ptr = downloaded(where, a.row_ptr, row_ptr_size(a.rows));
    if (!shorten(row_ptr.data(), row_ptr.size(), a.nonzeros, here)) throw_broken_row_ptr();
    row_ptr_ = buffer<index>::copy_of(where, here);
  }
  place(device_csr_view<T>{a.rows, a.cols, static_cast<index>(a.nonzeros), nullptr, a.col, a.val,
                           a.device},
        row_ptr_, setup);
}

template <class T>
prepared_system<T>::prepared_system(const device& where, const large_csr_arrays<T>& a,
                                    const matrix_demand& demand, solve_setup& setup)
    : where_(where), demand_(demand), arrays_(a) {
  facts_ = validated(arrays_, setup);
}

template <class T>
prepared_system<T>::prepared_system(const device& where, const divided_rows<T>& a,
                                    const matrix_demand& demand, solve_setup& setup)
    : where_(where), demand_(demand), ranks_(a.ranks) {
  update(a, setup);
}

template <class T>
void prepared_system<T>::update(const divided_rows<T>& a, solve_setup& setup) {
  placed rows;
  {
    const lap_timer time(setup.upload_s);
    if (!a.placed.row_ptr) rows = placed(where_, a.rows);
  }
  const csr_arrays<T> arrays = a.placed.row_ptr ? a.placed : rows.arrays;
  if (more_) {
    const lap_timer time(setup.check_s);
    more_(arrays, a.facts);
  }
  rows_ = std::move(rows);
  arrays_ = arrays;
  facts_ = a.facts;
  given_rows_ = a.rows;
  own_block_.reset();
}

template <class T>
csr_arrays<T> prepared_system<T>::block() {
  if (!ranks_) return arrays_.in_32_bits();
  if (!own_block_) {
    own_block_ = block_of_own_columns(given_rows_);
    own_columns_ = placed(where_, own_block_->view());
  }
  return own_columns_.arrays;
}

template <class T>
system_facts prepared_system<T>::validated(const large_csr_arrays<T>& a, solve_setup& setup) const {
  const threads_at_most threads = host_threads_of(where_);
  const lap_timer time(setup.check_s);
  system_facts facts = validate(where_, a, demand_.look_for_symmetry);
  facts.large = a.row_ptr.of_64_bits() != nullptr;
  if (!demand_.met_by(facts)) refuse(a);
  if (more_) more_(a, facts);
  return facts;
}

template <class T>
void prepared_system<T>::refuse(const large_csr_arrays<T>& a) const {
  if (ranks_) refuse_on_ranks();
  if (const std::int64_t* const in_64_bits = a.row_ptr.of_64_bits()) refuse(a, in_64_bits);
  refuse(a, a.row_ptr.of_32_bits());
}

template <class T>
template <class Offset>
void prepared_system<T>::refuse(const large_csr_arrays<T>& a, const Offset* row_ptr) const {
  csr<T, Offset> copy{a.rows, a.cols, {0}, {}, {}};
  if (a.rows > 0) copy.row_ptr = downloaded(where_, row_ptr, row_ptr_size(a.rows));
  if (copy.row_ptr.back() != a.nonzeros)
    throw input_error(fmt::format("matrix: expected row_ptr to end with {} nonzeros, found {}",
                                  a.nonzeros, copy.row_ptr.back()));
  csr_view<T, Offset> here{a.rows, a.cols, copy.row_ptr.data(), a.col, a.val};
  if (where_.on() != backend::cpu) {
    copy.col = downloaded(where_, a.col, static_cast<std::size_t>(a.nonzeros));
    copy.val = downloaded(where_, a.val, static_cast<std::size_t>(a.nonzeros));
    here = copy.view();
  }
  check_system(here, demand_);
  throw device_error("matrix: the checks of the device and of the host do not agree");
}

template <class T>
void prepared_system<T>::refuse_on_ranks() const {
  communicator& comm = *ranks_->comm;
  const auto rows = values_of_ranks(comm, std::int64_t{given_rows_.rows});
  const std::int64_t first_row =
      std::accumulate(rows.begin(), rows.begin() + comm.rank(), std::int64_t{0});
  together(comm, [&] { check_diagonals(given_rows_, first_row, demand_); });
  together(comm, [&] {
    if (facts_.unequal.row >= 0) throw input_error(words_for(facts_.unequal, demand_));
  });
  throw device_error("matrix: the checks of all ranks and of each do not agree");
}

template <class T>
void prepared_system<T>::demand(const matrix_demand& more) {
  demand_ = more;
  if (!demand_.met_by(facts_)) refuse(arrays_);
}

template <class T>
void prepared_system<T>::demand(other_demand more) {
  more_ = std::move(more);
  more_(arrays_, facts_);
}

template <class T>
void prepared_system<T>::take(buffer<T> values, solve_setup& setup) {
  large_csr_arrays<T> changed = arrays_;
  changed.val = values.data();
  facts_ = validated(changed, setup);
  arrays_ = changed;
  val_ = std::move(values);
}

template <class T>
void prepared_system<T>::update(std::span<const T> values, solve_setup& setup) {
  check_count(values.size(), arrays_.nonzeros);
  check_host_memory(values, "the values");
  buffer<T> copy;
  {
    const lap_timer time(setup.upload_s);
    copy = buffer<T>::borrow(where_, values);
  }
  take(std::move(copy), setup);
}

template <class T>
void prepared_system<T>::update(device_span<const T> values, solve_setup& setup) {
  check_count(values.size, arrays_.nonzeros);
  check_device_memory(where_, values, "the values");
  buffer<T> copy;
  {
    const lap_timer time(setup.upload_s);
    copy = copy_in(where_, values.data, values.size);
  }
  take(std::move(copy), setup);
}

template <class T>
large_csr_arrays<T> prepared_system<T>::in_place() const {
  return where_.on() == backend::cpu ? arrays_ : large_csr_arrays<T>();
}

template class prepared_system<double>;
template class prepared_system<float>;

}  // namespace dwell
