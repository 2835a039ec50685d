// SPDX-License-Identifier: MIT
// Fields of reports in JSON and in what the command prints: every row of their tables, from runs in
// which it has a value. tests/bindings/c/test_reports.cpp reads them by C.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "cli_runner.hpp"
#include "report/fields.hpp"

#include "dwell/base/report_table.hpp"
#include "dwell/solvers/arrays/convolution/report_table.hpp"
#include "dwell/solvers/grid/report_table.hpp"
#include "dwell/solvers/linear/api/report_table.hpp"
#include "dwell/solvers/stencil/api/report_table.hpp"

namespace dwell::test {
namespace {

using json = nlohmann::json;
using strings = std::vector<std::string>;

/// The value at "a.b"; null where there is none. found: is the path there?
json at_path(const json& document, std::string_view path, bool* found) {
  const json* at = &document;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t dot = std::min(path.find('.', begin), path.size());
    std::string name(path.substr(begin, dot - begin));
    const bool each = name.ends_with("[]");
    if (each) name.resize(name.size() - 2);
    if (!at->is_object() || !at->contains(name)) return *found = false, json();
    at = &at->at(name);
    if (each) at = &at->at(0);
    begin = dot + 1;
  }
  *found = true;
  return *at;
}

template <class Report>
report_value value_of_json(const report_field<Report>& row, const json& v) {
  if (v.is_null()) return {};
  switch (row.is.kind) {
    case report_kind::flag:
      return v.get<bool>();
    case report_kind::integer:
      return v.get<long long>();
    case report_kind::number:
      return v.get<double>();
    default:
      return v.get<std::string>();
  }
}

/// Runs the commands with a report for people and one for programs, and takes off what is found:
/// what is left was in no run.
template <class Report>
struct left_over {
  std::set<std::string> without_value, not_printed;

  left_over(std::span<const report_field<Report>> table, const std::vector<strings>& commands) {
    for (const auto& row : table) {
      if (row.is_on(report_surface::json)) without_value.insert(row.name);
      if (row.is_on(report_surface::text)) not_printed.insert(row.name);
    }
    for (strings args : commands) {
      const scratch_folder folder;
      const std::string file = folder("report.json");
      args.insert(args.end(), {"--json", file, "--device", "cpu", "--threads", "2"});
      const cli_outcome ran = dwell_cli(args);
      const json document = json::parse(read_text(file));
      for (const auto& row : table) look(row, document, ran.out);
    }
  }

