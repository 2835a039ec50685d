// SPDX-License-Identifier: MIT
// Numbers ghosts, finds who reads whose elements, and moves whole vectors.
#include "dwell/linear/distributed_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/comm/pieces.hpp"
#include "dwell/solvers/linear/ranks/balance.hpp"

namespace dwell {
namespace {

constexpr std::int64_t most_index = std::numeric_limits<index>::max();

int owner_of(std::span<const std::int64_t> first_rows, std::int64_t row) {
  return static_cast<int>(std::upper_bound(first_rows.begin(), first_rows.end(), row) -
                          first_rows.begin()) -
         1;
}

template <class T>
void check_rows(const global_rows<T>& a) {
  if (a.row_ptr.empty() || a.row_ptr.front() != 0)
    throw input_error("matrix: expected row_ptr to begin with 0");
  if (a.row_ptr.size() - 1 > static_cast<std::size_t>(most_index) || a.row_ptr.back() > most_index)
    throw input_error(
        fmt::format("matrix: expected fewer than 2^31 rows and nonzeros on a rank, found {} and {}",
                    a.row_ptr.size() - 1, a.row_ptr.back()));
  for (std::size_t i = 1; i < a.row_ptr.size(); ++i)
    if (a.row_ptr[i] < a.row_ptr[i - 1])
      throw input_error(fmt::format("matrix: expected row_ptr to ascend, it falls at row {}", i));
  const auto nonzeros = static_cast<std::size_t>(a.row_ptr.back());
  if (a.col.size() != nonzeros || a.val.size() != nonzeros)
    throw input_error(fmt::format("matrix: expected {} columns and values, found {} and {}",
                                  nonzeros, a.col.size(), a.val.size()));
  for (std::size_t i = 1; i < a.row_ptr.size(); ++i)
    for (std::int64_t k = a.row_ptr[i - 1], before = -1; k < a.row_ptr[i]; ++k) {
      const std::int64_t column = a.col[static_cast<std::size_t>(k)];
      if (column <= before || column >= a.all_rows)
        throw input_error(fmt::format(
            "matrix: expected columns from 0 to {}, ascending, found {} after {} in row {} of a "
            "rank (counted from 0)",
            a.all_rows - 1, column, before, i - 1));
      before = column;
    }
}

std::vector<std::int64_t> first_rows_of(communicator& comm, std::int64_t rows,
                                        std::int64_t all_rows) {
  struct claim {
    std::int64_t rows, all_rows;
  };
  std::vector<std::int64_t> first = {0};
  for (const claim& c : values_of_ranks(comm, claim{rows, all_rows})) {
    if (c.all_rows != all_rows)
      throw input_error(
          fmt::format("matrix: expected the same number of rows in all on every rank, found {} and "
                      "{}",
                      all_rows, c.all_rows));
    first.push_back(first.back() + c.rows);
  }
  if (first.back() != all_rows)
    throw input_error(fmt::format("matrix: expected {} rows on all ranks together, found {}",
                                  all_rows, first.back()));
  return first;
}

}  // namespace

template <class T>
distributed_matrix<T>::distributed_matrix(std::shared_ptr<communicator> comm,
                                          const global_rows<T>& rows)
    : comm_(std::move(comm)) {
  take(rows);
}

template <class T>
void distributed_matrix<T>::take(const global_rows<T>& rows) {
  together(*comm_, [&] { check_rows(rows); });
  first_rows_ =
      first_rows_of(*comm_, static_cast<std::int64_t>(rows.row_ptr.size()) - 1, rows.all_rows);
  all_nonzeros_ = 0;
  for (const std::int64_t n : values_of_ranks(*comm_, rows.row_ptr.back())) all_nonzeros_ += n;
  together(*comm_, [&] { number_ghosts(rows); });
  find_readers();
}

template <class T>
void distributed_matrix<T>::number_ghosts(const global_rows<T>& a) {
  const std::int64_t first = first_row();
  const auto rows = static_cast<std::int64_t>(a.row_ptr.size()) - 1, last = first + rows;
  const auto is_own = [&](std::int64_t column) { return column >= first && column < last; };
  for (const std::int64_t column : a.col)
    if (!is_own(column)) ghosts_.push_back(column);
  std::sort(ghosts_.begin(), ghosts_.end());
  ghosts_.erase(std::unique(ghosts_.begin(), ghosts_.end()), ghosts_.end());
  if (rows + static_cast<std::int64_t>(ghosts_.size()) > most_index)
    throw input_error(
        fmt::format("matrix: expected fewer than 2^31 rows and ghosts on a rank, found {} and {}",
                    rows, ghosts_.size()));

  local_.rows = static_cast<index>(rows);
  local_.cols = static_cast<index>(rows + static_cast<std::int64_t>(ghosts_.size()));
  local_.row_ptr.assign(a.row_ptr.begin(), a.row_ptr.end());
  local_.col.resize(a.col.size());
  local_.val.resize(a.val.size());
  const auto ghost_of = [&](std::int64_t column) {
    return static_cast<index>(
        rows + (std::lower_bound(ghosts_.begin(), ghosts_.end(), column) - ghosts_.begin()));
  };
  // Own columns first, each part in its order.
  interior_rows_ = 0;
  index run = 0;  // number of interior rows that end before the next one
  for (std::int64_t i = 0; i < rows; ++i) {
    auto to = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
    const std::size_t begin = to;
    const auto end = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]);
    for (const bool own : {true, false})
      for (std::size_t k = begin; k < end; ++k) {
        const std::int64_t column = a.col[k];
        if (is_own(column) != own) continue;
        local_.col[to] = own ? static_cast<index>(column - first) : ghost_of(column);
        local_.val[to++] = a.val[k];
      }
    const bool interior = end == begin || local_.col[end - 1] < local_.rows;
    if (interior) ++interior_rows_;
    run = interior ? run + 1 : 0;
    if (run > halo_.interior_end - halo_.interior_begin) {
      halo_.interior_end = static_cast<index>(i) + 1;
      halo_.interior_begin = halo_.interior_end - run;
    }
  }
}

