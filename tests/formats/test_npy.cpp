// SPDX-License-Identifier: MIT
// .npy files: what NumPy writes is read, what is written NumPy reads (its bytes are spelled out
// here), and everything else is refused with the file and the reason.
#include "dwell/formats/npy.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <thread>
#include <type_traits>
#include <utility>

#include "scratch.hpp"

#include "dwell/base/error.hpp"

namespace dwell::test {
namespace {

class npy : public testing::Test {
 protected:
  scratch_folder folder_;
  std::filesystem::path file_ = folder_ / "u.npy";

  void put(const std::string& bytes) { std::ofstream(file_, std::ios::binary) << bytes; }
  std::string get() {
    std::ostringstream all;
    all << std::ifstream(file_, std::ios::binary).rdbuf();
    return all.str();
  }
  /// A file of this header, in format 1.0.
  static std::string with(const std::string& header, const std::string& values) {
    std::string s = "\x93NUMPY";
    s += {'\1', '\0', static_cast<char>(header.size() % 256),
          static_cast<char>(header.size() / 256)};
    return s + header + values;
  }
  template <class T = double>
  std::string refusal() {
    try {
      read_npy<T>(file_);
    } catch (const input_error& e) {
      const std::string what = e.what(), before = file_.string() + ": ";
      EXPECT_TRUE(what.starts_with(before)) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos);
      return what.substr(std::min(before.size(), what.size()));
    }
    return "accepted";
  }
};

const std::string six_zeros = std::string(48, '\0');

TEST_F(npy, what_is_written_is_read) {
  grid<double> u(extents(3, 4));
  for (std::size_t i = 0; i < 12; ++i)
    u.cells()[i] = std::ldexp(1.0 + 0.1 * static_cast<double>(i), static_cast<int>(i) * 40 - 200);
  u(0, 0) = -0.0;
  u(2, 3) = std::numeric_limits<double>::denorm_min();
  write_npy<double>(file_, std::as_const(u).view());
  const auto back = read_npy<double>(file_);
  EXPECT_EQ(back.size(), extents(3, 4));
  EXPECT_EQ(std::memcmp(back.cells().data(), u.cells().data(), 96), 0);

  grid<float> v(extents(2, 3, 4), 0.1f);
  write_npy<float>(file_, std::as_const(v).view());
  EXPECT_EQ(read_npy<float>(file_), v);
  const auto facts = inspect_npy(file_);
  EXPECT_TRUE(facts.single);
  EXPECT_EQ(facts.size, extents(2, 3, 4));
}

TEST_F(npy, the_bytes_are_those_of_numpy) {
  const grid<float> u(extents(2, 2), 1.0f);
  write_npy<float>(file_, u.view());
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
  header.append(117 - header.size(), ' ');
  const std::string one("\x00\x00\x80\x3f", 4);
  EXPECT_EQ(get(), with(header + "\n", one + one + one + one));
}

/// Values of 16 and of 8 bits: where they are asked for.
TEST_F(npy, narrow_values_come_back_as_they_were) {
  grid<std::uint8_t> u(extents(2, 3), 200);
  u(1, 1) = 255;
  write_npy<std::uint8_t>(file_, std::as_const(u).view());
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }";
  header.append(117 - header.size(), ' ');
  EXPECT_EQ(get(), with(header + "\n", "\xc8\xc8\xc8\xc8\xff\xc8"));
  npy_reader bytes(file_, npy_accepts::all);
  EXPECT_EQ(bytes.facts().cells, npy_cells::u8);
  EXPECT_EQ(bytes.values<std::uint8_t>(), u);
  EXPECT_EQ(refusal(), "expected values of type '<f8' or '<f4', found '|u1'");

