// SPDX-License-Identifier: MIT
// Matrix Market files of complex numbers: every layout and symmetry, round trips to the bit, and
// what is refused.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/formats/complex_matrix_market.hpp"
#include "refusal.hpp"
#include "scratch.hpp"

namespace dwell::test {
namespace {

using number = std::complex<double>;

mm_complex_matrix parsed(const std::string& text, int threads = 0) {
  return parse_complex_matrix_market({text.data(), text.size()}, "a.mtx", threads);
}
/// (row, column), 0 where nothing is stored.
number at(const csr<number>& a, index i, index j) {
  for (index k = a.row_ptr[static_cast<std::size_t>(i)];
       k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
    if (a.col[static_cast<std::size_t>(k)] == j) return a.val[static_cast<std::size_t>(k)];
  return 0.0;
}
void expect_equal(const csr<number>& a, const csr<number>& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.cols, b.cols);
  EXPECT_EQ(a.row_ptr, b.row_ptr);
  EXPECT_EQ(a.col, b.col);
  ASSERT_EQ(a.val.size(), b.val.size());
  // Bits, so that -0 is not 0. An empty matrix has no array, which memcmp does not take.
  if (a.val.empty()) return;
  EXPECT_EQ(std::memcmp(a.val.data(), b.val.data(), a.val.size() * sizeof(number)), 0);
}
/// Random places and values of many sizes; kept symmetric, or Hermitian, where that is asked for.
csr<number> random_matrix(index n, unsigned seed, mm_symmetry symmetry) {
  std::mt19937 random(seed);
  std::normal_distribution<double> part;
  std::vector<std::vector<number>> dense(static_cast<std::size_t>(n),
                                         std::vector<number>(static_cast<std::size_t>(n)));
  for (std::size_t i = 0; i < dense.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      if (random() % 3 != 0) continue;
      const number v(std::ldexp(part(random), static_cast<int>(random() % 60) - 30), part(random));
      dense[i][j] = v;
      if (symmetry == mm_symmetry::symmetric) dense[j][i] = v;
      if (symmetry == mm_symmetry::hermitian) dense[j][i] = std::conj(v);
      if (symmetry == mm_symmetry::hermitian && i == j) dense[i][i] = v.real();
      if (symmetry == mm_symmetry::general && random() % 2) dense[j][i] = number(v.imag(), 1.0);
    }
  csr<number> a;
  a.rows = a.cols = n;
  for (const auto& row : dense) {
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] != 0.0) a.col.push_back(static_cast<index>(j)), a.val.push_back(row[j]);
    a.row_ptr.push_back(static_cast<index>(a.col.size()));
  }
  return a;
}

TEST(matrix_market_complex, reads_every_symmetry_of_coordinates) {
  const std::string body = "3 3 3\n2 1 1.5 -2\n3 3 4 0\n3 2 0 1e0\n";
  const auto general = parsed("%%MatrixMarket matrix coordinate complex general\n" + body).matrix;
  EXPECT_EQ(at(general, 1, 0), number(1.5, -2));
  EXPECT_EQ(at(general, 0, 1), number(0));
  const auto hermitian = parsed("%%MatrixMarket MATRIX Coordinate Complex Hermitian\n" + body);
  EXPECT_EQ(hermitian.header.field, mm_field::complex);
  EXPECT_EQ(hermitian.header.symmetry, mm_symmetry::hermitian);
  EXPECT_EQ(to_string(hermitian.header.field), "complex");
  EXPECT_EQ(to_string(hermitian.header.symmetry), "hermitian");
  EXPECT_EQ(at(hermitian.matrix, 1, 0), number(1.5, -2));
  EXPECT_EQ(at(hermitian.matrix, 0, 1), number(1.5, 2));
  EXPECT_EQ(at(hermitian.matrix, 2, 2), number(4));
  const auto symmetric =
      parsed("%%MatrixMarket matrix coordinate complex symmetric\n" + body).matrix;
  EXPECT_EQ(at(symmetric, 0, 1), number(1.5, -2));
  const auto skew =
      parsed("%%MatrixMarket matrix coordinate complex skew-symmetric\n3 3 1\n2 1 1.5 -2\n").matrix;
  EXPECT_EQ(at(skew, 0, 1), number(-1.5, 2));
  const auto summed =
      parsed("%%MatrixMarket matrix coordinate complex general\n1 1 2\n1 1 1 2\n1 1 3 -5\n").matrix;
  EXPECT_EQ(at(summed, 0, 0), number(4, -3));
}

