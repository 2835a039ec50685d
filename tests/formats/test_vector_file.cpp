// SPDX-License-Identifier: MIT
// Vectors in files: the ending of the name is the format; .npy of one dimension, or of one column.
#include "dwell/formats/vector_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <thread>

#include "scratch.hpp"

namespace dwell::test {
namespace {

/// A .npy file of this type and shape.
std::string npy_text(const std::string& descr, const std::string& shape, const std::string& values,
                     const char* order = "False") {
  const auto header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", descr, order, shape);
  std::string s = "\x93NUMPY";
  s += {'\1', '\0', static_cast<char>(header.size()), '\0'};
  return s + header + values;
}

template <class T>
std::string bytes(const std::vector<T>& v) {
  return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T)};
}

const std::vector<double> three = {1, -0.1, 5e-324};

TEST(vector_files, what_is_written_is_read_under_each_ending) {
  const scratch_folder in;
  for (const char* name : {"x.mtx", "x.mtx.gz", "x.npy"}) {
    write_vector(in / name, three, "a comment");
    EXPECT_EQ(read_vector(in / name), three) << name;
    write_vector(in / name, {});
    EXPECT_EQ(read_vector(in / name), std::vector<double>()) << name;
  }
  write_vector(in / "x.npy", three);
  std::string start = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
  start.append(117 - start.size(), ' ');
  EXPECT_EQ(bytes_of(in / "x.npy"),
            "\x93NUMPY" + std::string("\1\0v\0", 4) + start + "\n" + bytes(three));
  write_vector(in / "x.mtx", three);
  EXPECT_TRUE(bytes_of(in / "x.mtx").starts_with("%%MatrixMarket"));
  EXPECT_TRUE(bytes_of(in / "x.mtx.gz").starts_with("\x1f\x8b"));
}

TEST(vector_files, of_numpy_are_of_either_precision_and_may_be_a_column) {
  const scratch_folder in;
  const auto read = [&](const std::string& text) {
    put_bytes(in / "x.npy", text);
    return read_vector(in / "x.npy");
  };
  const std::vector<float> singles = {1.5f, -2.0f, 0.25f};
  const std::vector<double> same = {1.5, -2, 0.25};
  EXPECT_EQ(read(npy_text("<f4", "(3,)", bytes(singles))), same);
  EXPECT_EQ(read(npy_text("<f8", "(3, 1)", bytes(same))), same);
  EXPECT_EQ(read(npy_text("<f8", "(3,)", bytes(same), "True")), same) << "of one axis: no order";
  EXPECT_EQ(read(npy_text("<f8", "(3, 1)", bytes(same), "True")), same);
  const auto swapped = [](const auto& v) {
    std::string s = bytes(v);
    const std::size_t each = sizeof(v.front());
    for (std::size_t k = 0; k < s.size(); k += each)
      std::reverse(s.begin() + static_cast<std::ptrdiff_t>(k),
                   s.begin() + static_cast<std::ptrdiff_t>(k + each));
    return s;
  };
  EXPECT_EQ(read(npy_text(">f8", "(3,)", swapped(same))), same);
  EXPECT_EQ(read(npy_text(">f4", "(3, 1)", swapped(singles))), same);
}

TEST(vector_files, that_are_none_are_refused) {
  const scratch_folder in;
  const auto file = in / "x.npy";
  const auto values = bytes(three);
  const std::pair<std::string, std::string> cases[] = {
      {npy_text("<f8", "(1, 3)", values), "a vector, of shape (n,) or (n, 1), found shape (1, 3)"},
      {npy_text("<f8", "()", values), "a vector, of shape (n,) or (n, 1), found shape ()"},
      {npy_text("<f8", "(3, 1, 1)", values),
       "a vector, of shape (n,) or (n, 1), found shape (3, 1, 1)"},
      {npy_text("<f8", "(2147483648,)", values),
       "a vector, of shape (n,) or (n, 1), found shape (2147483648)"},
      {npy_text("<f8", "(4,)", values), "32 bytes of values for shape (4), found 24"},
      {npy_text("<f8", "(2,)", values), "16 bytes of values for shape (2), found 24"},
      {npy_text("<f8", "(2147483647,)", values),
       "17179869176 bytes of values for shape (2147483647), found 24"},
      {npy_text(">i8", "(3,)", values), "values of type '<f8' or '<f4', found '>i8'"},
      {npy_text("<f8", "(2,)", bytes<double>({1, NAN})), "finite values, found nan at [1]"},
      {npy_text("<f8", "(2,)", bytes<double>({-INFINITY, 1})), "finite values, found -inf at [0]"},
      {"%%MatrixMarket matrix array real general\n1 1\n1\n",
       "a .npy file, its first bytes are others"},
  };
  for (const auto& [text, found] : cases) {
    put_bytes(file, text);
    EXPECT_EQ(message_of([&] { read_vector(file); }), file.string() + ": expected " + found);
  }
  for (const char* name : {"x", "x.txt", "x.gz", "x.npy.gz", "x.npz", "x.MTX"}) {
    put_bytes(in / name, "");
    const auto expected = (in / name).string() +
                          ": expected a name that ends in .mtx, .mtx.gz or .npy, found another";
    EXPECT_EQ(message_of([&] { write_vector(in / name, three); }), expected);
    EXPECT_EQ(message_of([&] { read_vector(in / name); }), expected);
    EXPECT_EQ(bytes_of(in / name), "");
  }
}

TEST(vector_files, from_a_pipe_are_known_by_their_first_bytes) {
  const scratch_folder in;
  write_vector(in / "x.mtx", three), write_vector(in / "x.mtx.gz", three);
  const std::vector<double> many(100000, 0.5);
  ASSERT_EQ(::mkfifo((in / "pipe").c_str(), 0600), 0);
  const auto piped = [&](const std::string& text) {
    std::thread writer([&] { std::ofstream(in / "pipe", std::ios::binary) << text; });
    const auto v = read_vector(in / "pipe");
    writer.join();
    return v;
  };
  for (const char* name : {"x.mtx", "x.mtx.gz"})
    EXPECT_EQ(piped(bytes_of(in / name)), three) << name;
  EXPECT_EQ(piped(npy_text("<f8", "(100000,)", bytes(many))), many);
}

}  // namespace
}  // namespace dwell::test
