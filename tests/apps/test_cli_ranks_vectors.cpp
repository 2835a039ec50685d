// SPDX-License-Identifier: MIT
// dwell cg --ranks of matrices whose ranks have their own rows from the start, a .dwell file and a
// generated grid: right-hand sides and start vectors are made or dealt rank by rank, and the
// answer, the report and what is refused are those of a matrix that the first rank has read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cli_runner.hpp"

#include "dwell/formats/matrix_market.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;
using nlohmann::json;

class cli_ranks_vectors : public testing::Test {
 protected:
  static constexpr const char* kind = "poisson2d:40x30";
  static constexpr std::size_t rows = 1200;

  void SetUp() override {
    ASSERT_EQ(dwell_cli({"generate", kind, "-o", in("A.mtx")}).code, 0);
    ASSERT_EQ(dwell_cli({"convert", in("A.mtx"), "-o", in("A.dwell")}).code, 0);
    std::vector<double> v(rows);
    for (std::size_t i = 0; i < rows; ++i) v[i] = std::sin(static_cast<double>(7 * i + 1));
    write_matrix_market_vector(in("v.mtx"), v);
    std::reverse(v.begin(), v.end());
    write_matrix_market_vector(in("w.mtx"), v);
  }
  std::string in(const std::string& name) const { return folder_(name); }

  struct handed_over {
    json report;
    std::string answer, lines;
  };
  /// `matrix`: a file in the folder, or a kind.
  handed_over solve(const std::string& matrix, strings more, bool with_answer = true) const {
    strings args = {"cg",     matrix, "--ranks", "3",          "--threads",   "1",
                    "--rtol", "1e-5", "--json",  in("r.json"), "--monitor=9", "-q"};
    args.insert(args.end(), more.begin(), more.end());
    if (with_answer) args.insert(args.end(), {"-o", in("x.npy")});
    const cli_outcome r = dwell_cli(args);
    EXPECT_EQ(r.code, 0) << r.err;
    handed_over got{json::parse(read_text(in("r.json"))), with_answer ? read_text(in("x.npy")) : "",
                    r.err};
    // What differs by name or from run to run; the report is without files then.
    for (const char* key : {"time", "matrix", "files", "warnings"}) got.report.erase(key);
    for (json& rank : got.report.at("ranks")) rank.erase("solve_s");
    for (json& column : got.report.at("right_hand_sides")) column.erase("solve_s");
    for (json& one : got.report.at("attempts")) one.erase("solve_s"), one.erase("setup_s");
    return got;
  }

 private:
  scratch_folder folder_;
};

TEST_F(cli_ranks_vectors, are_those_of_the_whole) {
  for (const strings& what :
       std::vector<strings>{{},
                            {"--precision", "f32"},
                            {"--precision", "mixed"},
                            {"--rhs", "ones"},
                            {"--rhs", in("v.mtx")},
                            {"--rhs", in("v.mtx"), "--x0", in("w.mtx")},
                            {"--rhs", in("v.mtx"), "--x0", in("w.mtx"), "--precision", "f32"},
                            {"--x0", in("w.mtx")}}) {
    SCOPED_TRACE(testing::PrintToString(what));
    const handed_over wanted = solve(in("A.mtx"), what);
    EXPECT_FALSE(wanted.lines.empty());
    EXPECT_GT(wanted.answer.size(), 8 * rows);
    for (const std::string& matrix : {in("A.dwell"), std::string(kind)}) {
      const handed_over got = solve(matrix, what);
      EXPECT_EQ(got.report, wanted.report) << matrix;
      EXPECT_EQ(got.answer, wanted.answer) << matrix;
      EXPECT_EQ(got.lines, wanted.lines)
          << "with the norm of the right-hand side, to the last digit";
      EXPECT_EQ(solve(matrix, what, false).report, wanted.report) << "no answer is asked for";
    }
  }
}

TEST_F(cli_ranks_vectors, are_random_ones_of_the_whole) {
  const auto of = [&](const std::string& matrix) {
    strings args = {"cg",          matrix, "--ranks", "3",          "--threads", "1",        "-q",
                    "--rhs-count", "7",    "--json",  in("r.json"), "-o",        in("x.npy")};
    EXPECT_EQ(dwell_cli(args).code, 0);
    json columns = json::parse(read_text(in("r.json"))).at("right_hand_sides");
    for (json& one : columns) one.erase("solve_s");
    return std::pair(columns, read_text(in("x.npy")));
  };
  const auto wanted = of(in("A.mtx"));
  EXPECT_EQ(wanted.first[0].at("together"), 4);
  EXPECT_EQ(of(in("A.dwell")), wanted);
  EXPECT_EQ(of(kind), wanted);
}

TEST_F(cli_ranks_vectors, of_answers_without_their_mean) {
  const json r = report_of({"cg", "neumann2d:20x17", "--ranks", "3", "--json", "-"});
  EXPECT_EQ(r.at("null_space"), "constant");
  EXPECT_LE(r.at("largest_error").get<double>(), 1e-5) << "from zeros";
}

TEST_F(cli_ranks_vectors, are_refused_as_those_of_the_whole) {
  std::vector<double> large(rows, 1.0), few(rows - 1, 1.0);
  large[1100] = 1e60;  // an element of the last rank
  std::vector<double> tiny(rows, 0.0);
  tiny[1100] = 1e-46;  // nothing in f32
  write_matrix_market_vector(in("tiny.mtx"), tiny);
  write_matrix_market_vector(in("large.mtx"), large);
  write_matrix_market_vector(in("few.mtx"), few);
  for (const std::string& matrix : {in("A.mtx"), in("A.dwell"), std::string(kind)}) {
    SCOPED_TRACE(matrix);
    const auto refused = [&](strings more, const std::string& part) {
      strings args = {"cg", matrix, "--ranks", "3"};
      args.insert(args.end(), more.begin(), more.end());
      expect_refused(args, part);
    };
    refused({"--precision", "f32", "--rhs", in("large.mtx")},
            "right-hand side: value 1101 (1e+60) is too large for --precision f32");
    refused({"--precision", "f32", "--rhs", in("tiny.mtx")},
            "right-hand side: its largest value (1e-46) is too small for --precision f32");
    refused({"--precision", "f32", "--x0", in("large.mtx")},
            "start vector: value 1101 (1e+60) is too large for --precision f32");
    refused({"--rhs", in("few.mtx")}, "few.mtx:2: expected 1200 values for the right-hand side");
    refused({"--x0", in("few.mtx")}, "few.mtx:2: expected 1200 values for the start vector");
    refused({"--rhs", in("none.mtx")}, "none.mtx");
    refused({"--rhs", "companion"}, "--rhs companion");
  }
}

}  // namespace
}  // namespace dwell::test
