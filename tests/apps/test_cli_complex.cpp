// SPDX-License-Identifier: MIT
// `dwell solve` of complex Matrix Market files from outside: vectors, reports, refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <random>
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
  const std::string where =
      "(complex files are for dwell solve and dwell cg with a complex matrix, dwell info and dwell "
      "convert)\n";
  expect_refused({"solve", real, "--rhs", b}, "found 'complex' " + where);
  const auto hermitian =
      in.write("h.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 2 0\n");
  EXPECT_EQ(dwell_cli({"cg", hermitian, "--device", "cpu", "--quiet"}).code, 0);
  for (const char* what : {"solve", "cg"}) {
    expect_refused({"explain", what, a}, where);
    const auto compared = dwell_cli({"compare", what, a});  // with a row that says so
    EXPECT_EQ(compared.code, 1);
    EXPECT_TRUE(holds(compared.err, where)) << compared.err;
    EXPECT_EQ(lines_of(compared.err).size(), 1u) << compared.err;
  }
}

/// A file of random numbers that are so, and what is known of it.
struct made_file {
  std::string text;
  std::string found;
  std::vector<std::complex<double>> dense;
  index n = 0;
};
made_file random_file(std::mt19937& engine, const std::string& kind) {
  using number = std::complex<double>;
  made_file out;
  out.n = static_cast<index>(2 + engine() % 9);
  const auto n = static_cast<std::size_t>(out.n);
  out.dense.assign(n * n, 0);
  const auto part = [&] { return static_cast<double>(engine() % 2001) / 64 - 15; };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      if (i != j && engine() % 3 == 0 && !(i == 1 && j == 0)) continue;
      const bool is_real = kind == "Hermitian" && (i == j || (i + j) % 3 == 0);
      const number v(part(), is_real ? 0 : 1 + std::abs(part()));
      const number conjugate(v.real(), is_real ? 0 : -v.imag());  // no zero has a sign
      number& below = out.dense[i * n + j];
      number& above = out.dense[j * n + i];
      below = kind == "skew-symmetric" && i == j ? 0 : v;
      if (i == j) continue;
      above = kind == "symmetric"        ? v
              : kind == "Hermitian"      ? conjugate
              : kind == "skew-symmetric" ? -v
                                         : v + number(1, 1 + std::abs(part()));
    }
  out.found = kind == "general" ? "symmetric pattern, values differ" : kind;
  std::string lines;
  int count = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const number v = out.dense[i * n + j];
      if (v == number(0)) continue;
      ++count;
      lines += std::to_string(i + 1) + " " + std::to_string(j + 1) + " " +
               std::to_string(v.real()) + " " + std::to_string(v.imag()) + "\n";
    }
  out.text = "%%MatrixMarket matrix coordinate complex general\n" + std::to_string(n) + " " +
             std::to_string(n) + " " + std::to_string(count) + "\n" + lines;
  return out;
}

TEST(cli_complex, info_says_what_a_matrix_is) {
  const scratch_folder in;
  std::mt19937 engine(63);
  for (int round = 0; round < 4; ++round)
    for (const char* kind : {"symmetric", "Hermitian", "skew-symmetric", "general"}) {
      const made_file made = random_file(engine, kind);
      const auto file = in.write("a.mtx", made.text);
      const json j = dwell_cli({"info", file, "--json", "-"}).json();
      SCOPED_TRACE(made.text);
      EXPECT_EQ(j.at("matrix").at("field"), "complex");
      EXPECT_EQ(j.at("symmetry").at("found"), made.found);
      double least = 0, most = 0, apart = 0;
      int positive = 0, not_real = 0;
      const auto n = static_cast<std::size_t>(made.n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k) {
          const auto v = made.dense[i * n + k];
          const double size = std::abs(v);
          most = std::max(most, size);
          if (size > 0) least = least == 0 ? size : std::min(least, size);
          apart = std::max(apart, std::abs(v - std::conj(made.dense[k * n + i])));
          if (i == k) positive += v.imag() == 0 && v.real() > 0, not_real += v.imag() != 0;
        }
      EXPECT_NEAR(j.at("magnitudes").at("least").get<double>(), least, 1e-12);
      EXPECT_NEAR(j.at("magnitudes").at("largest").get<double>(), most, 1e-12);
      EXPECT_NEAR(j.at("symmetry").at("largest_difference").get<double>(), apart, 1e-12);
      EXPECT_EQ(j.at("diagonal").at("positive"), positive);
      EXPECT_EQ(j.at("diagonal").at("not_real").at("count"), not_real);
      const auto text = dwell_cli({"info", file});
      EXPECT_EQ(text.code, 0) << text.err;
      EXPECT_TRUE(holds(text.out, "found:    " + made.found)) << text.out;
      EXPECT_TRUE(holds(text.out, "(CSR, complex f64)")) << text.out;
    }
}

TEST(cli_complex, convert_keeps_every_number) {
  const scratch_folder in;
  std::mt19937 engine(64);
  for (int round = 0; round < 4; ++round)
    for (const char* kind : {"symmetric", "Hermitian", "skew-symmetric", "general"}) {
      const made_file made = random_file(engine, kind);
      const auto file = in.write("a.mtx", made.text);
      const auto expected = read_complex_matrix_market(file).matrix;
      for (const bool general : {false, true})
        for (const char* to : {"b.mtx", "b.mtx.gz"}) {
          SCOPED_TRACE(std::string(kind) + to);
          std::vector<std::string> args = {"convert", file, "-o", in(to)};
          if (general) args.emplace_back("--general");
          const auto r = dwell_cli(args);
          ASSERT_EQ(r.code, 0) << r.err;
          const mm_complex_matrix got = read_complex_matrix_market(in(to));
          EXPECT_EQ(got.matrix.row_ptr, expected.row_ptr);
          EXPECT_EQ(got.matrix.col, expected.col);
          EXPECT_EQ(got.matrix.val, expected.val);
          const mm_symmetry stored =
              general || kind == std::string("general") || kind == std::string("skew-symmetric")
                  ? mm_symmetry::general
              : kind == std::string("symmetric") ? mm_symmetry::symmetric
                                                 : mm_symmetry::hermitian;
          EXPECT_EQ(got.header.symmetry, stored);
        }
      expect_refused({"convert", file, "-o", in("b.dwell")},
                     "--output: expected a name that ends in .mtx or .mtx.gz for a complex matrix "
                     "(.dwell files have real numbers), found '");
    }
}

}  // namespace
}  // namespace dwell::test
