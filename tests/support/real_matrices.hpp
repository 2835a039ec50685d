// SPDX-License-Identifier: MIT
// The SuiteSparse matrices at hand: the folder (environment variable DWELL_MATRICES, else what
// CMake found) and the table of its INDEX.md.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dwell::test {

/// A row of the first table of INDEX.md.
struct indexed_matrix {
  std::string name;
  long long rows = 0;
  long long nonzeros = 0;         ///< entries of the full matrix, explicit zeros not counted
  long long stored = 0;           ///< entries in the file
  long long explicit_zeros = 0;   ///< zeros of the full matrix
  std::optional<int> iterations;  ///< count of plain CG; nullopt where the table says 10000+
  std::filesystem::path file;
};

/// Empty where there is no folder; throws std::runtime_error where there is one without a usable
/// table.
std::vector<indexed_matrix> indexed_matrices();
/// One line that says what is missing.
std::string why_no_matrices();

}  // namespace dwell::test
