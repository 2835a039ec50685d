// SPDX-License-Identifier: MIT
// See divided_input.hpp.
#include "linear/divided_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/comm/agreement.hpp"
#include "dwell/execution/comm/pieces.hpp"
#include "dwell/formats/binary_matrix.hpp"
#include "dwell/solvers/distributed/distribute.hpp"

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

std::vector<double> collect(communicator& comm, const std::vector<double>& mine, std::int64_t all) {
  std::vector<std::int64_t> first = {0};
  for (const std::size_t n : values_of_ranks(comm, mine.size()))
    first.push_back(first.back() + static_cast<std::int64_t>(n));
  std::vector<double> whole;
  together(comm, [&] {
    if (comm.rank() == 0) whole.resize(static_cast<std::size_t>(all));
  });
  collect_pieces(comm, 0, std::span<const double>(mine), whole.data(),
                 [&](int r) { return first[static_cast<std::size_t>(r)]; });
  return whole;
}

}  // namespace

bool has_parts(const std::string& matrix) {
  return is_generated(matrix) ? is_made_by_rows(matrix) : is_binary_matrix(matrix);
}

divided_input load_parts(const rank_choice& choice, communicator* comm, const std::string& matrix,
                         int threads, bool with_row_sums) {
  const auto begin = std::chrono::steady_clock::now();
  divided_input in;
  in.generated = is_generated(matrix);
  in.name = in.generated ? matrix : std::filesystem::path(matrix).stem().string();
  in.parts.resize(comm ? 1 : static_cast<std::size_t>(choice.threads));
  on_each_rank(choice, comm, [&](const std::shared_ptr<communicator>& one) {
    const auto source = together(*one, [&] { return open_source(matrix); });
    matrix_rows mine = rows_of_rank(*one, *source, threads_of_rank(*one, threads));
    std::int64_t zeros = 0;
    for (const std::int64_t n :
         values_of_ranks(*one, std::count(mine.val.begin(), mine.val.end(), 0.0)))
      zeros += n;
    std::vector<double> sums;
    if (with_row_sums) sums = collect(*one, sums_of(mine), source->rows());
    in.parts[comm ? 0 : static_cast<std::size_t>(one->rank())] = std::move(mine);
    if (!comm && one->rank() != 0) return;  // threads share what follows
    in.rows = source->rows();
    in.nonzeros = source->nonzeros();
    in.explicit_zeros = zeros;
    in.row_sums = std::move(sums);
  });
  in.read_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return in;
}

std::vector<double> make_rhs(const rhs_source& rhs, divided_input& from, int threads) {
  switch (rhs.what) {
    case rhs_source::kind::ones:
      return std::vector<double>(static_cast<std::size_t>(from.rows), 1.0);
    case rhs_source::kind::row_sums:
      return std::move(from.row_sums);
    case rhs_source::kind::companion:
      refuse_companion(from.name, from.rows);
    case rhs_source::kind::file:
      return read_fitting(rhs.file, "right-hand side", from.name, from.rows, threads);
  }
  return {};
}

std::vector<double> make_start(const std::string& file, const divided_input& from, int threads) {
  if (file.empty()) return std::vector<double>(static_cast<std::size_t>(from.rows));
  return read_fitting(file, "start vector", from.name, from.rows, threads);
}

}  // namespace dwell::app
