// SPDX-License-Identifier: MIT
// The near-null vectors of a system, for preconditioner amg: from a file, or from the coordinates
// of the nodes.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/matrix_source.hpp"
#include "cli/output.hpp"

#include "dwell/linear/preconditioner_options.hpp"

namespace dwell::app {

struct near_null_files {
  std::string vectors, coordinates;

  /// For require_one_reader().
  std::vector<std::pair<std::string, std::string>> inputs() const {
    return {{"--near-null", vectors}, {"--coordinates", coordinates}};
  }
  bool any() const { return !vectors.empty() || !coordinates.empty(); }
  void protect_from(const output_files& outputs) const;
};

/// The flag of the vectors, with this help, which is returned, and --coordinates.
CLI::Option* add_near_null(CLI::App& app, near_null_files& files, const std::string& flag,
                           const std::string& help);

/// Throws input_error where the heads of the files say that they do not fit the matrix.
void require_near_null(const near_null_files& files, const std::string& matrix, std::int64_t rows);
/// Reads what was asked for. Throws input_error where it does not fit the matrix of this name and
/// so many rows. Coordinates also say the rows of a node, unless the options do.
void read_near_null(const near_null_files& files, const std::string& matrix, std::int64_t rows,
                    int threads, preconditioner_options& to);

}  // namespace dwell::app
