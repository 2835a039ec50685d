// SPDX-License-Identifier: MIT
// .vti files: what is written is read again; so is each form that VTK writes of a field without
// compression, made here byte by byte; all else is refused with the file, the line where there is
// one, and the reason, whatever bytes come.
#include "dwell/formats/vti.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "scratch.hpp"

#include "dwell/base/error.hpp"

namespace dwell::test {
namespace {

enum class form { ascii, inline_joined, inline_split, appended_base64, appended_raw };

/// How a file is written.
struct way {
  form as = form::ascii;
  bool cells = false, big_endian = false, wide_header = false;
  std::string name = "u", type{}, root_more{}, array_more{}, extent{}, piece{}, before{};
};

std::string base64(const std::string& bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    unsigned bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (k + i < bytes.size() ? static_cast<unsigned char>(bytes[k + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      text += k + i > bytes.size() ? '=' : digits[bits >> (18 - 6 * i) & 63];
  }
  return text;
}

template <class V>
std::string raw(V value, bool big_endian) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  if (big_endian) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

/// A file with the array first among the appended ones, or `offset` bytes into them.
template <class T>
std::string vti_text(const grid<T>& u, const way& w, std::size_t offset = 0) {
  const extents& n = u.size();
  std::string values, words;
  for (const T v : u.cells()) {
    values += raw(v, w.big_endian);
    words += fmt::format("{} ", v);
  }
  const auto size = values.size();
  const std::string header = w.wide_header ? raw(std::uint64_t(size), w.big_endian)
                                           : raw(std::uint32_t(size), w.big_endian);
  const auto last = [&](int cells) { return cells == 1 ? 0 : w.cells ? cells : cells - 1; };
  // What begins at another index than 0 is the same field.
  const std::string extent =
      w.extent.empty() ? fmt::format("3 {} 0 {} -2 {}", 3 + last(n.x), last(n.y), last(n.z) - 2)
                       : w.extent;
  const bool appended = w.as == form::appended_base64 || w.as == form::appended_raw;
  std::string inside;
  if (w.as == form::ascii) inside = "\n  " + words;
  if (w.as == form::inline_joined) inside = "\n   " + base64(header + values) + "\n";
  if (w.as == form::inline_split) inside = "\n   " + base64(header) + base64(values) + "\n";
  const std::string kind = w.cells ? "CellData" : "PointData";
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n<!-- <Piece> -->\n<VTKFile type=\"ImageData\" version=\"1.0\" "
      "byte_order=\"{}\" header_type='{}'{}>\n<ImageData WholeExtent=\"{}\" Origin=\"0 0 0\" "
      "Spacing=\"1 1 1\">\n<FieldData>\n<DataArray type=\"Int8\" Name=\"TimeValue\" "
      "format=\"ascii\">1\n</DataArray>\n</FieldData>\n<Piece Extent=\"{}\">\n{}<{} "
      "Scalars=\"{}\">\n<DataArray type=\"{}\" Name=\"{}\" format=\"{}\" {} {}>\n<InformationKey "
      "name=\"L2\">\n<Value index=\"0\">\n3\n</Value>\n</InformationKey>{}</DataArray>\n</{}>\n"
      "</Piece>\n</ImageData>\n",
      w.big_endian ? "BigEndian" : "LittleEndian", w.wide_header ? "UInt64" : "UInt32", w.root_more,
      extent, w.piece.empty() ? extent : w.piece, w.before, kind, w.name,
      !w.type.empty()  ? w.type
      : sizeof(T) == 8 ? "Float64"
                       : "Float32",
      w.name,
      w.as == form::ascii ? "ascii"
      : appended          ? "appended"
                          : "binary",
      appended ? fmt::format("offset=\"{}\"", offset) : "", w.array_more, inside, kind);
  if (appended) {
    const bool is_raw = w.as == form::appended_raw;
    text += fmt::format("<AppendedData encoding=\"{}\">\n _{}", is_raw ? "raw" : "base64",
                        std::string(offset, is_raw ? '<' : 'A'));
    text += (is_raw ? header + values : base64(header) + base64(values)) + "\n</AppendedData>\n";
  }
  return text + "</VTKFile>\n";
}

extents random_size(std::mt19937_64& random, int dims) {
  const auto some = [&] { return static_cast<int>(random() % 9) + 1; };
  return dims == 1   ? extents(some())
         : dims == 2 ? extents(some(), some())
                     : extents(some(), some(), some());
}
template <class T>
grid<T> random_field(std::mt19937_64& random, const extents& n) {
  grid<T> u(n);
  for (T& v : u.cells())
    v = static_cast<T>(std::ldexp(static_cast<double>(random() >> 12) - 0x1p51, -40));
  return u;
}

class vti : public testing::Test {
 protected:
  scratch_folder folder_;
  std::filesystem::path file_ = folder_ / "u.vti";

  template <class T = double>
  grid<T> read(int dims = 2, const std::string& name = {}) const {
    return vti_reader(file_, dims, name).values<T>();
  }
  template <class T = double>
  std::string refusal(const std::string& bytes, int dims = 2, const std::string& name = {}) {
    put_bytes(file_, bytes);
    const std::string what = message_of([&] { read<T>(dims, name); });
    EXPECT_TRUE(what.starts_with(file_.string() + ":")) << what;
    return what.substr(std::min(what.size(), file_.string().size()));
  }
  void expect_refusal(const std::string& bytes, const std::string& wanted, int dims = 2) {
    const std::string found = refusal(bytes, dims);
    EXPECT_NE(found.find(wanted), std::string::npos) << found << "\nwanted: " << wanted;
  }
};

TEST_F(vti, what_is_written_is_read_again) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 60; ++k) {
    const int dims = 1 + k % 3;
    const auto check = [&]<class T>(T) {
      const auto u = random_field<T>(random, random_size(random, dims));
      write_vti<T>(file_, u.view(), "a<\"b&");
      vti_reader reader(file_, dims);
      EXPECT_EQ(reader.facts().size, u.size());
      EXPECT_EQ(reader.facts().single, sizeof(T) == 4);
      EXPECT_EQ(reader.facts().name, "a<\"b&");
      EXPECT_FALSE(reader.facts().of_cells);
      EXPECT_EQ(reader.template values<T>(), u) << k;
    };
    if (random() % 2)
      check(double());
    else
      check(float());
  }
}

TEST_F(vti, every_form_is_read) {
  std::mt19937_64 random(2);
  for (int k = 0; k < 400; ++k) {
    way w;
    w.as = static_cast<form>(random() % 5);
    w.cells = random() % 2, w.big_endian = random() % 2, w.wide_header = random() % 2;
    const int dims = 1 + static_cast<int>(random() % 3);
    const std::size_t offset = random() % 2 ? 0 : 4 * (random() % 40);
    const auto check = [&]<class T>(T) {
      const auto u = random_field<T>(random, random_size(random, dims));
      put_bytes(file_, vti_text(u, w, offset));
      vti_reader reader(file_, dims);
      EXPECT_EQ(reader.facts().of_cells, w.cells);
      EXPECT_EQ(reader.template values<T>(), u)
          << k << ": form " << static_cast<int>(w.as) << ", " << to_string(u.size());
    };
    if (random() % 2)
      check(double());
    else
      check(float());
  }
}

TEST_F(vti, a_pipe_will_do_and_large_raw_values_too) {
  std::mt19937_64 random(3);
  const auto u = random_field<double>(random, extents(500, 700));  // more than a block
  way w;
  w.as = form::appended_raw;
  put_bytes(file_, vti_text(u, w, 200000));
  EXPECT_EQ(read(), u);
  const auto pipe = folder_ / "pipe.vti";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { put_bytes(pipe, vti_text(u, w, 200000)); });
  const auto found = vti_reader(pipe, 2).values<double>();
  writer.join();
  EXPECT_EQ(found, u);
}

