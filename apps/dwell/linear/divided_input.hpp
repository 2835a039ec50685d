// SPDX-License-Identifier: MIT
// A system of which every rank has its own rows from the start: read from a .dwell file, or made on
// the spot, so that no rank holds the whole matrix, nor a vector that is in no file.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/ranks.hpp"
#include "linear/vectors.hpp"

#include "dwell/formats/row_source.hpp"

namespace dwell::app {

/// What is asked for beside the matrix.
struct divided_request {
  rhs_source rhs;
  std::string start;  ///< the file of the start vector; empty: zeros
  int count = 1;      ///< number of right-hand sides: the others are random (random_rhs())
  std::string precision = "f64";
  bool norm = false;    ///< that of the right-hand side
  bool answer = false;  ///< on the first rank, whole
};

/// What a rank has.
struct divided_part {
  matrix_rows rows;
  std::vector<double> b;  ///< its elements of the right-hand sides, one after another
  std::vector<double> x;  ///< and of the start vector
};

struct divided_input {
  divided_request asked;
  std::string name;                                         ///< name shown to people
  bool generated = false;                                   ///< not out of a file
  std::int64_t rows = 0, nonzeros = 0, explicit_zeros = 0;  ///< the whole; nonzeros with zeros
  double read_s = 0;
  double rhs_norm = 0;              ///< if it was asked for
  std::vector<divided_part> parts;  ///< one for each rank that is a thread; else one

  /// That of the rank; it is gone here afterwards.
  divided_part take_part(const communicator& rank) {
    return std::move(parts[parts.size() == 1 ? 0 : static_cast<std::size_t>(rank.rank())]);
  }
};

/// Can ranks read or make their own rows: is it a .dwell file, or a kind made by rows?
bool has_parts(const std::string& matrix);

/// Called by all processes together, if there are several. threads: as those of solve_on_ranks().
/// Vectors that are in a file the first rank reads and deals out, one after the other. Throws what
/// rows_of_rank() throws, and for vectors what make_rhs() and make_start() throw.
divided_input load_parts(const rank_choice& choice, communicator* comm, const std::string& matrix,
                         int threads, const divided_request& asked);

}  // namespace dwell::app
