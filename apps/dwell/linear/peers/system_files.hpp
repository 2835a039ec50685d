// SPDX-License-Identifier: MIT
// A system as files that peers can read: Matrix Market, and hypre's for its IJ interface.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/matrix_source.hpp"
#include "compare/peers/run.hpp"

#include "dwell/formats/csr.hpp"

namespace dwell::app {

/// A folder that goes away with the object.
class system_files {
 public:
  system_files() = default;
  ~system_files();
  system_files(const system_files&) = delete;
  system_files& operator=(const system_files&) = delete;

  /// Adds what {matrix}, {rhs}, {matrix_ij} and {rhs_ij} stand for, of those that a peer names:
  /// the user's own file where that is Matrix Market as it stands, else files in the folder. text:
  /// the matrix as the user named it. Throws input_error if a file cannot be written.
  void add_to(peer_problem& problem, const std::vector<peer_command>& peers,
              const matrix_source& source, const std::string& text, std::span<const double> b);

 private:
  std::filesystem::path file(const std::string& name);

  std::filesystem::path folder_;
};

}  // namespace dwell::app