TEST_F(vti, x_is_the_last_axis_and_row_0_comes_first) {
  const std::string text = vti_text(grid<double>(extents(2, 3)), {});
  const auto at = text.find("\n  0 0 0");
  put_bytes(file_,
            text.substr(0, at) + "\n 1 2 3\n4 5 6" + text.substr(text.find("</DataArray>", at)));
  const auto u = read();
  EXPECT_EQ(u(0, 2), 3);
  EXPECT_EQ(u(1, 0), 4);
}

TEST_F(vti, of_several_arrays_the_wanted_one_is_read_then_the_active_one) {
  const auto array = [](const std::string& name, double v) {
    return fmt::format("<DataArray type=\"Float64\" Name=\"{}\" format=\"ascii\">{}</DataArray>",
                       name, v);
  };
  const auto file_of = [&](const std::string& point, const std::string& cell) {
    return "<VTKFile type=\"ImageData\"><ImageData WholeExtent=\"0 0 0 0 0 0\"><Piece Extent=\"0 0 "
           "0 0 "
           "0 0\"><PointData" +
           point + "</PointData><CellData" + cell + "</CellData></Piece></ImageData></VTKFile>";
  };
  put_bytes(file_, file_of(" Scalars=\"b\">" + array("a", 1) + array("b", 2), ">" + array("c", 3)));
  EXPECT_EQ(read(2, "a")(0, 0), 1);
  EXPECT_EQ(read(2, "c")(0, 0), 3);
  EXPECT_EQ(read(2, "other")(0, 0), 2);
  EXPECT_EQ(read(2)(0, 0), 2);
  put_bytes(file_, file_of(">", ">" + array("c", 3)));
  EXPECT_EQ(read(1, "a")(0, 0), 3);
  expect_refusal(file_of(">" + array("a", 1) + array("b", 2), ">"),
                 ": expected an array, or one alone, of points or cells, found a, b");
  EXPECT_EQ(refusal(file_of(">", ">"), 2, "a"),
            ": expected an array 'a', or one alone, of points or cells, found none");
}

