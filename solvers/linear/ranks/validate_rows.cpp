// SPDX-License-Identifier: MIT
// Checks of a rank's own rows, and of couplings between ranks by messages.
#include "dwell/solvers/linear/ranks/validate_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/solvers/linear/check/validate_steps.hpp"

namespace dwell {
namespace {

/// An entry that couples a row here to one of another rank, and the diagonal of its own row.
struct coupling {
  std::int64_t row, column;
  double value, diagonal;
};

/// The first of two in the order of the rows; one without a row is none.
unequal_pair first_of(const unequal_pair& a, const unequal_pair& b) {
  if (a.row < 0 || b.row < 0) return a.row < 0 ? b : a;
  return std::pair(a.row, a.column) < std::pair(b.row, b.column) ? a : b;
}

template <class T>
class validated_rows {
 public:
  validated_rows(const distributed_matrix<T>& a, std::span<const T> values,
                 const matrix_demand& demand)
      : whole_(a), a_(a.local()), demand_(demand), diagonal_(static_cast<std::size_t>(a_.rows)) {
    a_.val = values.data();
  }

  /// Throws input_error for the first number that is not finite.
  void check_values() const {
    for (index i = 0; i < a_.rows; ++i)
      for (index k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k)
        if (!std::isfinite(a_.val[k]))
          throw input_error(fmt::format(
              "matrix: row {} (counted from 1): expected finite values, found {} in column {}",
              global(i) + 1, a_.val[k], global_column(a_.col[k]) + 1));
  }
  void check_diagonals() const { dwell::check_diagonals(a_, whole_.first_row(), demand_); }

  /// Facts of these rows, which are sound; unequal pairs only of own columns.
  system_facts validate() {
    system_facts facts;
    facts.sound = true;
    facts.positive_diagonal = facts.full_diagonal = facts.zero_row_sums = true;
    facts.least_diagonal = std::numeric_limits<double>::infinity();
    double most = 0;
    for (index i = 0; i < a_.rows; ++i) {
      look_at_diagonal(i, facts);
      const index begin = a_.row_ptr[i], end = a_.row_ptr[i + 1];
      for (index k = begin; k < end; ++k)
        most = std::max(most, std::abs(static_cast<double>(a_.val[k])));
      const validating::row_weights is =
          validating::weigh_row(a_.col + begin, a_.val + begin, i, end - begin);
      facts.zero_row_sums &= is.zero_sum;
      if (is.mixed) facts.rows_with_positive += 1.0;
    }
    facts.exponent = exponent_of(most);
    if (looks_for_symmetry())
      for (index i = 0; i < a_.rows && facts.unequal.row < 0; ++i) facts.unequal = unequal_in(i);
    return facts;
  }

  bool looks_for_symmetry() const { return demand_.look_for_symmetry; }

  /// Entries whose columns are ghosts from the given one on, in the order of the reader: by column,
  /// then by row.
  std::vector<coupling> couplings(index first_ghost, index count) const {
    std::vector<coupling> all;
    for (index i = 0; i < a_.rows; ++i)
      for (index k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k) {
        const index ghost = a_.col[k] - a_.rows;
        if (ghost < first_ghost || ghost >= first_ghost + count) continue;
        all.push_back({global(i), global_column(a_.col[k]), static_cast<double>(a_.val[k]),
                       diagonal_[static_cast<std::size_t>(i)]});
      }
    return all;
  }

  /// The first of the entries here that those there do not mirror; `mine` by row and column,
  /// `theirs` too. Those there that have none here are found there.
  unequal_pair unequal_among(const std::vector<coupling>& mine,
                             const std::vector<coupling>& theirs) const {
    for (const coupling& here : mine) {
      const auto at = std::lower_bound(
          theirs.begin(), theirs.end(), std::pair(here.column, here.row),
          [](const coupling& a, const auto& place) { return std::pair(a.row, a.column) < place; });
      const bool stored = at != theirs.end() && at->row == here.column && at->column == here.row;
      const double there = stored ? at->value : 0.0, diagonal = stored ? at->diagonal : 0.0;
      if (!alike(here.value, there, here.diagonal, diagonal))
        return {here.row, here.column, here.value, there, stored};
    }
    return {};
  }

 private:
  std::int64_t global(index row) const { return whole_.first_row() + row; }
  std::int64_t global_column(index column) const {
    return column < a_.rows ? global(column)
                            : whole_.ghosts()[static_cast<std::size_t>(column - a_.rows)];
  }
  index find(index row, index column) const {
    const index *begin = a_.col + a_.row_ptr[row], *end = a_.col + a_.row_ptr[row + 1];
    const index* at = std::lower_bound(begin, end, column);
    return at != end && *at == column ? static_cast<index>(at - a_.col) : -1;
  }

