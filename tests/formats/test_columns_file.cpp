// SPDX-License-Identifier: MIT
// A few columns in files: what is written is read, in each format; and what is refused.
#include "dwell/formats/columns_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/formats/npy.hpp"
#include "dwell/formats/vector_file.hpp"
#include "refusal.hpp"
#include "scratch.hpp"

namespace dwell::test {
namespace {

const dense_columns six{3, 2, {1, -0.1, 5e-324, 4, 0, 1e300}};

void expect_same(const dense_columns& a, const dense_columns& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.cols, b.cols);
  EXPECT_EQ(a.values, b.values);
}

TEST(columns_files, what_is_written_is_read_under_each_ending) {
  const scratch_folder in;
  for (const char* name : {"x.mtx", "x.mtx.gz", "x.npy"}) {
    SCOPED_TRACE(name);
    write_columns(in / name, six, "a comment");
    expect_same(read_columns(in / name, 2), six);
    write_vector(in / name, six.values);
    expect_same(read_columns(in / name, 1), {6, 1, six.values});
  }
}

TEST(columns_files, entries_that_are_not_there_are_zeros_and_f32_is_widened) {
  const scratch_folder in;
  put_bytes(in / "x.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 2\n1 2 5\n3 1 -1\n");
  expect_same(read_columns(in / "x.mtx", 6), {3, 2, {0, 0, -1, 5, 0, 0}});
  grid<float> g(extents(2, 3));
  for (std::size_t k = 0; k < 6; ++k) g.cells()[k] = 0.1f * static_cast<float>(k);
  write_npy<float>(in / "x.npy", std::as_const(g).view());
  expect_same(read_columns(in / "x.npy", 3), {2, 3, {0, 0.3f, 0.1f, 0.4f, 0.2f, 0.5f}});
}

TEST(columns_files, of_numpy_are_in_either_order) {
  const scratch_folder in;
  std::string header = "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }\n";
  std::string text = "\x93NUMPY";
  text += {'\1', '\0', static_cast<char>(header.size()), '\0'};
  put_bytes(in / "x.npy",
            text + header +
                std::string(reinterpret_cast<const char*>(six.values.data()), 6 * sizeof(double)));
  expect_same(read_columns(in / "x.npy", 2), six);
}

TEST(columns_files, refusals_name_the_file) {
  const scratch_folder in;
  const auto said = [&](const char* name, index most) {
    const std::string message = refusal<input_error>([&] { read_columns(in / name, most); });
    const std::string file = (in / name).string();
    return message.starts_with(file) ? message.substr(file.size()) : "no file: " + message;
  };
  write_columns(in / "x.mtx", six);
  write_columns(in / "x.npy", six);
  for (const char* name : {"x.mtx", "x.npy"})
    EXPECT_EQ(said(name, 1), std::string(name == std::string("x.mtx") ? ":2" : "") +
                                 ": expected 1 to 1 columns of at least one value, found 3 x 2");
  EXPECT_NE(said("absent.mtx", 6).find("No such file"), std::string::npos);
  put_bytes(in / "x.txt", "1 2\n");
  EXPECT_EQ(said("x.txt", 6), fmt::format(": expected {}, found another", vector_names));
  const grid<double> solid(extents(2, 2, 2));
  write_npy<double>(in / "solid.npy", std::as_const(solid).view());
  EXPECT_EQ(said("solid.npy", 6),
            ": expected an array of shape (n, k) or (n,), found shape (2, 2, 2)");
  dense_columns wrong = six;
  wrong.values[4] = std::numeric_limits<double>::infinity();
  write_columns(in / "inf.npy", wrong);
  EXPECT_EQ(said("inf.npy", 6),
            ": expected finite values, found inf in row 2, column 2 (counted from 1)");
  EXPECT_EQ(refusal<input_error>([&] { write_columns(in / "inf.mtx", wrong); }),
            "array: expected finite values, found inf in row 2, column 2 (counted from 1)");
}

}  // namespace
}  // namespace dwell::test
