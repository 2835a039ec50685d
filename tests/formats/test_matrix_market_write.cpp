// SPDX-License-Identifier: MIT
// The writer gives back every bit, plain and compressed, and leaves nothing half-written; the
// atomic file beneath it, with its failures.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdio>

#include "battery.hpp"
#include "dwell/formats/atomic_file.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "scratch.hpp"

namespace dwell {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::message_of;
using test::scratch_folder;

const std::vector<double> hard = {0.0,
                                  -0.0,
                                  0.1,
                                  -1.0 / 3,
                                  5e-324,
                                  -2.2250738585072009e-308,
                                  0x1p53 + 2,
                                  1e22,
                                  1e23,
                                  1.7976931348623157e308,
                                  123456789.123456789};

void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << i;
}

void expect_round_trip(const csr<double>& a, const mm_write_options& options) {
  const scratch_folder scratch;
  for (const char* name : {"a.mtx", "a.mtx.gz"}) {
    write_matrix_market(scratch / name, a.view(), options);
    const auto back = read_matrix_market(scratch / name);
    EXPECT_EQ(back.header.symmetry, options.symmetry);
    EXPECT_EQ(back.matrix.rows, a.rows);
    EXPECT_EQ(back.matrix.cols, a.cols);
    EXPECT_EQ(back.matrix.row_ptr, a.row_ptr);
    EXPECT_EQ(back.matrix.col, a.col);
    expect_same_bits(back.matrix.val, a.val);
  }
  EXPECT_EQ(scratch.files(), 2u);
}

TEST(matrix_market_write, general_round_trip) {
  csr<double> a{3, 20, {0, 11, 11, 12}, {}, hard};
  for (index j = 0; j < 11; ++j) a.col.push_back(j + 9);
  a.col.push_back(0);
  a.val.push_back(-7);
  expect_round_trip(a, {});
  expect_round_trip({}, {});
  expect_round_trip({4, 2, {0, 0, 0, 0, 0}, {}, {}}, {});
}

TEST(matrix_market_write, symmetric_round_trip) {
  expect_round_trip(test::mesh(7, 5), {mm_symmetry::symmetric, ""});
  expect_round_trip({1, 1, {0, 1}, {0}, {-0.0}}, {mm_symmetry::symmetric, ""});
}

TEST(matrix_market_write, large_round_trip) {  // several batches and threads
  test::splitmix64 random(9);
  csr<double> a{300, 500, {0}, {}, {}};
  for (index i = 0; i < a.rows; ++i) {
    for (index j = 0; j < a.cols; ++j) {
      a.col.push_back(j);
      a.val.push_back(random.uniform() * std::ldexp(1.0, random.below(2000) - 1000));
    }
    a.row_ptr.push_back(static_cast<index>(a.col.size()));
  }
  expect_round_trip(a, {});
}

TEST(matrix_market_write, vector_round_trip) {
  const scratch_folder scratch;
  write_matrix_market_vector(scratch / "x.mtx", hard, "one\ntwo");
  write_matrix_market_vector(scratch / "x.mtx.gz", hard);
  write_matrix_market_vector(scratch / "empty.mtx", {});
  expect_same_bits(read_matrix_market_vector(scratch / "x.mtx"), hard);
  expect_same_bits(read_matrix_market_vector(scratch / "x.mtx.gz"), hard);
  EXPECT_TRUE(read_matrix_market_vector(scratch / "empty.mtx").empty());
  EXPECT_TRUE(
      bytes_of(scratch / "x.mtx")
          .starts_with(
              "%%MatrixMarket matrix array real general\n% one\n% two\n11 1\n0\n-0\n0.1\n"));
}

TEST(matrix_market_write, text_is_as_expected) {
  const scratch_folder scratch;
  write_matrix_market(scratch / "a.mtx", test::tridiagonal(2, 2.5, -1).view(),
                      {mm_symmetry::symmetric, "made by\n\na test\n"});
  EXPECT_EQ(bytes_of(scratch / "a.mtx"),
            "%%MatrixMarket matrix coordinate real symmetric\n% made by\n% \n% a test\n2 2 3\n"
            "1 1 2.5\n2 1 -1\n2 2 2.5\n");
}

TEST(matrix_market_write, compressed_bytes_do_not_depend_on_the_day) {
  const scratch_folder scratch;
  write_matrix_market_vector(scratch / "a.gz", hard);
  const std::string bytes = bytes_of(scratch / "a.gz");
  EXPECT_EQ(bytes.substr(4, 4), std::string(4, '\0'));  // the time in the header
}

TEST(matrix_market_write, what_cannot_be_read_back_is_refused_and_nothing_is_left) {
  const scratch_folder scratch;
  auto a = test::tridiagonal(3, 2, -1);
  a.val[1] = std::nextafter(-1.0, 0.0);
  EXPECT_EQ(
      message_of([&] {
        write_matrix_market(scratch / "a.mtx", a.view(), {mm_symmetry::symmetric, ""});
      }),
      "matrix: expected a symmetric matrix, found -0.9999999999999999 at row 1, column 2 and -1 at "
      "row 2, column 1 (counted from 1)");
  const csr<double> upper{2, 2, {0, 1, 1}, {1}, {3}};
  EXPECT_EQ(message_of([&] {
              write_matrix_market(scratch / "a.mtx", upper.view(), {mm_symmetry::symmetric, ""});
            }),
            "matrix: expected a symmetric matrix, found 3 at row 1, column 2 and nothing at row 2, "
            "column 1 (counted from 1)");
  const csr<double> wide{1, 2, {0, 1}, {1}, {3}};
  EXPECT_EQ(message_of([&] {
              write_matrix_market(scratch / "a.mtx", wide.view(), {mm_symmetry::symmetric, ""});
            }),
            "matrix: expected a symmetric matrix, found 1 rows and 2 columns");
  EXPECT_THROW(
      write_matrix_market(scratch / "a.mtx", upper.view(), {mm_symmetry::skew_symmetric, ""}),
      unsupported_error);
  a.val[1] = INFINITY;
  EXPECT_THROW(write_matrix_market(scratch / "a.mtx", a.view()), input_error);
  EXPECT_EQ(message_of([&] {
              write_matrix_market_vector(scratch / "x.mtx", std::vector<double>{1, NAN});
            }),
            "vector: expected finite values, found nan in row 2 (counted from 1)");
  EXPECT_EQ(scratch.files(), 0u);
}