  void look_at_diagonal(index i, system_facts& facts) {
    const index k = find(i, i);
    const double d = k < 0 ? 0.0 : static_cast<double>(a_.val[k]);
    diagonal_[static_cast<std::size_t>(i)] = d;
    if (d > 0) {
      facts.least_diagonal = std::min(facts.least_diagonal, d);
      facts.most_diagonal = std::max(facts.most_diagonal, d);
    } else {
      facts.positive_diagonal = false;
      facts.full_diagonal &= d != 0;
    }
  }
  /// The first of a row's entries in own columns without a mirror.
  unequal_pair unequal_in(index i) const {
    for (index k = a_.row_ptr[i]; k < a_.row_ptr[i + 1] && a_.col[k] < a_.rows; ++k) {
      const index j = a_.col[k], mirror = find(j, i);
      if (mirror >= 0 && a_.val[mirror] == a_.val[k]) continue;
      const double there = mirror < 0 ? 0.0 : static_cast<double>(a_.val[mirror]);
      if (!alike(a_.val[k], there, diagonal_[static_cast<std::size_t>(i)],
                 diagonal_[static_cast<std::size_t>(j)]))
        return {global(i), global(j), static_cast<double>(a_.val[k]), there, mirror >= 0};
    }
    return {};
  }
  static bool alike(double here, double there, double of_here, double of_there) {
    const double scale = std::max({std::sqrt(std::abs(of_here)) * std::sqrt(std::abs(of_there)),
                                   std::abs(here), std::abs(there)});
    return std::abs(here - there) <= symmetry_tolerance<T> * scale;
  }

  const distributed_matrix<T>& whole_;
  csr_view<T> a_;
  const matrix_demand& demand_;
  std::vector<double> diagonal_;
};

/// Every rank sends the entries that couple it to a neighbour, and compares those that it gets with
/// its own. A rank that reads a neighbour which does not read it finds entries without a mirror.
template <class T>
unequal_pair unequal_couplings(const distributed_matrix<T>& a, const validated_rows<T>& rows) {
  communicator& comm = *a.comm();
  const int ranks = comm.size();
  std::vector<std::vector<coupling>> mine(static_cast<std::size_t>(ranks)), theirs(mine.size());
  for (const halo_pattern::part& p : a.halo().receives)
    mine[static_cast<std::size_t>(p.peer)] = rows.couplings(p.first, p.count);
  std::vector<std::int64_t> counts, all(mine.size() * mine.size());
  for (const auto& to : mine) counts.push_back(static_cast<std::int64_t>(to.size()));
  comm.all_gather(counts.data(), counts.size() * sizeof(std::int64_t), all.data());
  std::vector<rank_message> out, in;
  for (int r = 0; r < ranks; ++r) {
    const auto at = static_cast<std::size_t>(r);
    theirs[at].resize(
        static_cast<std::size_t>(all[at * mine.size() + static_cast<std::size_t>(comm.rank())]));
    if (!mine[at].empty()) out.push_back({r, mine[at].data(), mine[at].size() * sizeof(coupling)});
    if (!theirs[at].empty())
      in.push_back({r, theirs[at].data(), theirs[at].size() * sizeof(coupling)});
  }
  const auto messages = comm.messages(std::move(out), std::move(in));
  messages->start();
  messages->finish();
  unequal_pair first;
  for (std::size_t r = 0; r < mine.size(); ++r)
    first = first_of(first, rows.unequal_among(mine[r], theirs[r]));
  return first;
}

template <class T>
system_facts validate_own(communicator& comm, validated_rows<T>& rows) {
  together(comm, [&] { rows.check_values(); });
  together(comm, [&] { rows.check_diagonals(); });
  return together(comm, [&] { return rows.validate(); });
}

}  // namespace

template <class T>
system_facts validate_rows(const distributed_matrix<T>& a, std::span<const T> values,
                           const matrix_demand& demand) {
  communicator& comm = *a.comm();
  validated_rows<T> rows(a, values, demand);
  system_facts mine = validate_own(comm, rows);
  if (rows.looks_for_symmetry()) mine.unequal = first_of(mine.unequal, unequal_couplings(a, rows));
  system_facts facts = mine;
  facts.rows_with_positive = 0;
  for (const system_facts& one : values_of_ranks(comm, mine)) {
    facts.unequal = first_of(facts.unequal, one.unequal);
    facts.positive_diagonal &= one.positive_diagonal;
    facts.full_diagonal &= one.full_diagonal;
    facts.zero_row_sums &= one.zero_row_sums;
    facts.rows_with_positive += one.rows_with_positive;
    facts.exponent = std::max(facts.exponent, one.exponent);
    facts.least_diagonal = std::min(facts.least_diagonal, one.least_diagonal);
    facts.most_diagonal = std::max(facts.most_diagonal, one.most_diagonal);
  }
  facts.symmetric = facts.unequal.row < 0;
  if (a.all_rows() > 0) facts.rows_with_positive /= static_cast<double>(a.all_rows());
  if (!(facts.most_diagonal > 0)) facts.least_diagonal = 0;
  together(comm, [&] {
    if (!facts.symmetric && demand.of != matrix_class::general)
      throw input_error(words_for(facts.unequal, demand));
  });
  return facts;
}

template system_facts validate_rows(const distributed_matrix<double>&, std::span<const double>,
                                    const matrix_demand&);
template system_facts validate_rows(const distributed_matrix<float>&, std::span<const float>,
                                    const matrix_demand&);

}  // namespace dwell