template <class T>
void distributed_matrix<T>::find_readers() {
  halo_.own = local_.rows;
  halo_.ghosts = static_cast<index>(ghosts_.size());
  const int ranks = comm_->size(), me = comm_->rank();
  // Counts the elements that are wanted of each rank.
  std::vector<std::int64_t> wanted(static_cast<std::size_t>(ranks));
  for (std::size_t k = 0; k < ghosts_.size();) {
    const int owner = owner_of(first_rows_, ghosts_[k]);
    const std::int64_t end = first_rows_[static_cast<std::size_t>(owner) + 1];
    const std::size_t begin = k;
    while (k < ghosts_.size() && ghosts_[k] < end) ++k;
    wanted[static_cast<std::size_t>(owner)] = static_cast<std::int64_t>(k - begin);
    halo_.receives.push_back({owner, static_cast<index>(begin), static_cast<index>(k - begin)});
  }
  std::vector<std::int64_t> of_all(wanted.size() * wanted.size());
  comm_->all_gather(wanted.data(), wanted.size() * sizeof(std::int64_t), of_all.data());
  index sent = 0;
  for (int reader = 0; reader < ranks; ++reader) {
    const std::int64_t count =
        of_all[static_cast<std::size_t>(reader) * static_cast<std::size_t>(ranks) +
               static_cast<std::size_t>(me)];
    if (count == 0) continue;
    halo_.sends.push_back({reader, sent, static_cast<index>(count)});
    sent += static_cast<index>(count);
  }
  // The readers say which.
  std::vector<std::int64_t> asked(static_cast<std::size_t>(sent));
  std::vector<rank_message> out, in;
  for (const halo_pattern::part& p : halo_.receives)
    out.push_back({p.peer, ghosts_.data() + p.first,
                   static_cast<std::size_t>(p.count) * sizeof(std::int64_t)});
  for (const halo_pattern::part& p : halo_.sends)
    in.push_back(
        {p.peer, asked.data() + p.first, static_cast<std::size_t>(p.count) * sizeof(std::int64_t)});
  const auto messages = comm_->messages(std::move(out), std::move(in));
  messages->start();
  messages->finish();
  halo_.elements.clear();
  for (const std::int64_t row : asked)
    halo_.elements.push_back(static_cast<index>(row - first_row()));
}

