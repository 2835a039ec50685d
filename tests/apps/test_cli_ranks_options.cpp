// SPDX-License-Identifier: MIT
// dwell cg --ranks with what belongs to rows or is chosen: right-hand sides, preconditioner auto,
// near-null vectors, null vectors.
#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <vector>

#include "cli_runner.hpp"
#include "place.hpp"

#include "dwell/datasets/generators.hpp"
#include "dwell/formats/columns_file.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/linear/rigid_body_modes.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;
using nlohmann::json;

TEST(cli_ranks_options, solve_several_right_hand_sides) {
  const scratch_folder in;
  for (const char* precision : {"f64", "f32"}) {
    const strings what = {"cg",      "poisson2d:40x30", "--rhs-count", "3",      "--precision",
                          precision, "--rtol",          "1e-5",        "--json", "-"};
    const auto with = [&](strings more) {
      more.insert(more.begin(), what.begin(), what.end());
      return report_of(more);
    };
    const auto one = with({"--device", "cpu"});
    const auto r = with({"--ranks", "2", "--threads", "1", "-o", in("x.mtx")});
    ASSERT_EQ(r.at("right_hand_sides").size(), 3u);
    EXPECT_LE(r.at("largest_error").get<double>(), 1e-2);
    for (std::size_t k = 0; k < 3; ++k) {
      const json &got = r.at("right_hand_sides")[k], &wanted = one.at("right_hand_sides")[k];
      EXPECT_EQ(got.at("stop_reason"), "converged");
      EXPECT_NEAR(got.at("iterations").get<int>(), wanted.at("iterations").get<int>(), 1) << k;
      EXPECT_EQ(got.at("together"), k < 2 ? 2 : 1);
    }
    EXPECT_EQ(read_matrix_market_vector(in("x.mtx")).size(), 1200u);
  }
}

TEST(cli_ranks_options, choose_a_preconditioner) {
  const auto r = report_of({"cg", "poisson2d:170x160", "--ranks", "2", "--threads", "1",
                            "--preconditioner", "auto", "--json", "-"});
  EXPECT_EQ(r.at("stop_reason"), "converged");
  EXPECT_NE(r.at("preconditioner_reason").get<std::string>().find("after 60 iterations"),
            std::string::npos);
  EXPECT_EQ(report_of({"cg", "poisson2d:20x20", "--ranks", "2", "--preconditioner", "auto",
                       "--json", "-"})
                .at("preconditioner"),
            "jacobi");
}

/// An elastic body, the coordinates of its nodes, and its rigid-body modes.
class cli_ranks_with_modes : public testing::Test {
 protected:
  static constexpr const char* kind = "elasticity2d:40x30";
  void SetUp() override {
    ASSERT_EQ(
        dwell_cli({"generate", kind, "-o", in("A.mtx"), "--coordinates", in("nodes.npy")}).code, 0);
    const generated_nodes nodes = generate_coordinates(kind);
    const auto modes = rigid_body_modes(nodes.values, 2);
    write_columns(in("modes.mtx"), {static_cast<index>(modes.size() / 3), 3, modes});
  }
  std::string in(const std::string& name) const { return folder_(name); }
  int iterations(strings more, const std::string& partition = "rows") const {
    more.insert(more.begin(),
                {"cg", in("A.mtx"), "--preconditioner", "amg", "--rhs", "ones", "--ranks", "3",
                 "--threads", "1", "--partition", partition, "--json", "-"});
    const auto r = report_of(more);
    EXPECT_EQ(r.at("stop_reason"), "converged");
    return r.at("iterations").get<int>();
  }

 private:
  scratch_folder folder_;
};

TEST_F(cli_ranks_with_modes, each_gets_those_of_its_rows) {
  const int with = iterations({"--near-null", in("modes.mtx"), "--block-size", "2"});
  EXPECT_EQ(iterations({"--coordinates", in("nodes.npy")}), with);
  EXPECT_LT(with, iterations({}));
#ifdef DWELL_HAVE_METIS
  EXPECT_LT(iterations({"--coordinates", in("nodes.npy")}, "metis"), iterations({}, "metis"));
#endif
}

