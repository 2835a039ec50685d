// SPDX-License-Identifier: MIT
// Balances rows by their nonzeros, and asks a source for them.
#include "dwell/linear/distribute.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/solvers/linear/ranks/balance.hpp"

namespace dwell {
namespace {

struct sizes {
  std::int64_t rows, cols, nonzeros;
  bool operator==(const sizes&) const = default;
};

void require_same(communicator& comm, const row_source& whole) {
  const sizes mine{whole.rows(), whole.cols(), whole.nonzeros()};
  const auto text = [](const sizes& s) {
    return fmt::format("{} rows and {} nonzeros", s.rows, s.nonzeros);
  };
  const sizes first = value_of_rank(comm, 0, mine);
  together(comm, [&] {
    if (mine.rows != mine.cols)
      throw input_error(fmt::format("matrix: expected as many rows as columns, found {} x {}",
                                    mine.rows, mine.cols));
    if (mine != first)
      throw input_error(
          fmt::format("matrix: expected the same one on all ranks, {} as on rank 0, "
                      "found {} on rank {}",
                      text(first), text(mine), comm.rank()));
  });
}

}  // namespace

matrix_rows rows_of_rank(communicator& comm, const row_source& whole, int threads) {
  require_same(comm, whole);
  const int ranks = comm.size(), me = comm.rank();
  const std::int64_t begin = together(comm, [&] {
    return balanced_first_row(whole.rows(), whole.nonzeros(), me, ranks,
                              [&](std::int64_t row) { return whole.row_ptr(row); });
  });
  std::vector<std::int64_t> first = values_of_ranks(comm, begin);
  first.push_back(whole.rows());
  return together(comm, [&] {
    const std::int64_t end = first[static_cast<std::size_t>(me) + 1];
    if (first.front() != 0 || begin > end)
      throw input_error(
          fmt::format("matrix: expected row pointers that ascend, found rank {} to begin with row "
                      "{} and to end before {}",
                      me, begin, end));
    const std::int64_t nonzeros = whole.row_ptr(end) - whole.row_ptr(begin);
    constexpr std::int64_t most = std::numeric_limits<index>::max();
    if (end - begin > most || nonzeros > most)
      throw input_error(
          fmt::format("matrix: expected at most {} rows and nonzeros on a rank, found {} and {} of "
                      "{} and {} among {} ranks",
                      most, end - begin, nonzeros, whole.rows(), whole.nonzeros(), ranks));
    return whole.part(begin, end, threads);
  });
}

template <class T>
distributed_matrix<T> distribute(std::shared_ptr<communicator> comm, const matrix_rows& mine) {
  if constexpr (std::is_same_v<T, double>) {
    return {std::move(comm), global_rows<T>{mine.all_rows, mine.row_ptr, mine.col, mine.val}};
  } else {
    std::vector<T> val(mine.val.size());
    together(*comm, [&] {
      for (std::size_t k = 0; k < val.size(); ++k) {
        val[k] = static_cast<T>(mine.val[k]);
        if (!std::isfinite(val[k]) && std::isfinite(mine.val[k]))
          throw input_error(
              fmt::format("matrix: expected values in the range of single precision, found {} in "
                          "column {} (counted from 1)",
                          mine.val[k], mine.col[k] + 1));
      }
    });
    return {std::move(comm), global_rows<T>{mine.all_rows, mine.row_ptr, mine.col, val}};
  }
}

template distributed_matrix<double> distribute(std::shared_ptr<communicator>, const matrix_rows&);
template distributed_matrix<float> distribute(std::shared_ptr<communicator>, const matrix_rows&);

}  // namespace dwell