TEST(matrix_market_complex, reads_arrays_and_files_of_real_numbers) {
  const auto general =
      parsed("%%MatrixMarket matrix array complex general\n2 2\n1 2\n3 4\n5 6\n7 8\n").matrix;
  EXPECT_EQ(at(general, 1, 0), number(3, 4));
  EXPECT_EQ(at(general, 0, 1), number(5, 6));
  const auto hermitian =
      parsed("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n3 4\n7 0\n").matrix;
  EXPECT_EQ(at(hermitian, 1, 0), number(3, 4));
  EXPECT_EQ(at(hermitian, 0, 1), number(3, -4));
  const auto real = parsed("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 -3\n");
  EXPECT_EQ(real.header.field, mm_field::real);
  EXPECT_EQ(at(real.matrix, 0, 1), number(-3));
  EXPECT_EQ(
      at(parsed("%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 2\n").matrix, 0, 1),
      number(1));
}

TEST(matrix_market_complex, what_is_written_is_read_to_the_bit) {
  const scratch_folder scratch;
  unsigned seed = 0;
  for (const mm_symmetry symmetry :
       {mm_symmetry::general, mm_symmetry::symmetric, mm_symmetry::hermitian})
    for (const index n : {1, 2, 17, 60})
      for (const char* name : {"a.mtx", "a.mtx.gz"}) {
        const auto a = random_matrix(n, ++seed, symmetry);
        write_matrix_market(scratch / name, a.view(), {symmetry, "a test"});
        for (const int threads : {1, 3}) {
          const auto got = read_complex_matrix_market(scratch / name, threads);
          EXPECT_EQ(got.header.symmetry, symmetry);
          expect_equal(got.matrix, a);
        }
        const auto any = read_any_matrix_market(scratch / name);
        ASSERT_TRUE(std::holds_alternative<mm_complex_matrix>(any));
      }
  const std::vector<number> v = {{1, -0.0}, {1e-300, 0.1}, {0, 3}};
  write_complex_matrix_market_vector(scratch / "v.mtx", v, "x");
  const auto again = read_complex_matrix_market_vector(scratch / "v.mtx");
  ASSERT_EQ(again.size(), v.size());
  EXPECT_EQ(std::memcmp(again.data(), v.data(), v.size() * sizeof(number)), 0);
}

TEST(matrix_market_complex, refuses_what_is_wrong) {
  const std::string banner = "%%MatrixMarket matrix coordinate complex ";
  const std::vector<std::pair<std::string, std::string>> all = {
      {"general\n1 1 1\n1 1 2\n", "a.mtx:3: expected a real and an imaginary part"},
      {"general\n1 1 1\n1 1 2 x\n", "a.mtx:3: expected a real and an imaginary part, found 'x'"},
      {"general\n1 1 1\n1 1 2 nan\n", "a.mtx:3: expected a finite value, found 'nan'"},
      {"general\n1 1 1\n1 1 2 1e999\n", "a.mtx:3: expected a value in the range of a double"},
      {"general\n1 1 1\n1 1 2 3 4\n", "a.mtx:3: expected the end of the line, found '4'"},
      {"hermitian\n2 3 1\n1 1 2 0\n", "a.mtx:2: expected 2 columns (a hermitian matrix is square)"},
      {"hermitian\n2 2 1\n2 2 2 1\n",
       "a.mtx:3: expected an imaginary part of zero on the diagonal of a hermitian matrix, found "
       "2+1i"},
      {"hermitian\n2 2 1\n1 2 2 1\n", "change the signs of imaginary parts"},
      {"general\n1 1 2\n1 1 1e308 0\n1 1 1e308 0\n", "duplicates whose sum is in the range"},
      {"hermitean\n1 1 1\n1 1 1 0\n", "a.mtx:1: expected 'general', 'symmetric'"},
  };
  for (const auto& [text, words] : all) {
    const std::string said = refusal<error>([&, &body = text] { parsed(banner + body); });
    EXPECT_NE(said.find(words), std::string::npos) << said;
  }
  const std::string text = banner + "general\n1 1 1\n1 1 2 0\n";
  EXPECT_NE(refusal<unsupported_error>([&] {
              parse_matrix_market({text.data(), text.size()}, "a.mtx");
            }).find("with a complex matrix"),
            std::string::npos);
}

TEST(matrix_market_complex, refuses_to_write_what_a_matrix_is_not) {
  const scratch_folder scratch;
  auto a = random_matrix(9, 3, mm_symmetry::hermitian);
  const auto said = [&](mm_symmetry symmetry) {
    return refusal<error>([&] {
      write_matrix_market(scratch / "a.mtx", a.view(), {symmetry, ""});
    });
  };
  EXPECT_EQ(said(mm_symmetry::hermitian), "accepted");
  EXPECT_NE(said(mm_symmetry::symmetric).find("expected a symmetric matrix"), std::string::npos);
  EXPECT_NE(said(mm_symmetry::skew_symmetric).find("symmetric or hermitian"), std::string::npos);
  a.val[0] += number(0, 1);
  EXPECT_NE(said(mm_symmetry::hermitian).find("expected a hermitian matrix"), std::string::npos);
}

}  // namespace
}  // namespace dwell::test