// Two parts that are not connected; b is not in the range.
TEST(cli_ranks_options, solve_modulo_null_vectors) {
  const scratch_folder in;
  in.write("A.mtx",
           "%%MatrixMarket matrix coordinate real symmetric\n4 4 6\n1 1 1\n3 1 -1\n3 3 1\n2 2 2\n"
           "4 2 -2\n4 4 2\n");
  in.write("n.mtx", "%%MatrixMarket matrix array real general\n4 2\n1\n0\n1\n0\n0\n1\n0\n1\n");
  in.write("b.mtx", "%%MatrixMarket matrix array real general\n4 1\n3\n1\n1\n5\n");
  for (const char* partition : {"rows", "metis"}) {
#ifndef DWELL_HAVE_METIS
    if (std::string(partition) == "metis") continue;
#endif
    for (const char* ranks : {"1", "2", "5"}) {
      const auto r =
          report_of({"cg", in("A.mtx"), "--rhs", in("b.mtx"), "--null-vectors", in("n.mtx"),
                     "--ranks", ranks, "--partition", partition, "-o", in("x.mtx"), "--json", "-"});
      EXPECT_EQ(r.at("null_space"), "given");
      const auto x = read_matrix_market_vector(in("x.mtx"));
      const double wanted[] = {0.5, -0.5, -0.5, 0.5};
      for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(x[k], wanted[k], 1e-9);
    }
  }
}

/// What one rank says of a matrix, several say, wherever the place is.
TEST(cli_ranks_options, refuse_a_matrix_in_the_words_of_one_rank) {
  struct change {
    int row, column;
    const char* value;  ///< "": the element is not there
  };
  const scratch_folder in;
  constexpr int n = 9;
  const auto file_with = [&](const std::vector<change>& changes) {
    std::string entries;
    int count = 0;
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= n; ++j) {
        std::string value = i == j ? "4" : i - j == 1 || j - i == 1 || i + j == n + 1 ? "-1" : "";
        for (const change& c : changes)
          if (c.row == i && c.column == j) value = c.value;
        if (value.empty()) continue;
        entries += std::to_string(i) + " " + std::to_string(j) + " " + value + "\n";
        ++count;
      }
    return in.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n9 9 " +
                                 std::to_string(count) + "\n" + entries);
  };
  const strings options[] = {{"--solver", "cg"},
                             {"--solver", "minres"},
                             {"--preconditioner", "amg"},
                             {"--preconditioner", "jacobi", "--solver", "bicgstab"},
                             {"--preconditioner", "ilu0", "--solver", "gmres"},
                             {"--solver", "minres", "--preconditioner", "chebyshev"}};
  std::vector<std::vector<change>> wrong;
  for (const int k : {1, 5, 9}) {
    wrong.push_back({{k, k, "-4"}});
    wrong.push_back({{k, k, "0"}});
    wrong.push_back({{k, k, ""}});
  }
  for (const auto& [i, j] : {std::pair{1, 2}, {4, 5}, {2, 8}, {9, 1}, {8, 9}}) {
    wrong.push_back({{i, j, "-3"}});
    wrong.push_back({{i, j, ""}});
    wrong.push_back({{i, j, "-3"}, {9, 9, "-1"}});
  }
  const char* const numbers_of_ranks[] = {"1", "2", "3", "9"};
  std::size_t refused = 0;
  for (std::size_t w = 0; w < wrong.size(); ++w) {
    const auto file = file_with(wrong[w]);
    // One number of ranks in turn. Under sanitizers a process takes long: every matrix with one of
    // the options.
    const std::size_t chosen = (w + w / 3) % std::size(options);
    for (std::size_t k = 0; k < std::size(options); ++k) {
      if (sanitized && k != chosen) continue;
      strings args = options[k];
      args.insert(args.begin(), {"solve", file, "-q", "--device", "cpu", "--threads", "1"});
      const auto one = dwell_cli(args);
      if (one.code != 1) continue;
      ++refused;
      args.erase(args.begin() + 3, args.begin() + 5);
      for (std::size_t n = 0; n < std::size(numbers_of_ranks); ++n) {
        if (n != refused % std::size(numbers_of_ranks)) continue;
        auto several = args;
        several.insert(several.end(), {"--ranks", numbers_of_ranks[n]});
        const auto r = dwell_cli(several);
        EXPECT_EQ(r.code, 1) << testing::PrintToString(several);
        EXPECT_EQ(r.err, one.err) << testing::PrintToString(several);
      }
    }
  }
  EXPECT_GT(refused, sanitized ? 12u : 50u);
}