TEST_F(vti, what_cannot_be_read_is_named) {
  grid<double> u(extents(2, 3));
  for (std::size_t k = 0; k < 6; ++k) u.cells()[k] = static_cast<double>(k) / 4;
  const auto with = [&](auto change, form as = form::ascii) {
    way w;
    w.as = as;
    change(w);
    return vti_text(u, w);
  };
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const std::string ascii = vti_text(u, {}), joined = with([](way&) {}, form::inline_joined),
                    base = with([](way&) {}, form::appended_base64),
                    raw_file = with([](way&) {}, form::appended_raw);
  // Kinds of files.
  expect_refusal("\x93NUMPY", "expected VTK image data in XML, its first bytes are others");
  expect_refusal("", ":1: expected <VTKFile>, found the end of the file");
  expect_refusal(replaced(ascii, "\"ImageData\"", "\"PolyData\""),
                 ":3: expected <VTKFile type=\"ImageData\">, found <VTKFile type=\"PolyData\">");
  expect_refusal("<svg>", ":1: expected <VTKFile type=\"ImageData\">, found <svg>");
  expect_refusal("<!DOCTYPE x>", ":1: expected the name of an element, found '!DOCTYPE'");
  // XML.
  expect_refusal(replaced(ascii, "</Piece>", "</Peace>"), "expected </Piece>, found </Peace>");
  expect_refusal(replaced(ascii, "</VTKFile>", ""), "the file ends within <VTKFile>");
  expect_refusal(replaced(ascii, "type=\"Image", "type=Image"),
                 ":3: expected a value in quotes, found 'ImageDat'");
  expect_refusal(replaced(ascii, "type=\"Image", "type \"Image"),
                 ":3: expected = and a value, found '\"ImageDa'");
  expect_refusal(replaced(ascii, "version=\"1.0\" b", "type=\"1.0\" b"),
                 ":3: <VTKFile>: 'type' is there twice");
  expect_refusal(ascii.substr(0, ascii.find("Spacing")), ":4: the file ends within <ImageData");
  expect_refusal(replaced(ascii, "-->", "--"), ":2: expected the end of a comment");
  // The field.
  expect_refusal(
      with([](way& w) { w.extent = "0 2 0 1 0"; }),
      ":4: <ImageData>: expected WholeExtent as the first and the last index along x, y and z");
  expect_refusal(with([](way& w) { w.extent = "0 2 0 -1 0 0"; }),
                 ":4: <ImageData>: expected WholeExtent");
  expect_refusal(with([](way& w) { w.piece = "0 2 0 1 0 0"; }),
                 ":9: <Piece>: expected the whole extent, 3 5 0 1 -2 -2, found 0 2 0 1 0 0");
  expect_refusal(with([](way& w) { w.before = "</Piece><Piece Extent=\"3 5 0 1 -2 -2\">"; }),
                 ":10: expected one <Piece>, found another");
  expect_refusal(with([](way& w) { w.extent = "0 2 0 1 0 3"; }),
                 ": expected a field of two axes, found 4x2x3");
  expect_refusal(ascii, ": expected a field of one axis, found 1x2x3", 1);
  expect_refusal(
      with([](way& w) { w.extent = "0 2147483647 0 0 0 0"; }),
      ": expected at most 2147483647 values along an axis and 2^40 in all, found 1x1x2147483648");
  expect_refusal(replaced(ascii, " WholeExtent", " Extent"),
                 ":4: <ImageData>: expected WholeExtent, found none");
  // The array.
  expect_refusal(with([](way& w) { w.type = "Int32"; }),
                 ":11: <DataArray>: expected values of type Float64 or Float32, found 'Int32'");
  expect_refusal(with([](way& w) { w.array_more = "NumberOfComponents=\"3\""; }),
                 ":11: <DataArray>: expected one component, found '3'");
  expect_refusal(replaced(ascii, "format=\"ascii\"  >", "format=\"text\">"),
                 "expected format ascii, binary or appended, found 'text'");
  expect_refusal(with([](way& w) { w.root_more = " compressor=\"vtkZLibDataCompressor\""; },
                      form::inline_joined),
                 ":11: expected values without compression, found those of vtkZLibDataCompressor");
  expect_refusal(with([](way& w) { w.type = "Float32"; }),
                 ":11: expected values of type Float64, found Float32");
  expect_refusal(replaced(ascii, "LittleEndian", "Middle"),
                 ":3: byte_order: expected LittleEndian or BigEndian");
  expect_refusal(replaced(ascii, "UInt32", "UInt16"),
                 ":3: header_type: expected UInt32 or UInt64, found 'UInt16'");
  // Text.
  expect_refusal(replaced(ascii, "0.25 ", ""), "expected 6 values for 2x3 points, found 5");
  expect_refusal(replaced(ascii, "0.25 ", "0.25 7 "),
                 "expected 6 values for 2x3 points, found more: '1.25'");
  expect_refusal(replaced(ascii, "0.25 ", "0.2x "),
                 ":17: expected a number in range of Float64, found '0.2x'");
  expect_refusal(replaced(ascii, "0.25 ", "1e999 "),
                 ":17: expected a number in range of Float64, found '1e999'");
  expect_refusal(replaced(ascii, "0 0.25", "0 <X/>0.25"),
                 "<DataArray>: expected its values in one piece");
  // Base64.
  const std::string start = base64(raw(std::uint32_t(48), false)).substr(0, 4);
  expect_refusal(replaced(joined, start, "!" + start),
                 ":17: expected base64 of 48 bytes of values for 2x3 points, found 0, then '!MAAA");
  expect_refusal(replaced(joined, start, "MQAA"),
                 ":11: expected 48 bytes of values for 2x3 points, found 49");
  const auto values_end = joined.rfind("\n</DataArray>");
  expect_refusal(joined.substr(0, values_end - 8) + joined.substr(values_end),
                 "expected base64 of 48 bytes of values for 2x3 points, found 4");
  expect_refusal(joined.substr(0, values_end) + "AAAA" + joined.substr(values_end), "found more");
  expect_refusal(replaced(base, "offset=\"0\"", "offset=\"-1\""),
                 "expected an offset of appended values, found '-1'");
  expect_refusal(replaced(base, "offset=\"0\"", "offset=\"999\""),
                 ": expected appended values at offset 999, found 1");
  expect_refusal(replaced(base, "_MAAA", "MAAA"), "<AppendedData>: expected _ before the values");
  expect_refusal(replaced(base, "encoding=\"base64\"", "encoding=\"hex\""),
                 "expected encoding raw or base64, found 'hex'");
  expect_refusal(
      replaced(replaced(base, "<AppendedData", "<Appendix"), "</AppendedData", "</Appendix"),
      "<DataArray>: expected <AppendedData>, found none");
  // Raw.
  const auto raw_begin = raw_file.find("_0") + 1;
  expect_refusal(
      raw_file.substr(0, raw_begin + 40),
      ": expected 48 bytes of values for 2x3 points at offset 0 of what is appended, found 40");
  expect_refusal(raw_file.substr(0, raw_begin) + "1" + raw_file.substr(raw_begin + 1),
                 ":11: expected 48 bytes of values for 2x3 points, found 49");
  expect_refusal(replaced(raw_file, "offset=\"0\"", "offset=\"18446744073709551615\""),
                 "at offset 18446744073709551615 of what is appended");
}