  const grid<half> h(extents(3, 2), half(-1.5f));
  write_npy<half>(file_, h.view());
  EXPECT_NE(get().find("'<f2'"), std::string::npos);
  npy_reader halves(file_, npy_accepts::all);
  EXPECT_EQ(halves.facts().cells, npy_cells::f16);
  EXPECT_THROW(halves.values<float>(), input_error);
  EXPECT_EQ(npy_reader(file_, npy_accepts::all).values<half>(), h);
  put(with("{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2), }\n", "12345678"));
  try {
    npy_reader(file_, npy_accepts::all);
    ADD_FAILURE();
  } catch (const input_error& e) {
    EXPECT_TRUE(std::string(e.what()).ends_with(
        "expected values of type '<f8', '<f4', '<f2' or '|u1', found '<i4'"))
        << e.what();
  }
}

TEST_F(npy, other_ways_to_write_a_header_are_read) {
  put(with("{\"shape\":(3,2),'fortran_order':False,'descr':'<f8'}", six_zeros));
  EXPECT_EQ(read_npy<double>(file_).size(), extents(3, 2));
  std::string second =
      with("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3,), }\n", six_zeros);
  second[6] = '\2';
  second.insert(10, 2, '\0');
  put(second);
  EXPECT_EQ(read_npy<double>(file_).size(), extents(1, 2, 3));
}

/// A value of any type from a number.
template <class T>
T value_of(unsigned number) {
  T v;
  for (std::size_t b = 0; b < sizeof v; ++b)
    reinterpret_cast<unsigned char*>(&v)[b] = static_cast<unsigned char>(number * 37 + b * 11);
  return v;
}

/// A file of this array in either order of bytes and of indices.
template <class T>
std::string in_orders(const grid<T>& u, std::string descr, bool big_endian, bool fortran) {
  if (big_endian && sizeof(T) > 1) descr[0] = '>';
  const extents& n = u.size();
  std::string values;
  const auto put = [&](int z, int y, int x) {
    const T v = u.view()(z, y, x);
    std::string bytes(reinterpret_cast<const char*>(&v), sizeof v);
    if (big_endian) std::reverse(bytes.begin(), bytes.end());
    values += bytes;
  };
  if (fortran)
    for (int x = 0; x < n.x; ++x)
      for (int y = 0; y < n.y; ++y)
        for (int z = 0; z < n.z; ++z) put(z, y, x);
  else
    for (int z = 0; z < n.z; ++z)
      for (int y = 0; y < n.y; ++y)
        for (int x = 0; x < n.x; ++x) put(z, y, x);
  const std::string planes = n.dims == 3 ? fmt::format("{}, ", n.z) : "";
  const std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}, {}), }}\n", descr,
                  fortran ? "True" : "False", planes, n.y, n.x);
  std::string s = "\x93NUMPY";
  s += {'\1', '\0', static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  return s + header + values;
}

template <class T>
class npy_orders : public npy {};
using cell_types = testing::Types<double, float, half, std::uint8_t>;
TYPED_TEST_SUITE(npy_orders, cell_types);

TYPED_TEST(npy_orders, arrays_come_back_in_every_order_of_bytes_and_of_indices) {
  const char* const descr = std::is_same_v<TypeParam, double>  ? "<f8"
                            : std::is_same_v<TypeParam, float> ? "<f4"
                            : std::is_same_v<TypeParam, half>  ? "<f2"
                                                               : "|u1";
  for (const extents& n : {extents(1, 1), extents(3, 4), extents(7, 1), extents(1, 7),
                           extents(2, 3, 5), extents(1, 4, 3), extents(4, 1, 2)}) {
    grid<TypeParam> u(n);
    unsigned number = 0;
    for (TypeParam& v : u.cells()) v = value_of<TypeParam>(number++);
    for (const bool big_endian : {false, true})
      for (const bool fortran : {false, true}) {
        this->put(in_orders(u, descr, big_endian, fortran));
        const auto back = npy_reader(this->file_, npy_accepts::all).template values<TypeParam>();
        EXPECT_EQ(std::memcmp(back.cells().data(), u.cells().data(), u.cells().size_bytes()), 0)
            << to_string(n) << (big_endian ? " big endian" : "") << (fortran ? " Fortran" : "");
      }
  }
}

