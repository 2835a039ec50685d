// SPDX-License-Identifier: MIT
// A sparse matrix whose rows are divided among ranks: each has rows that follow each other in the
// numbering of the whole matrix, and knows which elements of a vector it needs of other ranks (its
// ghosts) and who needs elements of its own.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/comm/communicator.hpp"
#include "dwell/comm/halo.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// Rows of a matrix with columns in the numbering of the whole, as a rank gives them. The arrays
/// stay the caller's.
template <class T>
struct global_rows {
  std::int64_t all_rows = 0;              ///< rows of the whole matrix, which is square
  std::span<const std::int64_t> row_ptr;  ///< rows here + 1, from 0
  std::span<const std::int64_t> col;      ///< 0 to all_rows - 1, ascending in each row
  std::span<const T> val;                 ///< values, one for each of col
};

/// What a rank has of a divided matrix.
struct rank_share {
  std::int64_t first_row = 0;  ///< in the numbering of the whole
  index rows = 0;              ///< rows of the rank
  index nonzeros = 0;          ///< in them
  index ghosts = 0;            ///< elements of other ranks that its rows read
  index sent = 0;              ///< elements of its own that it sends, once for each reader
  int neighbours = 0;          ///< ranks that it sends to or gets from
  index interior_rows = 0;     ///< that read no ghosts
};

/// T: double or float. Copies share the communicator.
template <class T>
class DWELL_API distributed_matrix {
 public:
  /// Called by all ranks together: rank 0 gives the first rows of the matrix, rank 1 the next ones,
  /// and so on; a rank may give none. The entries are copied. Throws input_error, on all ranks, if
  /// row_ptr or columns are malformed, or the rows of all ranks are not all_rows.
  distributed_matrix(std::shared_ptr<communicator> comm, const global_rows<T>& rows);
  /// Called by all ranks together. Rank `root` has the whole matrix, and every rank gets the rows
  /// from first_rows[rank] to before first_rows[rank + 1] (size() + 1 numbers, from 0 to the rows
  /// of the matrix; on all ranks the same). What other ranks give as `whole` does not count.
  distributed_matrix(std::shared_ptr<communicator> comm, const csr_view<T>& whole,
                     std::span<const std::int64_t> first_rows, int root = 0);

  /// The ranks.
  const std::shared_ptr<communicator>& comm() const { return comm_; }
  std::int64_t all_rows() const { return first_rows_.back(); }  ///< rows of the whole
  std::int64_t all_nonzeros() const { return all_nonzeros_; }   ///< stored entries of the whole
  /// First row of this rank, in the numbering of the whole.
  std::int64_t first_row() const { return first_rows_[static_cast<std::size_t>(comm_->rank())]; }
  index rows() const { return local_.rows; }  ///< rows of this rank
  /// First row of every rank; size() + 1 numbers.
  std::span<const std::int64_t> first_rows() const { return first_rows_; }
  /// The rows of this rank: columns are its own elements in their order, then its ghosts.
  csr_view<T> local() const { return local_.view(); }
  /// Ghost k is element ghosts()[k] of the whole; ascending.
  std::span<const std::int64_t> ghosts() const { return ghosts_; }
  const halo_pattern& halo() const { return halo_; }  ///< for vectors divided as the rows
  rank_share share() const;                           ///< share of this rank
  /// Shares of every rank. Called by all ranks together.
  std::vector<rank_share> shares() const;

  /// Elements of a vector that is divided as the rows are, all of them on rank `root`; empty on the
  /// others. Called by all ranks together.
  std::vector<T> gather(std::span<const T> mine, int root = 0) const;
  /// The elements of this rank of a vector that is whole on rank `root`.
  std::vector<T> scatter(std::span<const T> whole, int root = 0) const;
  /// Scatters several vectors, one after another: solve_options::null_vectors, say. Throws
  /// input_error, on all ranks, unless the elements are those of whole vectors.
  std::vector<double> scatter_columns(std::span<const double> whole, int root = 0) const;

 private:
  void take(const global_rows<T>& rows);
  void number_ghosts(const global_rows<T>& rows);
  void find_readers();

  std::shared_ptr<communicator> comm_;
  std::vector<std::int64_t> first_rows_;
  std::int64_t all_nonzeros_ = 0;
  csr<T> local_;
  std::vector<std::int64_t> ghosts_;
  halo_pattern halo_;
  index interior_rows_ = 0;
};

extern template class distributed_matrix<double>;
extern template class distributed_matrix<float>;

/// The first row of every rank, and the rows of the matrix: about as many rows and nonzeros for
/// each. Throws input_error if there are no ranks.
DWELL_API std::vector<std::int64_t> balanced_first_rows(std::span<const index> row_ptr, int ranks);

}  // namespace dwell
