// SPDX-License-Identifier: MIT
// Sizes are checked here, where the name of the file is known.
#include "linear/near_null.hpp"

#include <fmt/format.h>

#include <optional>

#include "cli/completions.hpp"
#include "cli/file_options.hpp"
#include "linear/fitting_columns.hpp"

#include "dwell/base/error.hpp"
#include "dwell/formats/file_sizes.hpp"
#include "dwell/formats/vector_file.hpp"
#include "dwell/linear/rigid_body_modes.hpp"

namespace dwell::app {

namespace {

constexpr index most_vectors = 6, most_coordinates = 3;

void require_rows(const file_sizes& found, const std::string& matrix, std::int64_t rows) {
  if (found.rows != rows)
    throw input_error(
        fmt::format("{}: expected {} rows of near-null vectors, one per row of {}, found {}",
                    found.where, rows, matrix, found.rows));
}

/// Rows of a node: as many as it has coordinates, or with rotations 3 or 6.
std::int64_t rows_of_node(const file_sizes& found, const std::string& matrix, std::int64_t rows) {
  const std::int64_t of_node = found.rows > 0 ? rows / found.rows : 0;
  const std::int64_t solid = found.cols, shell = found.cols == 2 ? 3 : 6;
  if (found.cols < 2 || found.rows < 1 || rows % found.rows != 0 ||
      (of_node != solid && of_node != shell))
    throw input_error(fmt::format(
        "{}: expected 2 or 3 coordinates a node and as many rows of {} (or, with rotations, 3 or "
        "6), found {} x {} and {} rows",
        found.where, matrix, found.rows, found.cols, rows));
  return of_node;
}

std::vector<double> vectors_of(const std::string& file, const std::string& matrix,
                               std::int64_t rows, int threads) {
  return std::move(read_columns_that(file, most_vectors, threads, [&](const file_sizes& found) {
                     require_rows(found, matrix, rows);
                   }).values);
}

/// The modes, and how many rows a node has.
std::pair<std::vector<double>, int> modes_of(const std::string& file, const std::string& matrix,
                                             std::int64_t rows, int threads) {
  std::int64_t of_node = 0;
  const auto read = read_columns_that(
      file, most_coordinates, threads,
      [&](const file_sizes& found) { of_node = rows_of_node(found, matrix, rows); });
  std::vector<double> by_node(read.values.size());
  for (std::size_t k = 0; k < by_node.size(); ++k)
    by_node[k] =
        read.values[k % static_cast<std::size_t>(read.cols) * static_cast<std::size_t>(read.rows) +
                    k / static_cast<std::size_t>(read.cols)];
  return {rigid_body_modes(by_node, read.cols, of_node != read.cols), static_cast<int>(of_node)};
}

}  // namespace

void near_null_files::protect_from(const output_files& outputs) const {
  for (const auto& file : {vectors, coordinates})
    if (!file.empty()) outputs.protect(file);
}

CLI::Option* add_near_null(CLI::App& app, near_null_files& files, const std::string& flag,
                           const std::string& help) {
  auto* vectors = add_input(app, flag, files.vectors, help);
  add_input(app, "--coordinates", files.coordinates,
            "Of amg: coordinates of the nodes, 2 or 3 columns of such a file, from which the "
            "rigid-body modes follow; the rows of a node are as many, or with its rotations 3 or 6")
      ->excludes(vectors);
  return vectors;
}

void require_near_null(const near_null_files& files, const std::string& matrix, std::int64_t rows) {
  const auto sizes = [](const std::string& file) -> std::optional<file_sizes> {
    if (!is_vector_name(file)) return {};  // its reader says so
    return sizes_of_file(file);
  };
  if (const auto found = sizes(files.vectors)) require_rows(*found, matrix, rows);
  if (const auto found = sizes(files.coordinates)) rows_of_node(*found, matrix, rows);
}

void read_near_null(const near_null_files& files, const std::string& matrix, std::int64_t rows,
                    int threads, preconditioner_options& to) {
  if (!files.vectors.empty()) to.near_null = vectors_of(files.vectors, matrix, rows, threads);
  if (files.coordinates.empty()) return;
  auto [modes, of_node] = modes_of(files.coordinates, matrix, rows, threads);
  to.near_null = std::move(modes);
  if (to.block_size == 0) to.block_size = of_node;
}

}  // namespace dwell::app
