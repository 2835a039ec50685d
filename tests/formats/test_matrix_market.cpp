// SPDX-License-Identifier: MIT
// Reading sound Matrix Market files: every layout, field and symmetry, the liberties of the format,
// compressed and archived files, vectors, and the SuiteSparse matrices at hand.
#include "dwell/formats/matrix_market.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <thread>

#include "battery.hpp"
#include "real_matrices.hpp"
#include "scratch.hpp"

namespace dwell {
namespace {

namespace fs = std::filesystem;
using dense = std::vector<std::vector<double>>;

constexpr double none = -99;  // in an expected matrix: no entry

fs::path valid(const std::string& name) { return fs::path(DWELL_TEST_DATA) / "valid" / name; }

void expect_entries(const csr<double>& a, const dense& expected, const std::string& what) {
  SCOPED_TRACE(what);
  check(a.view());
  ASSERT_EQ(a.rows, static_cast<index>(expected.size()));
  std::size_t k = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(a.cols, static_cast<index>(expected[i].size()));
    for (std::size_t j = 0; j < expected[i].size(); ++j) {
      if (expected[i][j] == none) continue;
      ASSERT_LT(k, a.val.size());
      EXPECT_EQ(a.col[k], static_cast<index>(j)) << "row " << i;
      EXPECT_EQ(a.val[k], expected[i][j]) << "row " << i << ", column " << j;
      ++k;
    }
    EXPECT_EQ(a.row_ptr[i + 1], static_cast<index>(k)) << "row " << i;
  }
}

void expect_file(const std::string& name, const dense& expected) {
  for (int threads : {0, 1, 2, 3, 8, 100})
    expect_entries(read_matrix_market(valid(name), threads).matrix, expected,
                   name + ", threads " + std::to_string(threads));
}

const dense general = {{1.5, none, none, 0.5}, {none, none, none, 300}, {4, -2, none, none}};
const dense symmetric = {{4, -1, none}, {-1, 4, -1}, {none, -1, 4}};

TEST(matrix_market, general) { expect_file("general.mtx", general); }
TEST(matrix_market, comments_blank_lines_crlf_tabs_signs_and_fortran_exponents) {
  expect_file("general_untidy.mtx", general);
}
TEST(matrix_market, no_final_newline) { expect_file("general_no_final_newline.mtx", general); }
TEST(matrix_market, symmetric_is_expanded) {
  expect_file("symmetric.mtx", symmetric);
  expect_file("symmetric_integer.mtx", symmetric);
}
TEST(matrix_market, skew_symmetric_is_expanded_with_its_sign) {
  expect_file("skew_symmetric.mtx", {{none, -5, none}, {5, 0, 7}, {none, -7, none}});
}
TEST(matrix_market, pattern_is_ones) {
  expect_file("pattern_symmetric.mtx", {{1, 1, none}, {1, none, none}, {none, none, 1}});
}
TEST(matrix_market, arrays_keep_their_zeros) {
  expect_file("array.mtx", {{1, 3, 5}, {2, 0, 6}});
  expect_file("symmetric_array.mtx", {{4, -1, 0}, {-1, 4, -1}, {0, -1, 4}});
  expect_file("skew_symmetric_array.mtx", {{none, -1, -2}, {1, none, -3}, {2, 3, none}});
}
TEST(matrix_market, duplicates_are_summed_in_the_order_of_the_file) {
  expect_file("duplicates.mtx", {{3, none}, {none, 0}});
  expect_file("symmetric_duplicates.mtx", {{0, 1.5}, {1.5, 3}});
}
TEST(matrix_market, empty_matrices) {
  expect_file("empty_0x0.mtx", {});
  expect_file("empty_5x3.mtx", dense(5, std::vector<double>(3, none)));
}
TEST(matrix_market, large_integers_that_are_doubles) {
  expect_file("integer_large.mtx", {{0x1p53, -0x1p64, 7}});
}

TEST(matrix_market, what_the_file_says_of_itself) {
  const auto m = read_matrix_market(valid("symmetric_integer.mtx"));
  EXPECT_EQ(m.name, "symmetric_integer");
  EXPECT_EQ(to_string(m.header.layout), "coordinate");
  EXPECT_EQ(to_string(m.header.field), "integer");
  EXPECT_EQ(to_string(m.header.symmetry), "symmetric");
  EXPECT_EQ(m.header.rows, 3);
  EXPECT_EQ(m.header.cols, 3);
  EXPECT_EQ(m.header.stored, 5);
  EXPECT_EQ(m.matrix.nonzeros(), 7);
  EXPECT_FALSE(m.companion_rhs);
  const auto a = read_matrix_market(valid("skew_symmetric_array.mtx")).header;
  EXPECT_EQ(to_string(a.layout) + " " + to_string(a.field) + " " + to_string(a.symmetry),
            "array integer skew-symmetric");
  EXPECT_EQ(a.stored, 3);
  EXPECT_EQ(read_matrix_market(valid("array.mtx")).header.stored, 6);
  EXPECT_EQ(to_string(mm_field::real) + to_string(mm_field::pattern), "realpattern");
}

TEST(matrix_market, gzip_is_known_by_its_content) {
  expect_file("general.mtx.gz", general);
  expect_file("gzip_without_the_name.mtx", general);
  EXPECT_EQ(read_matrix_market(valid("general.mtx.gz")).name, "general");
}

TEST(matrix_market, members_of_a_gzip_file_are_read_one_behind_the_other) {
  expect_file("gzip_members.mtx.gz", general);  // cut in the midst of a line; one is empty
  const test::scratch_folder scratch;
  std::string members;
  const auto add_members = [&](const std::string& text) {
    test::put_bytes(scratch / "part", text);
    ASSERT_EQ(std::system(("gzip -nf " + (scratch / "part").string()).c_str()), 0);
    members += test::bytes_of(scratch / "part.gz");
  };
  // A tar whose first member is shorter than what says that it is a tar.
  const auto archive = scratch / "with_companion.tar.gz";
  test::put_bytes(archive, test::bytes_of(valid("with_companion.tar.gz")));
  ASSERT_EQ(std::system(("gzip -df " + archive.string()).c_str()), 0);
  const auto tar = test::bytes_of(scratch / "with_companion.tar");
  for (const std::size_t cut : {1, 100, 700})
    for (const std::size_t end : {cut, tar.size() - 1}) {
      members.clear();
      add_members(tar.substr(0, cut));
      add_members(tar.substr(cut, end - cut));
      add_members(tar.substr(end));
      test::put_bytes(archive, members);
      expect_entries(read_matrix_market(archive).matrix, symmetric,
                     "tar cut at " + std::to_string(cut));
    }
}

TEST(matrix_market, archives_of_suitesparse) {
  expect_file("with_companion.tar.gz", symmetric);
  const auto m = read_matrix_market(valid("with_companion.tar.gz"));
  EXPECT_EQ(m.name, "with_companion");
  EXPECT_EQ(m.companion_rhs, (std::vector<double>{1, 2, 3}));
}

TEST(matrix_market, companions_that_do_not_fit_are_not_offered) {
  for (const char* name : {"companion_complex.tar.gz", "companion_too_short.tar.gz"}) {
    expect_file(name, symmetric);
    EXPECT_FALSE(read_matrix_market(valid(name)).companion_rhs) << name;
  }
}

// It matters to who asks for it, and to nobody else.
TEST(matrix_market, a_companion_that_cannot_be_read_costs_no_matrix) {
  expect_file("companion_broken.tar.gz", symmetric);
  const auto m = read_matrix_market(valid("companion_broken.tar.gz"));
  EXPECT_FALSE(m.companion_rhs);
  EXPECT_EQ(m.companion_refusal, valid("companion_broken.tar.gz").string() +
                                     "(companion_broken/companion_broken_b.mtx):4: expected a real "
                                     "value, found 'x'");
  EXPECT_EQ(read_matrix_market(valid("with_companion.tar.gz")).companion_refusal, "");
  // An archive that is damaged there is damaged.
  const test::scratch_folder scratch;
  const auto cut = scratch / "companion_broken.tar.gz";
  const auto whole = test::bytes_of(valid("companion_broken.tar.gz"));
  for (const std::size_t missing : {1u, 9u, 20u}) {
    test::put_bytes(cut, whole.substr(0, whole.size() - missing));
    EXPECT_NE(test::message_of([&] { read_matrix_market(cut); }).find("cut short"),
              std::string::npos);
  }
}

TEST(matrix_market, vectors) {
  const std::vector<double> expected = {1, -2.5, 0};
  EXPECT_EQ(read_matrix_market_vector(valid("vector_array.mtx")), expected);
  EXPECT_EQ(read_matrix_market_vector(valid("vector_row.mtx")), expected);
  EXPECT_EQ(read_matrix_market_vector(valid("vector_coordinate.mtx")), expected);
}

TEST(matrix_market, a_pipe_is_read_like_a_file) {
  const test::scratch_folder scratch;
  const auto pipe = scratch / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::jthread writer([&] { test::put_bytes(pipe, test::bytes_of(valid("general.mtx.gz"))); });
  expect_entries(read_matrix_market(pipe).matrix, general, "pipe");
}

/// A text long enough to be cut anywhere gives the same bits for any number of threads.
TEST(matrix_market, the_number_of_threads_changes_nothing) {
  test::splitmix64 random(5);
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n500 500 20000\n";
  for (int k = 0; k < 20000; ++k) {
    const index i = random.below(500), j = random.below(i + 1);
    if (k % 97 == 0) text += k % 2 ? "\n\r\n" : "% comment\n";
    text += std::to_string(i + 1) + ' ' + std::to_string(j + 1) + ' ' +
            std::to_string(random.uniform()) + '\n';
  }
  const auto one = parse_matrix_market(text, "random", 1).matrix;
  for (int threads : {2, 3, 4, 7, 32}) {
    const auto more = parse_matrix_market(text, "random", threads).matrix;
    EXPECT_EQ(more.row_ptr, one.row_ptr);
    EXPECT_EQ(more.col, one.col);
    EXPECT_EQ(more.val, one.val);
  }
}

TEST(matrix_market, real_matrices_are_as_the_index_says) {
  const auto all = test::indexed_matrices();
  if (all.empty()) GTEST_SKIP() << test::why_no_matrices();
  EXPECT_EQ(all.size(), 41u);
  for (const auto& expected : all) {
    SCOPED_TRACE(expected.name);
    const auto m = read_matrix_market(expected.file);
    check(m.matrix.view());
    EXPECT_EQ(m.name, expected.name);
    EXPECT_EQ(m.header.symmetry, mm_symmetry::symmetric);
    EXPECT_EQ(m.header.rows, expected.rows);
    EXPECT_EQ(m.header.cols, expected.rows);
    EXPECT_EQ(m.header.stored, expected.stored);
    const auto zeros = std::count(m.matrix.val.begin(), m.matrix.val.end(), 0.0);
    EXPECT_EQ(zeros, expected.explicit_zeros);
    EXPECT_EQ(m.matrix.nonzeros(), expected.nonzeros + expected.explicit_zeros);
  }
}

}  // namespace
}  // namespace dwell
