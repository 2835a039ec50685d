// SPDX-License-Identifier: MIT
// Near-null vectors on the command line: modes from coordinates and from a file, what explain says,
// and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "cli_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/formats/columns_file.hpp"
#include "dwell/linear/rigid_body_modes.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

class cli_near_null : public testing::Test {
 protected:
  static constexpr const char* kind = "elasticity2d:40x30";
  static constexpr const char* matrix = "A.mtx";

  void SetUp() override {
    const auto made =
        dwell_cli({"generate", kind, "-o", in(matrix), "--coordinates", in("nodes.npy")});
    ASSERT_EQ(made.code, 0) << made.err;
    const generated_nodes nodes = generate_coordinates(kind);
    const auto modes = rigid_body_modes(nodes.values, 2);
    write_columns(in("modes.mtx"), {static_cast<index>(modes.size() / 3), 3, modes});
  }
  std::string in(const std::string& name) const { return folder_(name); }
  /// Iterations of dwell cg, with these options.
  int iterations(const strings& more, const char* command = "cg") const {
    strings args = {command,  in(matrix), "--preconditioner", "amg", "--rhs",     "ones",
                    "--rtol", "1e-8",     "--device",         "cpu", "--threads", "1",
                    "--json", "-"};
    args.insert(args.end(), more.begin(), more.end());
    const auto r = dwell_cli(args);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.code == 0 ? r.json().at("iterations").get<int>() : 0;
  }
  std::string refusal(const strings& args) const {
    const auto r = dwell_cli(args);
    EXPECT_EQ(r.code, 1);
    EXPECT_EQ(r.err.find('\n') + 1, r.err.size()) << r.err;
    return r.err;
  }

 private:
  scratch_folder folder_;
};

TEST_F(cli_near_null, modes_come_from_coordinates_or_from_a_file) {
  const int with = iterations({"--coordinates", in("nodes.npy")});
  EXPECT_EQ(iterations({"--near-null", in("modes.mtx"), "--block-size", "2"}), with);
  EXPECT_EQ(iterations({"--coordinates", in("nodes.npy")}, "solve"), with);
  EXPECT_LT(with, iterations({}));
  const auto piped = dwell_cli(
      {"cg", in(matrix), "--preconditioner", "amg", "--coordinates", "-", "--device", "cpu"},
      {.input = read_text(in("nodes.npy"))});
  EXPECT_EQ(piped.code, 0) << piped.err;
}

TEST_F(cli_near_null, that_do_not_fit_have_a_warning) {
  const generated_nodes nodes = generate_coordinates(kind);
  std::vector<double> shuffled = nodes.values;  // another order of the nodes
  std::mt19937 random(7);
  for (std::size_t left = shuffled.size() / 2; left > 1; --left) {
    const auto at = shuffled.begin() + 2 * static_cast<std::ptrdiff_t>(random() % left);
    std::swap_ranges(at, at + 2, shuffled.begin() + 2 * static_cast<std::ptrdiff_t>(left - 1));
  }
  const auto modes = rigid_body_modes(shuffled, 2);
  write_columns(in("wrong.mtx"), {static_cast<index>(modes.size() / 3), 3, modes});
  const auto solved = [&](const strings& more) {
    strings args = {"cg",       in(matrix), "--preconditioner", "amg", "--block-size", "2",
                    "--device", "cpu",      "--max-iterations", "5000"};
    args.insert(args.end(), more.begin(), more.end());
    return dwell_cli(args);
  };
  const auto wrong = solved({"--near-null", in("wrong.mtx"), "-q"});
  EXPECT_TRUE(wrong.err.starts_with(
      "dwell: warning: near-null vectors do not fit the matrix: of number 3 (of 3)"))
      << wrong.err;
  const auto j = solved({"--near-null", in("wrong.mtx"), "--json", "-"}).json();
  EXPECT_TRUE(j.at("near_null_misfit"));
  EXPECT_EQ(j.at("warnings").at(0), j.at("preconditioner_note"));
  const auto right = solved({"--near-null", in("modes.mtx"), "--json", "-"});
  EXPECT_EQ(right.err, "");
  EXPECT_FALSE(right.json().at("near_null_misfit"));
}