TEST_F(npy, a_pipe_is_read_once_and_as_strictly) {
  const auto header = "{'descr': '<f8', 'fortran_order': False, 'shape': (300, 401), }";
  const std::string values(300 * 401 * 8, '\7');
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  const auto through_pipe = [&](const std::string& bytes) {
    std::thread writer([&] { std::ofstream(file_, std::ios::binary) << bytes; });
    std::string found;
    try {
      npy_reader from(file_);
      EXPECT_EQ(from.facts().size, extents(300, 401));
      const auto u = from.values<double>();
      found.assign(reinterpret_cast<const char*>(u.cells().data()), u.cells().size_bytes());
    } catch (const input_error& e) {
      found = e.what();
    }
    writer.join();
    return found;
  };
  EXPECT_EQ(through_pipe(with(header, values)), values);
  const auto refusal =
      file_.string() + ": expected 962400 bytes of values for shape 300x401, found ";
  EXPECT_EQ(through_pipe(with(header, values.substr(1))), refusal + "962399");
  EXPECT_EQ(through_pipe(with(header, "")), refusal + "0");
  EXPECT_EQ(through_pipe(with(header, values + "x")), refusal + "more");
}

TEST_F(npy, what_cannot_be_used_is_refused) {
  const auto header = [](const char* descr, const char* order, const char* shape) {
    return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", descr, order,
                       shape);
  };
  std::string many;  // dimensions
  for (int k = 0; k < 1000; ++k) many += "1, ";
  const std::pair<std::string, std::string> cases[] = {
      {"", "expected a .npy file, found an empty one"},
      {"%%MatrixMarket matrix", "expected a .npy file, its first bytes are others"},
      {std::string("\x93NUMPY\4\0ab", 10), "expected .npy format 1.0, 2.0 or 3.0, found 4.0"},
      {std::string("\x93NUMPY\1\0\xff\xff{", 11), "the file ends within its header"},
      {std::string("\x93NUMPY\2\0\xff\xff\xff\x7f", 12),
       "expected a header of at most 65536 bytes, found 2147483647"},
      {with(header(">u8", "False", "(3, 2)"), six_zeros),
       "expected values of type '<f8' or '<f4', found '>u8'"},
      {with(header("=f8", "False", "(3, 2)"), six_zeros),
       "expected values of type '<f8' or '<f4', found '=f8'"},
      {with(header("", "False", "(3, 2)"), six_zeros),
       "expected values of type '<f8' or '<f4', found ''"},
      {with(header("<i8", "False", "(3, 2)"), six_zeros),
       "expected values of type '<f8' or '<f4', found '<i8'"},
      {with(header("<f4", "False", "(3, 4)"), six_zeros),
       "expected values of type '<f8 (f64)', found '<f4 (f32)'"},
      {with(header("<f8", "false", "(3, 2)"), six_zeros),
       "header: expected 'False', found 'false, 'shape': (3, 2), }?'"},
      {with(header("<f8", "False", "(6,)"), six_zeros),
       "expected an array of 2 or 3 dimensions, found shape (6)"},
      {with(header("<f8", "False", "()"), six_zeros),
       "expected an array of 2 or 3 dimensions, found shape ()"},
      {with(header("<f8", "False", "(1, 1, 2, 3)"), six_zeros),
       "expected an array of 2 or 3 dimensions, found shape (1, 1, 2, 3)"},
      {with(header("<f8", "False", ("(" + many + ")").c_str()), six_zeros),
       "expected an array of 2 or 3 dimensions, found shape (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
       "1, "
       "1...)"},
      {with(header("<f8", "False", "(0, 2)"), ""),
       "expected 1 to 2147483647 cells along each axis, found shape (0, 2)"},
      {with(header("<f8", "False", "(-3, 2)"), six_zeros),
       "header: expected a whole number in the shape, found '-3, 2), }?'"},
      {with(header("<f8", "False", "(3.0, 2)"), six_zeros),
       "header: expected ')', found '.0, 2), }?'"},
      {with(header("<f8", "False", "(99999999999999999999, 2)"), six_zeros),
       "header: expected a whole number in the shape, found '99999999999999999999, 2), }?'"},
      {with(header("<f8", "False", "(2000000, 2000000)"), six_zeros),
       "size: 2000000x2000000 is more than 2^40 cells"},
      {with(header("<f8", "False", "(3, 2)"), six_zeros.substr(1)),
       "expected 48 bytes of values for shape 3x2, found 47"},
      {with(header("<f8", "False", "(3, 2)"), six_zeros + "x"),
       "expected 48 bytes of values for shape 3x2, found 49"},
      {with(header("<f8", "False", "(1000000, 1000000)"), six_zeros),
       "expected 8000000000000 bytes of values for shape 1000000x1000000, found 48"},
      {with("{'descr': '<f8', 'descr': '<f8'}", six_zeros), "header: 'descr' is there twice"},
      {with("{'descr': '<f8', 'shape': (3, 2)}", six_zeros),
       "header: expected 'descr', 'fortran_order' and 'shape', not all are there"},
      {with("{'colour': 'red'}", six_zeros),
       "header: expected 'descr', 'fortran_order' or 'shape', found 'colour'"},
      {with("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (3, 2)}", six_zeros),
       "header: expected a word in quotes, found '[('x', '<f8')], 'fortran_order': False, ...'"},
      {with("", six_zeros), "header: expected '{', found ''"},
      {with("{'descr", six_zeros), "header: expected a word in quotes, found ''descr'"},
      {with(header("<f8", "False", "(3, 2)") + "x", six_zeros),
       "header: expected its end, found 'x'"},
  };
  for (const auto& [bytes, expected] : cases) {
    put(bytes);
    EXPECT_EQ(refusal(), expected);
  }
  put(with(header("<f8", "False", "(1000000, 1000000)"), ""));
  EXPECT_EQ(message_of([&] { inspect_npy(file_); }),
            file_.string() +
                ": expected 8000000000000 bytes of values for shape 1000000x1000000, found 0")
      << "known before anybody asks for memory";
  std::filesystem::remove(file_);
  EXPECT_EQ(refusal(), "expected a readable .npy file, found: No such file or directory");
  std::filesystem::create_directory(file_);
  EXPECT_EQ(refusal(), "expected a readable .npy file, found: a directory");
}

