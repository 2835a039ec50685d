// SPDX-License-Identifier: MIT
// A system on a grid as options have it: the size, coefficients that are numbers or files,
// conditions of sides.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/output.hpp"

#include "dwell/grid/grid_solver.hpp"

namespace dwell::app {

/// Options as they were given.
struct grid_choices {
  std::string size, k = "1", k_axes, s = "0", boundary = "dirichlet", spacing = "1",
                    centring = "cell", mean = "harmonic", precision = "f64";
  std::vector<std::string> k_faces;          ///< "y=ky.npy"
  std::vector<std::string> boundary_values;  ///< "y-=top.npy"
  grid_options options;
};
/// SIZE, --k, --k-axes, --k-faces, --s, --spacing, --centring, --mean, --boundary,
/// --boundary-values, --precision.
void add_grid_problem(CLI::App& app, grid_choices& to);
/// --method, --preconditioner, --cycle, --coarse, --smoother, --full-multigrid.
void add_grid_method(CLI::App& app, grid_choices& to);

/// Files that a problem reads, by option.
std::vector<std::pair<std::string, std::string>> input_files(const grid_choices& given);

/// "300x200", "4096" or "64x64x64", slowest axis first. Throws input_error.
std::vector<int> parse_grid_size(const std::string& text);

/// Is it the name of a file, and no number? Throws input_error if it is neither.
bool is_grid_file(const std::string& option, const std::string& text);

/// Values of a number or a file for each of these cells. Throws input_error for a file of another
/// shape or type.
template <class T>
std::vector<T> grid_values(const std::string& option, const std::string& text,
                           const std::vector<int>& cells, const std::string& precision);

/// A description and the arrays that it reads. Not to be moved.
template <class T>
struct grid_input {
  grid_description<T> d;
  std::vector<T> k, s, faces[3];

  /// Reads files, if `arrays`: else these are another rank's. Throws input_error.
  explicit grid_input(const grid_choices& given, bool arrays = true);
  grid_input(const grid_input&) = delete;
};

/// What reports say of the problem: "k.npy", "1".
struct grid_words {
  std::vector<int> cells;
  std::vector<double> spacing;
  std::vector<std::pair<std::string, std::string>> sides;  ///< "y-", "dirichlet 0"
};
grid_words words_of(const grid_choices& given);

/// Throws device_error if these unknowns, their levels and vectors are more than the free memory.
/// ranks: among which they are divided, or 0; so many of them are on this machine.
void require_grid_memory(const grid_choices& given, int ranks = 0, int ranks_here = 0);

}  // namespace dwell::app