TEST_F(cli_near_null, are_explained_and_compared) {
  const auto e = dwell_cli({"explain", "cg", in(matrix), "--preconditioner", "amg", "--coordinates",
                            in("nodes.npy"), "--device", "cpu"});
  EXPECT_EQ(e.code, 0) << e.err;
  EXPECT_NE(e.out.find("level 1, 2 rows a node, 3 vectors"), std::string::npos) << e.out;
  const auto c = dwell_cli({"compare", "solve", in(matrix), "--preconditioners", "amg",
                            "--coordinates", in("nodes.npy"), "--device", "cpu", "--threads", "1",
                            "--no-peers", "--repetitions", "1", "--format", "json"});
  ASSERT_EQ(c.code, 0) << c.err;
  const int with = iterations({"--coordinates", in("nodes.npy")});
  EXPECT_EQ(c.json().at("matrices").at(0).at("runs").at(0).at("iterations"), with);
  const auto compared = [&](const strings& more) {
    strings args = {"compare", "cg",        in(matrix),    "--preconditioner",     "amg",
                    "--rtol",  "1e-8",      "--executors", "host-loop,persistent", "--device",
                    "cpu",     "--threads", "2",           "--no-peers",           "--repetitions",
                    "1",       "--format",  "json"};
    args.insert(args.end(), more.begin(), more.end());
    const auto r = dwell_cli(args);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.json().at("matrices").at(0).at("runs");
  };
  for (const auto& run : compared({"--coordinates", in("nodes.npy")}))
    EXPECT_EQ(run.at("iterations"), with) << run;
  const int by_block = iterations({"--coordinates", in("nodes.npy"), "--ranks", "2"});
  for (const auto& run :
       compared({"--near-null", in("modes.mtx"), "--block-size", "2", "--ranks", "2"}))
    EXPECT_EQ(run.at("iterations"), run.at("ranks").is_null() ? with : by_block) << run;
}

TEST_F(cli_near_null, refusals_name_the_file) {
  const strings cg = {"cg", in(matrix), "--preconditioner", "amg", "--device", "cpu"};
  const auto said = [&](const strings& more) {
    strings args = cg;
    args.insert(args.end(), more.begin(), more.end());
    return refusal(args);
  };
  EXPECT_EQ(said({"--near-null", in("nodes.npy")}),
            "dwell: " + in("nodes.npy") +
                ": expected 2480 rows of near-null vectors, one per row of A, found 1240\n");
  EXPECT_EQ(
      said({"--coordinates", in("modes.mtx")}),
      "dwell: " + in("modes.mtx") +
          ":2: expected 2 or 3 coordinates a node and as many rows of A (or, with rotations, 3 "
          "or 6), found 2480 x 3 and 2480 rows\n");
  EXPECT_EQ(
      said({"--near-null", in("modes.mtx"), "--block-size", "3"}),
      "dwell: block_size: expected rows of a node, 1 to 32 and a divisor of the matrix's 2480 "
      "rows (or 0: 1), found 3\n");
  EXPECT_NE(said({"--near-null", in("absent.npy")}).find("absent.npy: expected a readable file"),
            std::string::npos);
  EXPECT_NE(said({"--near-null", in("modes.mtx"), "--coordinates", in("nodes.npy")})
                .find("--near-null excludes --coordinates"),
            std::string::npos);
  EXPECT_NE(said({"--near-null", in("modes.mtx"), "-o", in("modes.mtx")}).find("modes.mtx"),
            std::string::npos);
  EXPECT_EQ(
      refusal({"generate", "poisson2d:9x9", "-o", in("p.mtx"), "--coordinates", in("p.npy")}),
      "dwell: coordinates: expected a kind that has nodes, elasticity2d or elasticity3d, found "
      "'poisson2d:9x9'\n");
}

}  // namespace
}  // namespace dwell::test