TEST_F(vti, any_bytes_are_a_field_or_one_line) {
  std::mt19937_64 random(4);
  const auto u = random_field<double>(random, extents(4, 5));
  std::vector<std::string> files;
  for (int k = 0; k < 5; ++k) {
    way w;
    w.as = static_cast<form>(k);
    files.push_back(vti_text(u, w));
  }
  int read_well = 0;
  const auto try_out = [&](const std::string& bytes) {
    put_bytes(file_, bytes);
    try {
      const auto found = read();
      EXPECT_EQ(found.size().dims, 2);
      ++read_well;
    } catch (const input_error& e) {
      const std::string what = e.what();
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      EXPECT_TRUE(what.starts_with(file_.string() + ":")) << what;
    }
  };
  for (int k = 0; k < 500; ++k) {
    const std::string& whole = files[random() % files.size()];
    try_out(whole.substr(0, random() % whole.size()));
    std::string changed = whole;
    for (auto n = random() % 3 + 1; n > 0; --n) {
      const std::size_t at = random() % changed.size();
      switch (random() % 3) {
        case 0:
          changed[at] = static_cast<char>(random());
          break;
        case 1:
          changed.erase(at, random() % 20 + 1);
          break;
        default:
          changed.insert(at, changed.substr(random() % changed.size(), random() % 20));
          break;
      }
    }
    try_out(changed);
  }
  EXPECT_GT(read_well, 30);  // what lies in blanks, comments and attributes that nobody reads
}

}  // namespace
}  // namespace dwell::test
