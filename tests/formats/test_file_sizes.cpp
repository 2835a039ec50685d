// SPDX-License-Identifier: MIT
// Sizes by the head of a file: those of what its reader reads, in every format; and what does not
// fit is refused by it, however long the file is and whatever follows.
#include "dwell/formats/file_sizes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "dwell/base/error.hpp"
#include "dwell/formats/binary_matrix.hpp"
#include "dwell/formats/columns_file.hpp"
#include "dwell/formats/matrix_file.hpp"
#include "dwell/formats/npy.hpp"
#include "dwell/formats/vector_file.hpp"
#include "refusal.hpp"
#include "scratch.hpp"

namespace dwell::test {
namespace {

namespace fs = std::filesystem;

template <class T>
csr<T> few_entries(std::mt19937& engine, index rows, index cols) {
  csr<T> a;
  a.rows = rows, a.cols = cols;
  a.row_ptr.assign(static_cast<std::size_t>(rows) + 1, 0);
  for (index i = 0; i < rows; ++i) {
    if (engine() % 3 != 0) {
      a.col.push_back(static_cast<index>(engine() % static_cast<unsigned>(cols)));
      a.val.push_back(T(1 + static_cast<double>(engine() % 9)));
    }
    a.row_ptr[static_cast<std::size_t>(i) + 1] = static_cast<index>(a.col.size());
  }
  return a;
}

TEST(file_sizes, are_those_of_what_is_read) {
  const scratch_folder in;
  std::mt19937 engine(61);
  for (int round = 0; round < 40; ++round) {
    const auto rows = static_cast<index>(1 + engine() % 60);
    const auto cols = engine() % 2 ? rows : static_cast<index>(1 + engine() % 60);
    const csr<double> a = few_entries<double>(engine, rows, cols);
    for (const char* name : {"a.mtx", "a.mtx.gz", "a.dwell"}) {
      const fs::path file = in / name;
      if (file.extension() == ".dwell")
        write_binary_matrix(file, a.view());
      else
        write_matrix_market(file, a.view(), {});
      const auto found = sizes_of_file(file);
      ASSERT_TRUE(found) << name;
      EXPECT_EQ(found->rows, rows) << name;
      EXPECT_EQ(found->cols, cols) << name;
      EXPECT_FALSE(found->complex);
      EXPECT_TRUE(found->where.starts_with(file.string())) << found->where;
    }
    const auto numbers = few_entries<std::complex<double>>(engine, rows, cols);
    write_matrix_market(in / "c.mtx", numbers.view(), {});
    const auto of_complex = sizes_of_file(in / "c.mtx");
    ASSERT_TRUE(of_complex);
    EXPECT_EQ(of_complex->rows, rows);
    EXPECT_TRUE(of_complex->complex);
    dense_columns block{
        rows, cols,
        std::vector<double>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols))};
    for (const char* name : {"b.mtx", "b.mtx.gz", "b.npy"}) {
      write_columns(in / name, block);
      const auto found = sizes_of_file(in / name);
      ASSERT_TRUE(found) << name;
      EXPECT_EQ(found->rows, rows) << name;
      EXPECT_EQ(found->cols, cols) << name;
    }
  }
  EXPECT_FALSE(sizes_of_file("-"));
  EXPECT_FALSE(sizes_of_file(in / "absent.mtx"));
}

/// A file of a terabyte, of which the system keeps the head alone.
fs::path long_file(const scratch_folder& in, const char* name, const std::string& head) {
  put_bytes(in / name, head);
  fs::resize_file(in / name, std::uintmax_t{1} << 40);
  return in / name;
}

TEST(file_sizes, refuse_what_does_not_fit_before_it_is_read) {
  const scratch_folder in;
  const std::string array = "%%MatrixMarket matrix array real general\n% a comment\n",
                    coordinate = "%%MatrixMarket matrix coordinate real general\n";
  const auto said = [&](const fs::path& file, auto&& read) {
    const std::string message = refusal<error>([&] { read(file); });
    return message.starts_with(file.string()) ? message.substr(file.string().size()) : message;
  };
  const auto vector = [](const fs::path& file) { read_vector(file); };
  EXPECT_EQ(said(long_file(in, "two.mtx", array + "500 2\nbad\n"), vector),
            ":3: expected a vector (one column or one row), found 500 rows and 2 columns");
  EXPECT_EQ(said(in / "two.mtx", [](const fs::path& file) { read_complex_vector(file); }),
            ":3: expected a vector (one column or one row), found 500 rows and 2 columns");
  EXPECT_EQ(said(in / "two.mtx", [](const fs::path& file) { read_columns(file, 1); }),
            ":3: expected 1 to 1 columns of at least one value, found 500 x 2");
  EXPECT_EQ(sizes_of_file(in / "two.mtx")->where, (in / "two.mtx").string() + ":3");
  const auto complex_one = long_file(
      in, "complex.mtx", "%%MatrixMarket matrix coordinate complex general\n2 2 1\nbad\n");
  EXPECT_NE(said(complex_one, vector).find(":1: expected 'real'"), std::string::npos);
  EXPECT_NE(said(complex_one, [](const fs::path& file) { read_matrix(file); }).find(":1: expected"),
            std::string::npos);
}

TEST(file_sizes, refuse_more_entries_than_a_file_has_room_for) {
  const scratch_folder in;
  std::mt19937 engine(62);
  for (const auto& [kind, shortest] : {std::pair{"coordinate real", 6},
                                       {"coordinate pattern", 4},
                                       {"coordinate complex", 8},
                                       {"array real", 2},
                                       {"array complex", 4}}) {
    const bool is_array = std::string(kind).starts_with("array");
    for (int round = 0; round < 10; ++round) {
      const long long n = 2000 + static_cast<long long>(engine() % 40000);
      const std::string body(engine() % 3000, '%');
      const std::string text = fmt::format("%%MatrixMarket matrix {} general\n{} {}{}\n{}", kind, n,
                                           n, is_array ? "" : fmt::format(" {}", n * n), body);
      put_bytes(in / "a.mtx", text);
      const std::string message = refusal<input_error>([&] { read_any_matrix(in / "a.mtx"); });
      const auto rest = static_cast<long long>(body.size()) + 1;
      if (n * n > (1 << 20) + rest / shortest) {
        EXPECT_TRUE(message.ends_with(fmt::format(
            "a.mtx:2: expected at most {} {} in a file of {} bytes, found {}", rest / shortest,
            rest / shortest == 1 ? "entry" : "entries", text.size(), n * n)))
            << message;
      } else {
        EXPECT_NE(message.find("the end of the file after 0"), std::string::npos) << message;
      }
    }
  }
}

}  // namespace
}  // namespace dwell::test
