// SPDX-License-Identifier: MIT
// Reads the markdown table by its headings, so that a column more or a new order does no harm.
#include "real_matrices.hpp"

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace dwell::test {
namespace {

std::filesystem::path folder() {
  const char* named = std::getenv("DWELL_MATRICES");
  return named ? named : DWELL_MATRICES;
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    const auto first = cell.find_first_not_of(" \t\r");
    if (first == std::string::npos)
      all.emplace_back();
    else
      all.push_back(cell.substr(first, cell.find_last_not_of(" \t\r") - first + 1));
  }
  return all;
}

}  // namespace

std::vector<indexed_matrix> indexed_matrices() {
  const auto index_file = folder() / "INDEX.md";
  if (folder().empty() || !std::filesystem::exists(index_file)) return {};
  std::ifstream in(index_file);
  std::map<std::string, std::size_t> column;
  std::vector<indexed_matrix> all;
  for (std::string line; std::getline(in, line);) {
    const bool table = line.starts_with('|');
    if (!table && !all.empty()) break;
    if (!table || line.starts_with("|-")) continue;
    const auto row = cells(line);
    if (column.empty()) {
      for (std::size_t i = 0; i < row.size(); ++i) column[row[i]] = i;
      for (const char* needed : {"name", "rows", "nnz", "stored", "expl0", "cg"})
        if (!column.contains(needed))
          throw std::runtime_error(index_file.string() + ": no column '" + needed + "'");
      continue;
    }
    const auto number = [&](const char* name) { return std::stoll(row.at(column.at(name))); };
    indexed_matrix m;
    m.name = row.at(column.at("name"));
    m.rows = number("rows");
    m.nonzeros = number("nnz");
    m.stored = number("stored");
    m.explicit_zeros = number("expl0");
    if (!row.at(column.at("cg")).ends_with('+')) m.iterations = static_cast<int>(number("cg"));
    m.file = folder() / (m.name + ".mtx.gz");
    all.push_back(std::move(m));
  }
  if (all.empty()) throw std::runtime_error(index_file.string() + ": no table of matrices");
  return all;
}

std::string why_no_matrices() {
  return folder().empty() ? "DWELL_MATRICES names no folder of SuiteSparse matrices"
                          : "no INDEX.md in DWELL_MATRICES = " + folder().string();
}

}  // namespace dwell::test
