// SPDX-License-Identifier: MIT
// See examine_rows.hpp.
#include "dwell/solvers/distributed/examine_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/comm/agreement.hpp"
#include "dwell/solvers/linear/examine_steps.hpp"

namespace dwell {
namespace {

/// An entry that couples a row here to one of another rank, and the diagonal of its own row.
struct coupling {
  std::int64_t row, column;
  double value, diagonal;
};

template <class T>
class examined_rows {
 public:
  examined_rows(const distributed_matrix<T>& a, std::span<const T> values,
                const matrix_demand& demand)
      : whole_(a), a_(a.local()), demand_(demand), diagonal_(static_cast<std::size_t>(a_.rows)) {
    a_.val = values.data();
  }

  /// Facts of these rows. Throws input_error.
  system_facts examine() {
    system_facts facts;
    facts.sound = facts.symmetric = true;
    facts.positive_diagonal = facts.full_diagonal = facts.zero_row_sums = true;
    facts.least_diagonal = std::numeric_limits<double>::infinity();
    double most = 0;
    for (index i = 0; i < a_.rows; ++i) {
      check_row(i, facts, most);
      const index begin = a_.row_ptr[i];
      const examining::row_weights is =
          examining::weigh_row(a_.col + begin, a_.val + begin, i, a_.row_ptr[i + 1] - begin);
      facts.zero_row_sums &= is.zero_sum;
      if (is.mixed) facts.rows_with_positive += 1.0;
    }
    facts.exponent = exponent_of(most);
    if (looks_for_symmetry())
      for (index i = 0; i < a_.rows && facts.symmetric; ++i)
        facts.symmetric = has_mirrors(i, demand_.of != matrix_class::general);
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
        all.push_back({global(i), whole_.ghosts()[static_cast<std::size_t>(ghost)],
                       static_cast<double>(a_.val[k]), diagonal_[static_cast<std::size_t>(i)]});
      }
    return all;
  }

  /// Do the entries here and there mirror each other? `mine` by row and column, `theirs` too.
  bool mirror(std::vector<coupling> mine, const std::vector<coupling>& theirs,
              bool refuse_others) const {
    std::sort(mine.begin(), mine.end(), [](const coupling& a, const coupling& b) {
      return a.column != b.column ? a.column < b.column : a.row < b.row;
    });
    const auto before = [](const coupling& a, const coupling& b) {  // a is mine
      return a.column != b.row ? a.column < b.row : a.row < b.column;
    };
    std::size_t k = 0, other = 0;
    while (k < mine.size() || other < theirs.size()) {
      const bool have = k < mine.size(), has = other < theirs.size();
      coupling here = have ? mine[k] : coupling{};
      coupling there = has ? theirs[other] : coupling{};
      if (have && (!has || before(here, there))) {
        there = {here.column, here.row, 0.0, 0.0};
        ++k;
      } else if (has && (!have || here.column != there.row || here.row != there.column)) {
        here = {there.column, there.row, 0.0, 0.0};
        ++other;
      } else {
        ++k, ++other;
      }
      if (alike(here.value, there.value, here.diagonal, there.diagonal)) continue;
      if (refuse_others) refuse_pair(here.value, here.row, here.column, there.value);
      return false;
    }
    return true;
  }

 private:
  std::int64_t global(index row) const { return whole_.first_row() + row; }
  index find(index row, index column) const {
    const index *begin = a_.col + a_.row_ptr[row], *end = a_.col + a_.row_ptr[row + 1];
    const index* at = std::lower_bound(begin, end, column);
    return at != end && *at == column ? static_cast<index>(at - a_.col) : -1;
  }

