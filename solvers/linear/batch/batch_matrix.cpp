// SPDX-License-Identifier: MIT
// Checks systems, and copies them to the diagonal blocks of one matrix.
#include "dwell/solvers/linear/batch/batch_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/solvers/linear/check/memory_check.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"

namespace dwell {
namespace {

/// f(), whose refusals name the system.
template <class F>
void of_system(int system, F&& f) {
  try {
    f();
  } catch (const input_error& e) {
    throw input_error(fmt::format("system {} (counted from 0): {}", system, e.what()));
  }
}

/// The sizes by which arrays are copied.
template <class T>
bool can_be_joined(const csr_view<T>& a) {
  return a.rows >= 0 && a.rows == a.cols &&
         (a.rows == 0 || (a.row_ptr && a.row_ptr[0] == 0 && a.row_ptr[a.rows] >= 0 &&
                          (a.row_ptr[a.rows] == 0 || (a.col && a.val))));
}

/// Where systems begin, rows and nonzeros.
struct beginnings {
  std::vector<index> row = {0}, nonzero = {0};
};

template <class T>
beginnings lay_out(std::span<const csr_view<T>> systems) {
  beginnings at;
  at.row.reserve(systems.size() + 1);
  at.nonzero.reserve(systems.size() + 1);
  std::int64_t rows = 0, nonzeros = 0;
  for (std::size_t k = 0; k < systems.size(); ++k) {
    const csr_view<T>& a = systems[k];
    if (!can_be_joined(a))
      of_system(static_cast<int>(k), [&] {
        check_system(a, {.look_for_symmetry = false});  // says why
        throw input_error("matrix: expected sound arrays");
      });
    rows += a.rows;
    nonzeros += a.nonzeros();
    constexpr std::int64_t most = std::numeric_limits<index>::max();
    if (rows > most || nonzeros > most)
      throw input_error(fmt::format(
          "batch: expected at most {} rows and as many nonzeros in all, found {} and {} in the "
          "first {} of {} systems: split the batch",
          most, rows, nonzeros, k + 1, systems.size()));
    at.row.push_back(static_cast<index>(rows));
    at.nonzero.push_back(static_cast<index>(nonzeros));
  }
  return at;
}

/// To its place in the joined matrix. False: its row_ptr falls, or a column is not its own.
template <class T>
bool place_block(const csr_view<T>& a, index first_row, index first_nonzero, csr<T>& to) {
  bool sound = true;
  index* const row_ptr = to.row_ptr.data() + first_row;
  for (index i = 0; i < a.rows; ++i) {
    sound &= a.row_ptr[i + 1] >= a.row_ptr[i];
    row_ptr[i + 1] = first_nonzero + a.row_ptr[i + 1];
  }
  index* const col = to.col.data() + first_nonzero;
  for (index k = 0; k < a.nonzeros(); ++k) {
    sound &= a.col[k] >= 0 && a.col[k] < a.cols;
    col[k] = static_cast<index>(static_cast<unsigned>(a.col[k]) + static_cast<unsigned>(first_row));
  }
  if (a.nonzeros() > 0) std::copy_n(a.val, a.nonzeros(), to.val.data() + first_nonzero);
  return sound;
}

/// Joins views that are in the host's memory.
template <class T>
joined_systems<T> join(std::span<const csr_view<T>> systems) {
  if (systems.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw input_error(fmt::format("batch: expected at most {} systems, found {}: split the batch",
                                  std::numeric_limits<int>::max(), systems.size()));
  beginnings at = lay_out(systems);
  joined_systems<T> joined;
  csr<T>& to = joined.matrix;
  to.rows = to.cols = at.row.back();
  to.row_ptr.resize(static_cast<std::size_t>(to.rows) + 1);
  to.col.resize(static_cast<std::size_t>(at.nonzero.back()));
  to.val.resize(static_cast<std::size_t>(at.nonzero.back()));
  const int count = static_cast<int>(systems.size());
  const int threads =
      to.col.size() < (1 << 17) ? 1 : std::min<int>(default_threads(), std::max(count, 1));
  for_parts(threads, [&](int part) {
    const auto [first, last] = piece(count, part, threads);
    for (int k = first; k < last; ++k) {
      const csr_view<T>& a = systems[static_cast<std::size_t>(k)];
      const auto i = static_cast<std::size_t>(k);
      if (!place_block(a, at.row[i], at.nonzero[i], to)) of_system(k, [&] { check(a); });
    }
  });
  for (const csr_view<T>& a : systems) joined.rows.most = std::max(joined.rows.most, a.rows);
  joined.rows.first = std::move(at.row);
  return joined;
}

}  // namespace

template <class T>
joined_systems<T> join_systems(std::span<const csr_view<T>> systems) {
  for (std::size_t k = 0; k < systems.size(); ++k)
    of_system(static_cast<int>(k), [&] { check_matrix_memory(systems[k]); });
  return join(systems);
}

template <class T>
joined_systems<T> join_systems(const csr_view<T>& pattern, std::span<const T> values, int count) {
  if (count < 0) throw input_error(fmt::format("count: expected at least 0, found {}", count));
  if (count == 0 && values.empty()) return {};
  check_matrix_memory(
      csr_view<T>{pattern.rows, pattern.cols, pattern.row_ptr, pattern.col, values.data()});
  csr_view<T> one = pattern;
  one.val = values.data();
  if (!can_be_joined(one)) {
    check_system(one, {.look_for_symmetry = false});  // says why
    throw input_error("matrix: expected sound arrays");
  }
  const auto nonzeros = static_cast<std::size_t>(one.nonzeros());
  if (values.size() != nonzeros * static_cast<std::size_t>(count))
    throw input_error(
        fmt::format("values: expected {} of them ({} systems of {} nonzeros), found {}",
                    nonzeros * static_cast<std::size_t>(count), count, nonzeros, values.size()));
  std::vector<csr_view<T>> systems(static_cast<std::size_t>(count), one);
  for (std::size_t k = 0; k < systems.size(); ++k) systems[k].val = values.data() + k * nonzeros;
  return join(std::span<const csr_view<T>>(systems));
}

template <class T>
void check_systems(const csr_view<T>& joined, const batch_rows& rows, const matrix_demand& demand) {
  for (int k = 0; k < rows.count(); ++k) {
    const index first = rows.first[static_cast<std::size_t>(k)];
    const index last = rows.first[static_cast<std::size_t>(k) + 1];
    csr<T> one;
    one.rows = one.cols = last - first;
    const index from = joined.row_ptr[first], to = joined.row_ptr[last];
    for (index i = first; i < last; ++i) one.row_ptr.push_back(joined.row_ptr[i + 1] - from);
    for (index n = from; n < to; ++n) one.col.push_back(joined.col[n] - first);
    one.val.assign(joined.val + from, joined.val + to);
    of_system(k, [&] { check_system(one.view(), demand); });
  }
}

#define DWELL_INSTANTIATE(T)                                                            \
  template joined_systems<T> join_systems(std::span<const csr_view<T>>);                \
  template joined_systems<T> join_systems(const csr_view<T>&, std::span<const T>, int); \
  template void check_systems(const csr_view<T>&, const batch_rows&, const matrix_demand&);
DWELL_INSTANTIATE(double)
DWELL_INSTANTIATE(float)
#undef DWELL_INSTANTIATE

}  // namespace dwell
