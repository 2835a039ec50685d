// SPDX-License-Identifier: MIT
// A matrix of which every rank has its own rows from the start: read from a .dwell file, or made on
// the spot, so that no rank holds the whole.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/ranks.hpp"
#include "linear/vectors.hpp"

#include "dwell/formats/row_source.hpp"

namespace dwell::app {

struct divided_input {
  std::string name;                                         ///< as shown to people
  bool generated = false;                                   ///< not out of a file
  std::int64_t rows = 0, nonzeros = 0, explicit_zeros = 0;  ///< of the whole; nonzeros with zeros
  double read_s = 0;
  std::vector<matrix_rows> parts;  ///< of the ranks that are threads; of a process its own
  std::vector<double> row_sums;    ///< of the whole, on the first rank, if they were asked for

  /// Of that rank; they are gone here afterwards.
  matrix_rows take_part(const communicator& rank) {
    return std::move(parts[parts.size() == 1 ? 0 : static_cast<std::size_t>(rank.rank())]);
  }
};

/// Can ranks read or make their own rows: is it a .dwell file, or a kind made by rows?
bool has_parts(const std::string& matrix);

/// Called by all processes together, if there are several. threads: as those of solve_on_ranks().
/// Throws what rows_of_rank() throws.
divided_input load_parts(const rank_choice& choice, communicator* comm, const std::string& matrix,
                         int threads, bool with_row_sums);

/// The right-hand side and the start vector, on the first rank, as make_rhs() and make_start().
std::vector<double> make_rhs(const rhs_source& rhs, divided_input& from, int threads);
std::vector<double> make_start(const std::string& file, const divided_input& from, int threads);

}  // namespace dwell::app
