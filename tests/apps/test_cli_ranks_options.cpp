// SPDX-License-Identifier: MIT
// dwell cg --ranks with what belongs to rows or is chosen: right-hand sides, preconditioner auto,
// near-null vectors, null vectors.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli_runner.hpp"

#include "dwell/datasets/generators.hpp"
#include "dwell/formats/columns_file.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/solvers/preconditioners/rigid_body_modes.hpp"

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

}  // namespace
}  // namespace dwell::test