TEST(atomic_file, appears_whole_at_commit) {
  const scratch_folder scratch;
  test::put_bytes(scratch / "a", "old");
  {
    atomic_file file(scratch / "a");
    file.write("ne");
    file.write("w");
    EXPECT_EQ(bytes_of(scratch / "a"), "old");
    EXPECT_EQ(scratch.files(), 2u);
    file.commit();
    EXPECT_EQ(bytes_of(scratch / "a"), "new");
  }
  EXPECT_EQ(bytes_of(scratch / "a"), "new");
  EXPECT_EQ(scratch.files(), 1u);
}

TEST(atomic_file, leaves_nothing_without_commit) {
  const scratch_folder scratch;
  {
    atomic_file file(scratch / "a");
    file.write("half");
  }
  EXPECT_EQ(scratch.files(), 0u);
}

TEST(atomic_file, has_the_usual_permissions) {
  const scratch_folder scratch;
  const mode_t before = ::umask(027);
  {
    atomic_file file(scratch / "a");
    file.commit();
  }
  ::umask(before);
  struct stat facts {};
  ASSERT_EQ(::stat((scratch / "a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0640u);
}

TEST(atomic_file, a_name_of_the_longest_length) {
  const scratch_folder scratch;
  const std::string name(255, 'n');
  atomic_file file(scratch / name);
  file.write("x");
  file.commit();
  EXPECT_EQ(bytes_of(scratch / name), "x");
}

TEST(atomic_file, a_link_stays_a_link) {
  const scratch_folder scratch;
  test::put_bytes(scratch / "file", "old");
  fs::create_symlink("file", scratch / "link");
  atomic_file file(scratch / "link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(scratch / "link"));
  EXPECT_EQ(bytes_of(scratch / "file"), "new");
  EXPECT_EQ(scratch.files(), 2u);
}

TEST(atomic_file, a_relative_name) {
  const scratch_folder scratch;
  const fs::path before = fs::current_path();
  fs::current_path(scratch.path());
  {
    atomic_file file("a");
    file.write("x");
    file.commit();
  }
  fs::current_path(before);
  EXPECT_EQ(bytes_of(scratch / "a"), "x");
  EXPECT_EQ(scratch.files(), 1u);
}

TEST(atomic_file, devices_are_written_directly) {
  atomic_file null("/dev/null");
  null.write("gone");
  null.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(atomic_file, standard_output_that_is_a_file_is_written_directly) {
  const scratch_folder scratch;
  const pid_t child = ::fork();
  if (child == 0) {
    if (!std::freopen((scratch / "out").c_str(), "w", stdout)) ::_exit(1);
    try {
      atomic_file file("/dev/stdout");
      file.write("through");
      file.commit();
    } catch (...) {
      ::_exit(2);
    }
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(bytes_of(scratch / "out"), "through");
  EXPECT_EQ(scratch.files(), 1u);
}

TEST(atomic_file, failures_are_told) {
  const scratch_folder scratch;
  const auto refusal = [](const fs::path& p) { return message_of([&] { atomic_file file(p); }); };
  EXPECT_EQ(refusal(scratch / "no/folder/a"),
            (scratch / "no/folder/a").string() +
                ": expected a writable file, found: No such file or directory");
  EXPECT_EQ(refusal(scratch.path()),
            scratch.path().string() + ": expected a writable file, found: Is a directory");
  test::put_bytes(scratch / "file", "");
  EXPECT_EQ(refusal(scratch / "file/a"),
            (scratch / "file/a").string() + ": expected a writable file, found: Not a directory");
  atomic_file full("/dev/full");
  EXPECT_EQ(message_of([&] { full.write("x"); }),
            "/dev/full: expected a writable file, found: No space left on device");
}

TEST(atomic_file, a_folder_without_permission) {
  const scratch_folder scratch;
  fs::permissions(scratch.path(),
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
  const bool root = ::geteuid() == 0;  // root may write anywhere: step down to nobody meanwhile
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const std::string message = message_of([&] { atomic_file file(scratch / "a"); });
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  fs::permissions(scratch.path(), fs::perms::owner_all);
  EXPECT_EQ(message,
            (scratch / "a").string() + ": expected a writable file, found: Permission denied");
}

TEST(atomic_file, a_failed_compressed_write_is_told) {
  const scratch_folder scratch;
  fs::create_symlink("/dev/full", scratch / "full.gz");
  const std::vector<double> v(100000, 0.1);
  const auto message = message_of([&] { write_matrix_market_vector(scratch / "full.gz", v); });
  EXPECT_NE(message.find("No space left on device"), std::string::npos) << message;
}

}  // namespace
}  // namespace dwell