TEST_F(npy, one_axis_is_there_where_it_is_asked_for) {
  grid<float> u{extents(3)};
  u.cells()[1] = 2;
  write_npy<float>(file_, std::as_const(u).view());
  EXPECT_NE(get().find("'shape': (3,), }"), std::string::npos);
  npy_reader reader(file_, npy_accepts::floats, 1);
  EXPECT_EQ(reader.facts().size, extents(3));
  EXPECT_EQ(to_string(reader.facts().size), "3");
  EXPECT_EQ(reader.values<float>(), u);
  EXPECT_EQ(refusal<float>(), "expected an array of 2 or 3 dimensions, found shape (3)");
  put(with("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", std::string(8, '\0')));
  EXPECT_NE(message_of([&] {
              npy_reader(file_, npy_accepts::floats, 1);
            }).find("expected an array of 1 to 3 dimensions, found shape ()"),
            std::string::npos);
  put(with("{'descr': '<f8', 'fortran_order': True, 'shape': (2,), }",
           std::string("\0\0\0\0\0\0\xf0\x3f", 8) + std::string(8, '\0')));
  const auto line = npy_reader(file_, npy_accepts::floats, 1).values<double>();
  EXPECT_EQ(line.cells()[0], 1);
  extents wrong(4);
  wrong.y = 2;
  EXPECT_NE(message_of([&] { grid<double>{wrong}; }).find("expected at least one cell"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { check_extents(extents(4)); }), "size: expected 2 or 3 axes, found 1");
}

}  // namespace
}  // namespace dwell::test