template <class T>
rank_share distributed_matrix<T>::share() const {
  std::vector<int> peers;
  for (const auto* list : {&halo_.sends, &halo_.receives})
    for (const halo_pattern::part& p : *list) peers.push_back(p.peer);
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return {first_row(),
          local_.rows,
          local_.view().nonzeros(),
          halo_.ghosts,
          static_cast<index>(halo_.elements.size()),
          static_cast<int>(peers.size()),
          interior_rows_};
}

template <class T>
std::vector<rank_share> distributed_matrix<T>::shares() const {
  return values_of_ranks(*comm_, share());
}

template <class T>
std::vector<T> distributed_matrix<T>::gather(std::span<const T> mine, int root) const {
  together(*comm_, [&] {
    if (mine.size() != static_cast<std::size_t>(local_.rows))
      throw input_error(fmt::format("vector: expected {} elements on rank {}, found {}",
                                    local_.rows, comm_->rank(), mine.size()));
  });
  std::vector<T> whole;
  if (comm_->rank() == root) whole.resize(static_cast<std::size_t>(all_rows()));
  collect_pieces(*comm_, root, mine, whole.data(),
                 [&](int r) { return first_rows_[static_cast<std::size_t>(r)]; });
  return whole;
}

template <class T>
std::vector<T> distributed_matrix<T>::scatter(std::span<const T> whole, int root) const {
  together(*comm_, [&] {
    if (comm_->rank() == root && whole.size() != static_cast<std::size_t>(all_rows()))
      throw input_error(
          fmt::format("vector: expected {} elements, found {}", all_rows(), whole.size()));
  });
  std::vector<T> mine(static_cast<std::size_t>(local_.rows));
  deal_pieces(*comm_, root, whole.data(), std::span<T>(mine),
              [&](int r) { return first_rows_[static_cast<std::size_t>(r)]; });
  return mine;
}

template <class T>
std::vector<double> distributed_matrix<T>::scatter_columns(std::span<const double> whole,
                                                           int root) const {
  const auto rows = static_cast<std::size_t>(all_rows());
  together(*comm_, [&] {
    if (comm_->rank() == root && (rows > 0 ? whole.size() % rows : whole.size()) != 0)
      throw input_error(
          fmt::format("vectors: expected {} elements each, one after another, found "
                      "{} elements",
                      rows, whole.size()));
  });
  const std::size_t count =
      value_of_rank(*comm_, root, rows > 0 ? whole.size() / rows : std::size_t{0});
  const auto n = static_cast<std::size_t>(local_.rows);
  std::vector<double> mine(count * n);
  for (std::size_t k = 0; k < count; ++k)
    deal_pieces(*comm_, root, whole.data() + (comm_->rank() == root ? k * rows : 0),
                std::span<double>(mine).subspan(k * n, n),
                [&](int r) { return first_rows_[static_cast<std::size_t>(r)]; });
  return mine;
}

namespace {

/// The rows [first, last) of a whole matrix, for one rank.
template <class T>
struct piece_of_rows {
  std::vector<std::int64_t> row_ptr, col;
  std::vector<T> val;
  global_rows<T> view(std::int64_t all_rows) const { return {all_rows, row_ptr, col, val}; }
};

/// The rows from first to before last.
template <class T>
piece_of_rows<T> piece_of(const csr_view<T>& whole, std::int64_t first, std::int64_t last) {
  piece_of_rows<T> piece;
  const std::int64_t begin = whole.row_ptr[first], end = whole.row_ptr[last];
  for (std::int64_t i = first; i <= last; ++i) piece.row_ptr.push_back(whole.row_ptr[i] - begin);
  piece.col.assign(whole.col + begin, whole.col + end);
  piece.val.assign(whole.val + begin, whole.val + end);
  return piece;
}

}  // namespace