TEST(cli_ranks_options, numbers_of_ranks_and_of_right_hand_sides_have_a_limit) {
  for (const char* ranks : {"1000", "100000", "2147483647"})
    for (const strings& what :
         {strings{"solve", "poisson2d:9x9"}, strings{"stencil", "2d5pt", "--size", "9x9"},
          strings{"compare", "cg", "poisson2d:9x9"},
          strings{"compare", "stencil", "2d5pt", "--size", "9x9"}}) {
      auto args = what;
      args.insert(args.end(), {"--ranks", ranks});
      expect_refused(args, std::string("(threads of this process), found ") + ranks);
    }
  expect_refused({"solve", "poisson2d:9x9", "--ranks", "16", "--threads", "1000"},
                 "--threads: expected 1 to ");
  for (const strings& more : {strings{}, {"--ranks", "2"}, {"--precision", "f32"}})
    for (const char* count : {"1000000000", "2147483647"}) {
      strings args = {"solve", "poisson2d:300x300", "-q", "--rhs-count", count};
      args.insert(args.end(), more.begin(), more.end());
      const auto r = dwell_cli(args);
      EXPECT_EQ(r.code, 4);
      EXPECT_TRUE(holds(r.err, "right-hand sides and answers of ") && holds(r.err, " need "))
          << r.err;
      EXPECT_EQ(lines_of(r.err).size(), 1u) << r.err;
    }
}

TEST(cli_ranks_options, what_has_no_effect_is_said_to_have_none) {
  const auto warned = [](const strings& more, const std::string& line) {
    strings args = {"solve", "poisson2d:30x21", "-q", "--device", "cpu"};
    args.insert(args.end(), more.begin(), more.end());
    const auto r = dwell_cli(args);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.err, line.empty() ? "" : "dwell: warning: " + line + "\n");
  };
  warned({"--restart", "5"},
         "--restart has no effect: it is of method gmres, and the method is cg");
  warned({"--restart", "20", "--solver", "gmres"}, "");
  const std::pair<const char*, const char*> options[] = {{"--degree", "chebyshev"},
                                                         {"--power", "fsai"},
                                                         {"--factor-sweeps", "ilu0"},
                                                         {"--sweeps", "ilu0"}};
  for (const auto& [option, of] : options) {
    warned({option, "2", "--preconditioner", "jacobi"},
           std::string(option) + " has no effect: it is of preconditioner " + of +
               ", and the preconditioner is jacobi");
    warned({option, "2", "--preconditioner", of, "--solver",
            std::string(of) == "ilu0" ? "bicgstab" : "cg"},
           "");
  }
  warned({"--block-size", "3"},
         "--block-size has no effect: it is of preconditioner block-jacobi, and of amg with "
         "near-null vectors, and the preconditioner is jacobi");
  warned({"--block-size", "3", "--preconditioner", "block-jacobi"}, "");
  warned({"--timing"}, "--timing has no effect: it is of the report, and there is none for people");
  const auto j =
      report_of({"solve", "poisson2d:30x21", "--device", "cpu", "--degree", "3", "--json", "-"});
  EXPECT_EQ(j.at("warnings").size(), 1u);
}

}  // namespace
}  // namespace dwell::test
