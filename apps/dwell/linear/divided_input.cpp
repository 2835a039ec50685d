// SPDX-License-Identifier: MIT
// Reads or makes the rows of each rank, and finds whether they can be.
#include "linear/divided_input.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

#include "linear/right_hand_sides.hpp"

#include "dwell/base/error.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/comm/pieces.hpp"
#include "dwell/formats/binary_matrix.hpp"
#include "dwell/linear/distribute.hpp"

namespace dwell::app {
namespace {

std::unique_ptr<row_source> open_source(const std::string& matrix) {
  if (is_generated(matrix)) return generate_by_rows(matrix);
  return std::make_unique<binary_matrix_file>(matrix);
}

/// In the order of the columns, as those of a whole matrix.
std::vector<double> sums_of(const matrix_rows& a) {
  std::vector<double> sums(a.row_ptr.size() - 1);
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (std::int64_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      sums[i] += a.val[static_cast<std::size_t>(k)];
  return sums;
}

/// Rows of a divided matrix: the first row of each rank, and the number of all.
std::vector<std::int64_t> first_rows_of(communicator& comm, const matrix_rows& mine) {
  std::vector<std::int64_t> first = {0};
  for (const std::size_t ends : values_of_ranks(comm, mine.row_ptr.size()))
    first.push_back(first.back() + static_cast<std::int64_t>(ends) - 1);
  return first;
}

/// Vectors out of files, which the first rank has as long as it takes to hand them out: read before
/// the rows, so that those of another length are refused at once.
struct whole_vectors {
  std::vector<double> b, x;
};
whole_vectors read_whole_vectors(const divided_request& asked, const std::string& matrix,
                                 std::int64_t rows, int threads) {
  whole_vectors v;
  if (asked.rhs.what == rhs_source::kind::companion) refuse_companion(matrix, rows);
  if (asked.rhs.what == rhs_source::kind::file)
    v.b = read_fitting(asked.rhs.file, "right-hand side", matrix, rows, threads);
  if (!asked.start.empty()) v.x = read_fitting(asked.start, "start vector", matrix, rows, threads);
  return v;
}

/// The vectors of one rank. Called by all ranks together, as are its functions.
class vectors_of_rank {
 public:
  vectors_of_rank(communicator& comm, const divided_input& in, const matrix_rows& mine,
                  const whole_vectors& whole)
      : comm_(comm),
        in_(in),
        mine_(mine),
        whole_(whole),
        first_rows_(first_rows_of(comm, mine)),
        first_(first_rows_[static_cast<std::size_t>(comm.rank())]),
        rows_(mine.row_ptr.size() - 1) {}

  std::vector<double> right_hand_sides() const {
    const std::int64_t rows_here = static_cast<std::int64_t>(rows_) * comm_.ranks_here();
    together(comm_,
             [&] { require_memory_for_columns(rows_here, in_.asked.count, in_.asked.precision); });
    std::vector<double> all = first_right_hand_side();
    for (int k = 1; k < in_.asked.count; ++k) {
      const std::vector<double> more = random_rhs(first_, rows_, k + 1);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }
  std::vector<double> start() const {
    if (in_.asked.start.empty()) return std::vector<double>(rows_);
    return dealt(whole_.x);
  }
  /// The bits of norm_of() of the whole: ranks add one after the other.
  double norm_of_first(std::span<const double> b) const {
    const std::span<const double> v = b.first(rows_);
    double largest = 0, sum = 0;
    for (const double of_rank : values_of_ranks(comm_, largest_of(v)))
      largest = std::max(largest, of_rank);
    if (largest == 0) return 0;
    for (int r = 0; r < comm_.size(); ++r)
      sum = value_of_rank(comm_, r, r == comm_.rank() ? add_squares(v, largest, sum) : 0.0);
    return largest * std::sqrt(sum);
  }

 private:
  std::vector<double> first_right_hand_side() const {
    switch (in_.asked.rhs.what) {
      case rhs_source::kind::ones:
        return std::vector<double>(rows_, 1.0);
      case rhs_source::kind::row_sums:
        return sums_of(mine_);
      case rhs_source::kind::file:
        return dealt(whole_.b);
      case rhs_source::kind::companion:
        break;  // has been refused
    }
    return {};
  }
  std::vector<double> dealt(const std::vector<double>& whole) const {
    std::vector<double> mine(rows_);
    deal_pieces(comm_, 0, whole.data(), std::span<double>(mine),
                [&](int r) { return first_rows_[static_cast<std::size_t>(r)]; });
    return mine;
  }

  communicator& comm_;
  const divided_input& in_;
  const matrix_rows& mine_;
  const whole_vectors& whole_;
  std::vector<std::int64_t> first_rows_;
  std::int64_t first_;
  std::size_t rows_;
};

}  // namespace

bool has_parts(const std::string& matrix) {
  return is_generated(matrix) ? is_made_by_rows(matrix) : is_binary_matrix(matrix);
}

divided_input load_parts(const rank_choice& choice, communicator* comm, const std::string& matrix,
                         int threads, const divided_request& asked) {
  const auto begin = std::chrono::steady_clock::now();
  divided_input in;
  in.asked = asked;
  in.generated = is_generated(matrix);
  in.name = in.generated ? matrix : std::filesystem::path(matrix).stem().string();
  in.parts.resize(comm ? 1 : static_cast<std::size_t>(choice.threads));
  on_each_rank(choice, comm, [&](const std::shared_ptr<communicator>& one) {
    const auto source = together(*one, [&] { return open_source(matrix); });
    const whole_vectors whole = together(*one, [&] {
      return one->rank() == 0 ? read_whole_vectors(asked, in.name, source->rows(), threads)
                              : whole_vectors();
    });
    divided_part mine{rows_of_rank(*one, *source, threads_of_rank(*one, threads)), {}, {}};
    const auto& val = mine.rows.val;
    std::int64_t zeros = 0;
    for (const std::int64_t n : values_of_ranks(*one, std::count(val.begin(), val.end(), 0.0)))
      zeros += n;
    if (comm || one->rank() == 0) {  // threads share what they find
      in.rows = source->rows();
      in.nonzeros = source->nonzeros();
      in.explicit_zeros = zeros;
      in.read_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    any_of_ranks(*one, false);  // it is there
    const vectors_of_rank vectors(*one, in, mine.rows, whole);
    mine.b = vectors.right_hand_sides();
    mine.x = vectors.start();
    const double norm = asked.norm ? vectors.norm_of_first(mine.b) : 0.0;
    if (comm || one->rank() == 0) in.rhs_norm = norm;
    in.parts[comm ? 0 : static_cast<std::size_t>(one->rank())] = std::move(mine);
  });
  return in;
}

}  // namespace dwell::app