 private:
  void look(const report_field<Report>& row, const json& document, const std::string& text) {
    if (!row.json) return;
    bool there = false;
    const json found = at_path(document, row.json, &there);
    EXPECT_TRUE(there) << row.json;
    if (row.json_column) {
      EXPECT_TRUE(document.at("right_hand_sides").at(0).contains(row.json_column)) << row.name;
    }
    const report_value v = value_of_json(row, found);
    if (std::holds_alternative<std::monostate>(v)) {
      EXPECT_NE(row.none, nullptr) << row.name << " is null: the table says that it always has one";
      return;
    }
    const bool plain = found == json(false) || found == json(0) || found == json(0.0);
    if (!plain) without_value.erase(row.name);
    const std::string label = std::string(row.name).substr(0, std::string(row.name).size() - 2);
    const bool part = std::string_view(row.json).starts_with("time.setup.");
    const std::string words = part ? "\n" + label + " " : app::shown(v, row.unit, row.says);
    if ((part || !plain) && text.find(words) != std::string::npos) not_printed.erase(row.name);
  }
};

using field_names = std::set<std::string>;

TEST(cli_reports, of_solves_have_every_field) {
  const scratch_folder in;
  std::string line = "%%MatrixMarket matrix coordinate real symmetric\n500 500 999\n";
  for (int i = 1; i <= 500; ++i) {
    line += std::to_string(i) + " " + std::to_string(i) + " 2\n";
    if (i < 500) line += std::to_string(i + 1) + " " + std::to_string(i) + " -1\n";
  }
  std::string arrow = "%%MatrixMarket matrix coordinate real symmetric\n2000 2000 3999\n";
  for (int i = 1; i <= 2000; ++i) arrow += std::to_string(i) + " " + std::to_string(i) + " 2001\n";
  for (int i = 1; i < 2000; ++i) arrow += "2000 " + std::to_string(i) + " -1\n";
  // Rows of two sizes, of which the norm counts the large ones alone.
  std::string halves = "%%MatrixMarket matrix coordinate real symmetric\n400 400 798\n";
  std::string sizes = "%%MatrixMarket matrix array real general\n400 1\n";
  for (int i = 1; i <= 400; ++i) {
    const bool large = i <= 200;
    halves += std::to_string(i) + " " + std::to_string(i) + (large ? " 3e6\n" : " 2.5\n");
    if (i != 200 && i < 400)
      halves += std::to_string(i + 1) + " " + std::to_string(i) + (large ? " -1e6\n" : " -1\n");
    sizes += large ? "1e6\n" : "1\n";
  }
  const auto hidden =
      in.write("hidden.mtx",
               "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n2 2 2\n3 3 "
               "1e-9\n");
  const auto b = in.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n1\n1e-10\n");
  std::string rough = "%%MatrixMarket matrix array real general\n1200 1\n";
  for (int i = 0; i < 1200; ++i) rough += i % 2 == 0 ? "1\n" : "-1\n";
  const left_over<solve_report> left(
      solve_report_table(),
      {{"solve", "poisson2d:40x30", "--preconditioner", "amg", "--timing"},
       {"solve", "poisson2d:40x30", "--preconditioner", "amg", "--near-null",
        in.write("rough.mtx", rough)},
       {"solve", "poisson2d:40x30", "--preconditioner", "auto"},
       {"solve", "poisson2d:40x30", "--solver", "direct", "--timing"},
       {"cg", "poisson2d:40x30", "--precision", "mixed", "--rtol", "1e-12"},
       {"cg", "poisson2d:40x30", "--max-iterations", "5"},
       {"cg", "poisson2d:100x100", "--precision", "f32", "--rtol", "1e-5", "--no-refine"},
       {"cg", "poisson2d:40x30", "--rtol", "1e-18", "--no-refine"},
       {"cg", "neumann2d:40x30", "--rhs", "ones"},
       {"cg", hidden, "--rhs", b, "--preconditioner", "none"},
       {"cg", in.write("halves.mtx", halves), "--rhs", in.write("sizes.mtx", sizes), "--rtol",
        "1e-6", "--preconditioner", "none"},
       {"cg", in.write("line.mtx", line), "--rhs", "ones", "--max-iterations", "150",
        "--preconditioner", "jacobi"},
       {"cg", in.write("arrow.mtx", arrow), "--preconditioner", "fsai", "--power", "2"},
       {"cg", "poisson2d:20x20", "--preconditioner", "none", "--rhs-count", "5"}});
  EXPECT_EQ(left.without_value, (field_names{"compiler", "context_s", "compile_s"})) << "of a GPU";
  EXPECT_EQ(left.not_printed, field_names{});
}

TEST(cli_reports, of_stencils_have_every_field) {
  const left_over<stencil_report> left(
      stencil_report_table(),
      {{"stencil", "2d5pt", "--size", "40x50", "--until", "1e-9", "--max-steps", "20", "--timing"},
       {"stencil", "2d5pt", "--size", "40x50", "--steps", "20", "--boundary", "periodic",
        "--initial", "random:3"},
       {"stencil", "2d5pt", "--size", "7x9", "--steps", "80", "--weights", "1e10,0,0,0,0"}});
  for (const auto& name : left.without_value)
    EXPECT_TRUE(
        (field_names{"subdomains", "subdomain", "subdomain_of", "traversal", "cached_registers",
                     "cached_scratch", "context_s", "compile_s", "compiler"}
             .contains(name)))
        << name << ": a CPU caches nothing";
  EXPECT_EQ(left.not_printed, field_names{});
}

TEST(cli_reports, of_convolutions_have_every_field) {
  const scratch_folder in;
  std::string picture = "P5\n40 30\n255\n";
  for (int i = 0; i < 1200; ++i) picture += static_cast<char>(1 + i % 200);
  const left_over<convolution_report> left(
      convolution_report_table(),
      {{"convolve", in.write("grey.pgm", picture), "--filter", "gaussian:5", "--correlate"}});
  EXPECT_EQ(left.without_value, (field_names{"compile_s", "compiler"})) << "of a GPU";
  field_names open = left.not_printed;
  open.erase("images");  // more than one
  EXPECT_EQ(open, field_names{});
}

TEST(cli_reports, of_grids_have_every_field) {
  const left_over<grid_report> left(
      grid_report_table(),
      {{"grid", "40x50", "--boundary", "neumann"},
       {"grid", "60x50", "--rtol", "0"},
       {"grid", "30x30x30", "--precision", "f32", "--rtol", "1e-6", "--rhs", "2"},
       {"grid", "150x160", "--precision", "f32"},
       {"grid", "90x80", "--method", "jacobi", "--max-iterations", "60"}});
  EXPECT_EQ(left.without_value, field_names{});
  EXPECT_EQ(left.not_printed, field_names{"levels"}) << "which the document has one by one";
}

}  // namespace
}  // namespace dwell::test