template <class T>
distributed_matrix<T>::distributed_matrix(std::shared_ptr<communicator> comm,
                                          const csr_view<T>& whole,
                                          std::span<const std::int64_t> first_rows, int root)
    : comm_(std::move(comm)) {
  const int ranks = comm_->size(), me = comm_->rank();
  together(*comm_, [&] {
    bool ascends =
        first_rows.size() == static_cast<std::size_t>(ranks) + 1 && first_rows.front() == 0;
    for (std::size_t r = 1; ascends && r < first_rows.size(); ++r)
      ascends = first_rows[r - 1] <= first_rows[r];
    if (!ascends)
      throw input_error(fmt::format(
          "first_rows: expected {} numbers from 0 on, ascending, for {} ranks", ranks + 1, ranks));
    if (me != root) return;
    if (whole.rows != whole.cols || whole.rows != first_rows.back())
      throw input_error(
          fmt::format("matrix: expected {} rows and columns, as first_rows has, found {} x {}",
                      first_rows.back(), whole.rows, whole.cols));
    if (whole.rows > 0 && !whole.row_ptr) throw input_error("matrix: row_ptr is a null pointer");
  });
  // Piece by piece, so that the root holds one of them at a time.
  piece_of_rows<T> mine;
  for (int r = 0; r < ranks; ++r) {
    const auto at = static_cast<std::size_t>(r);
    const std::int64_t first = first_rows[at], last = first_rows[at + 1];
    piece_of_rows<T> piece;
    std::int64_t nonzeros = 0;
    if (me == root && whole.rows > 0) {
      piece = piece_of(whole, first, last);
      nonzeros = piece.row_ptr.back();
    }
    if (me == root && whole.rows == 0) piece.row_ptr = {0};
    nonzeros = value_of_rank(*comm_, root, nonzeros);
    if (r == root) {
      if (me == root) mine = std::move(piece);
      continue;
    }
    std::vector<rank_message> out, in;
    const auto add = [&](auto& array, std::size_t count) {
      using value = typename std::remove_reference_t<decltype(array)>::value_type;
      if (me == r) array.resize(count);
      if (me == root) out.push_back({r, array.data(), count * sizeof(value)});
      if (me == r) in.push_back({root, array.data(), count * sizeof(value)});
    };
    piece_of_rows<T>& of = me == r ? mine : piece;
    add(of.row_ptr, static_cast<std::size_t>(last - first) + 1);
    add(of.col, static_cast<std::size_t>(nonzeros));
    add(of.val, static_cast<std::size_t>(nonzeros));
    const auto messages = comm_->messages(std::move(out), std::move(in));
    messages->start();
    messages->finish();
  }
  take(mine.view(first_rows.back()));
}

std::vector<std::int64_t> balanced_first_rows(std::span<const index> row_ptr, int ranks) {
  if (ranks < 1) throw input_error(fmt::format("ranks: expected at least 1, found {}", ranks));
  const std::int64_t rows = row_ptr.empty() ? 0 : static_cast<std::int64_t>(row_ptr.size()) - 1;
  std::vector<std::int64_t> first = {0};
  for (int r = 1; r <= ranks; ++r)
    first.push_back(balanced_first_row(
        rows, rows > 0 ? row_ptr.back() : 0, r, ranks,
        [&](std::int64_t row) { return row_ptr[static_cast<std::size_t>(row)]; }, first.back()));
  return first;
}

template class distributed_matrix<double>;
template class distributed_matrix<float>;

}  // namespace dwell
