// SPDX-License-Identifier: MIT
// `dwell solve` of complex Matrix Market files from outside: vectors, reports, refusals.
#include <gtest/gtest.h>

#include <complex>
#include <span>
#include <string>
#include <vector>

#include "cli_runner.hpp"
#include "dwell/formats/complex_matrix_market.hpp"

namespace dwell::test {
namespace {

/// [4 1-i 0; 1+i 5 2i; 0 -2i 6] as its lower triangle.
constexpr const char* hermitian =
    "%%MatrixMarket matrix coordinate complex hermitian\n3 3 5\n1 1 4 0\n2 1 1 1\n2 2 5 0\n3 2 0 "
    "-2\n"
    "3 3 6 0\n";
constexpr const char* general =
    "%%MatrixMarket matrix coordinate complex general\n2 2 3\n1 1 2 1\n1 2 0 1\n2 2 3 -1\n";

TEST(cli_complex, solves_a_hermitian_file) {
  const scratch_folder in;
  const auto a = in.write("a.mtx", hermitian);
  const auto r = dwell_cli({"solve", a, "--device", "cpu"});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const auto* part : {"conjugate gradients", "complex f64", "jacobi", "Hermitian"})
    EXPECT_TRUE(holds(r.out, part)) << part << "\n" << r.out;
  const auto j = report_of({"solve", a, "--device", "cpu", "--output", in("x.mtx"), "--json", "-"});
  EXPECT_EQ(j.at("solver"), "cg");
  EXPECT_EQ(j.at("precision"), "complex f64");
  for (const auto& v : read_complex_matrix_market_vector(in("x.mtx")))
    EXPECT_LE(std::abs(v - 1.0), 1e-7);  // b is the row sums
}

TEST(cli_complex, takes_right_hand_sides_and_starts_of_complex_and_of_real_numbers) {
  const scratch_folder in;
  const auto a = in.write("a.mtx", general);
  // x = (1 + i, 2 - i): b = ((2 + i)(1 + i) + i (2 - i), (3 - i)(2 - i)) = (2 + 5i, 5 - 5i).
  const auto b = in.write("b.mtx", "%%MatrixMarket matrix array complex general\n2 1\n2 5\n5 -5\n");
  for (const std::string method : {"bicgstab", "gmres", "auto"})
    for (const std::string precision : {"f64", "f32"}) {
      const auto r =
          dwell_cli({"solve", a, "--device", "cpu", "--rhs", b, "--solver", method, "--precision",
                     precision, "--rtol", "1e-5", "--output", in("x.mtx")});
      EXPECT_EQ(r.code, 0) << r.err;
      const auto x = read_complex_matrix_market_vector(in("x.mtx"));
      ASSERT_EQ(x.size(), 2U);
      EXPECT_LE(std::abs(x[0] - std::complex<double>(1, 1)), 1e-3) << method << precision;
      EXPECT_LE(std::abs(x[1] - std::complex<double>(2, -1)), 1e-3) << method << precision;
    }
  const auto again = report_of({"solve", a, "--device", "cpu", "--rhs", b, "--rtol", "1e-3", "--x0",
                                in("x.mtx"), "--json", "-"});
  EXPECT_EQ(again.at("iterations"), 0);
  const auto factors = report_of(
      {"solve", a, "--device", "cpu", "--rhs", b, "--preconditioner", "ilu0", "--json", "-"});
  EXPECT_EQ(factors.at("preconditioner"), "ilu0");
  EXPECT_LE(factors.at("iterations"), 2) << "a full matrix has complete factors";
  const auto real = in.write("r.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
  EXPECT_EQ(dwell_cli({"solve", a, "--device", "cpu", "--rhs", real}).code, 0);
}

TEST(cli_complex, refuses_what_is_of_real_matrices_alone) {
  const scratch_folder in;
  const auto a = in.write("a.mtx", general);
  const auto refused = [&](const std::vector<std::string>& flags, const std::string& part) {
    std::vector<std::string> all = {"solve", a, "--device", "cpu"};
    all.insert(all.end(), flags.begin(), flags.end());
    expect_refused(all, part);
  };
  refused({"--solver", "minres"}, "method: expected auto, cg, bicgstab or gmres");
  refused({"--solver", "cg"}, "expected a Hermitian one");
  refused({"--preconditioner", "amg"}, "preconditioner: expected none, jacobi, ilu0, auto");
  refused({"--precision", "mixed"}, "dwell: precision: expected f64 or f32");
  refused({"--rhs-count", "2"}, "--rhs-count: not with a complex matrix");
  refused({"--output", in("x.npy")}, "ends in .mtx");
  const auto real =
      in.write("real.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
  const auto b = in.write("b.mtx", "%%MatrixMarket matrix array complex general\n1 1\n2 5\n");
  expect_refused(
      {"solve", real, "--rhs", b},
      "found 'complex' (complex files are for dwell solve and dwell cg with a complex matrix)");
  expect_refused({"info", a}, "complex files are for dwell solve and dwell cg");
  const auto hermitian =
      in.write("h.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 2 0\n");
  EXPECT_EQ(dwell_cli({"cg", hermitian, "--device", "cpu", "--quiet"}).code, 0);
  for (const std::vector<std::string>& other : {std::vector<std::string>{"compare", "solve", a},
                                                {"compare", "cg", a},
                                                {"explain", "solve", a},
                                                {"explain", "cg", a}})
    expect_refused(other, "complex files are for dwell solve and dwell cg with a complex matrix");
}

}  // namespace
}  // namespace dwell::test
