// SPDX-License-Identifier: MIT
// hypre's files of one process, in text: a line with the first and the last row (and column), then
// a line for each element.
#include "linear/peers/system_files.hpp"

#include <fmt/format.h>
#include <fmt/os.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "dwell/base/error.hpp"
#include "dwell/formats/matrix_market.hpp"

namespace dwell::app {

namespace {

namespace fs = std::filesystem;

/// Matrix Market as it stands on the disk?
bool is_plain_market(const matrix_source& source, const std::string& text) {
  std::error_code failed;
  return !source.generated && !source.binary && !source.compressed &&
         fs::path(text).extension() == ".mtx" && fs::is_regular_file(text, failed);
}

/// Writes what `write` puts into a file. Throws input_error.
template <class Write>
void write_lines(const fs::path& file, Write&& write) {
  try {
    auto out = fmt::output_file(file.string());
    write(out);
    out.close();
  } catch (const std::system_error& e) {
    throw input_error(fmt::format("--peer: {}: {}", file.string(), e.what()));
  }
}

void write_ij_matrix(const fs::path& file, const csr<double>& a) {
  write_lines(file, [&](fmt::ostream& out) {
    out.print("0 {} 0 {}\n", a.rows - 1, a.cols - 1);
    for (index i = 0; i < a.rows; ++i)
      for (index k = a.row_ptr[static_cast<std::size_t>(i)];
           k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
        out.print("{} {} {:.17g}\n", i, a.col[static_cast<std::size_t>(k)],
                  a.val[static_cast<std::size_t>(k)]);
  });
}

void write_ij_vector(const fs::path& file, std::span<const double> b) {
  write_lines(file, [&](fmt::ostream& out) {
    out.print("0 {}\n", b.size() - 1);
    for (std::size_t i = 0; i < b.size(); ++i) out.print("{} {:.17g}\n", i, b[i]);
  });
}

}  // namespace

system_files::~system_files() {
  std::error_code failed;
  if (!folder_.empty()) fs::remove_all(folder_, failed);
}

fs::path system_files::file(const std::string& name) {
  if (folder_.empty()) {
    std::error_code failed;
    std::string made = (fs::temp_directory_path(failed) / "dwell-peers-XXXXXX").string();
    if (failed || !::mkdtemp(made.data()))
      throw input_error(
          fmt::format("--peer: {}: {}", made,
                      std::generic_category().message(failed ? failed.value() : errno)));
    folder_ = made;
  }
  return folder_ / name;
}

void system_files::add_to(peer_problem& problem, const std::vector<peer_command>& peers,
                          const matrix_source& source, const std::string& text,
                          std::span<const double> b) {
  const auto named = [&](const char* placeholder) {
    return std::any_of(peers.begin(), peers.end(),
                       [&](const peer_command& peer) { return peer.names(placeholder); });
  };
  const auto& a = source.content.matrix;
  if (named("matrix")) {
    if (is_plain_market(source, text)) {
      problem.values["matrix"] = fs::absolute(text).string();
    } else {
      const auto to = file("matrix.mtx");
      write_matrix_market(to, a.view(), {});
      problem.values["matrix"] = to.string();
    }
  }
  if (named("rhs")) {
    const auto to = file("rhs.mtx");
    write_matrix_market_vector(to, b);
    problem.values["rhs"] = to.string();
  }
  // The name that hypre takes is without the number of the process.
  if (named("matrix_ij")) {
    write_ij_matrix(file("matrix.ij.00000"), a);
    problem.values["matrix_ij"] = file("matrix.ij").string();
  }
  if (named("rhs_ij")) {
    write_ij_vector(file("rhs.ij.00000"), b);
    problem.values["rhs_ij"] = file("rhs.ij").string();
  }
}

}  // namespace dwell::app