  void check_row(index i, system_facts& facts, double& most) {
    const index begin = a_.row_ptr[i], end = a_.row_ptr[i + 1];
    const bool positive = demand_.of == matrix_class::positive_definite;
    if (begin == end)
      throw input_error(fmt::format(
          "matrix: expected an entry in every row, found none in row {} (counted from 1)",
          global(i) + 1));
    for (index k = begin; k < end; ++k) {
      const double size = std::abs(static_cast<double>(a_.val[k]));
      if (!std::isfinite(size))
        throw input_error(
            fmt::format("matrix: expected finite numbers, found {} in row {} (counted from 1)",
                        a_.val[k], global(i) + 1));
      most = std::max(most, size);
    }
    const index k = find(i, i);
    const double d = k < 0 ? 0.0 : static_cast<double>(a_.val[k]);
    diagonal_[static_cast<std::size_t>(i)] = d;
    if (positive && !(d > 0))
      throw input_error(
          fmt::format("matrix: expected a positive diagonal, found {} in row {} (counted from 1)",
                      k < 0 ? std::string("none stored") : fmt::format("{}", d), global(i) + 1));
    if (demand_.full_diagonal && d == 0)
      throw input_error(fmt::format(
          "matrix: expected a diagonal without zeros for preconditioner {}, found {} in row {} "
          "(counted from 1)",
          demand_.preconditioner, k < 0 ? "none stored" : "0", global(i) + 1));
    if (d > 0) {
      facts.least_diagonal = std::min(facts.least_diagonal, d);
      facts.most_diagonal = std::max(facts.most_diagonal, d);
    } else {
      facts.positive_diagonal = false;
      facts.full_diagonal &= d != 0;
    }
  }
  /// Of the entries in own columns.
  bool has_mirrors(index i, bool refuse_others) const {
    for (index k = a_.row_ptr[i]; k < a_.row_ptr[i + 1] && a_.col[k] < a_.rows; ++k) {
      const index j = a_.col[k], mirror = find(j, i);
      if (mirror >= 0 && a_.val[mirror] == a_.val[k]) continue;
      const double there = mirror < 0 ? 0.0 : static_cast<double>(a_.val[mirror]);
      if (alike(a_.val[k], there, diagonal_[static_cast<std::size_t>(i)],
                diagonal_[static_cast<std::size_t>(j)]))
        continue;
      if (refuse_others) refuse_pair(a_.val[k], global(i), global(j), there);
      return false;
    }
    return true;
  }
  static bool alike(double here, double there, double of_here, double of_there) {
    const double scale = std::max({std::sqrt(std::abs(of_here)) * std::sqrt(std::abs(of_there)),
                                   std::abs(here), std::abs(there)});
    return std::abs(here - there) <= symmetry_tolerance<T> * scale;
  }
  [[noreturn]] void refuse_pair(double here, std::int64_t row, std::int64_t column,
                                double there) const {
    throw input_error(fmt::format(
        "matrix: expected a symmetric one, found {} at ({}, {}) but {} at ({}, {}) (counted from "
        "1; {})",
        here, row + 1, column + 1, there, column + 1, row + 1,
        demand_.by_null_vectors ? std::string("null_vectors ask for it")
        : demand_.by_preconditioner
            ? fmt::format("preconditioner {} asks for it", demand_.preconditioner)
            : std::string("method bicgstab does not need symmetry")));
  }

  const distributed_matrix<T>& whole_;
  csr_view<T> a_;
  const matrix_demand& demand_;
  std::vector<double> diagonal_;
};

/// Every rank sends the entries that couple it to a neighbour, and compares those that it gets with
/// its own. A rank that reads a neighbour which does not read it finds entries without a mirror.
template <class T>
bool couplings_mirror(const distributed_matrix<T>& a, const examined_rows<T>& rows,
                      bool refuse_others) {
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
  return together(comm, [&] {
    bool mirrored = true;
    for (std::size_t r = 0; r < mine.size() && mirrored; ++r)
      mirrored = rows.mirror(mine[r], theirs[r], refuse_others);
    return mirrored;
  });
}

template <class T>
system_facts examine_own(communicator& comm, examined_rows<T>& rows) {
  return together(comm, [&] { return rows.examine(); });
}

}  // namespace

template <class T>
system_facts examine_rows(const distributed_matrix<T>& a, std::span<const T> values,
                          const matrix_demand& demand) {
  communicator& comm = *a.comm();
  examined_rows<T> rows(a, values, demand);
  system_facts mine = examine_own(comm, rows);
  if (rows.looks_for_symmetry() && all_of_ranks(comm, mine.symmetric))
    mine.symmetric = couplings_mirror(a, rows, demand.of != matrix_class::general);
  system_facts facts = mine;
  facts.rows_with_positive = 0;
  for (const system_facts& one : values_of_ranks(comm, mine)) {
    facts.symmetric &= one.symmetric;
    facts.positive_diagonal &= one.positive_diagonal;
    facts.full_diagonal &= one.full_diagonal;
    facts.zero_row_sums &= one.zero_row_sums;
    facts.rows_with_positive += one.rows_with_positive;
    facts.exponent = std::max(facts.exponent, one.exponent);
    facts.least_diagonal = std::min(facts.least_diagonal, one.least_diagonal);
    facts.most_diagonal = std::max(facts.most_diagonal, one.most_diagonal);
  }
  if (a.all_rows() > 0) facts.rows_with_positive /= static_cast<double>(a.all_rows());
  if (!(facts.most_diagonal > 0)) facts.least_diagonal = 0;
  return facts;
}

template system_facts examine_rows(const distributed_matrix<double>&, std::span<const double>,
                                   const matrix_demand&);
template system_facts examine_rows(const distributed_matrix<float>&, std::span<const float>,
                                   const matrix_demand&);

}  // namespace dwell
