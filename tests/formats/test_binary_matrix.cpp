// SPDX-License-Identifier: MIT
// .dwell files: what is written has the bytes that the reference page says and is read again to the
// bit, whole and in parts; every damaged, shortened or malformed file is refused in one line.
#include "dwell/formats/binary_matrix.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "battery.hpp"
#include "plain_binary_matrix.hpp"
#include "scratch.hpp"

#include "dwell/datasets/generators.hpp"
#include "dwell/formats/matrix_file.hpp"

namespace dwell::test {
namespace {

/// rows x cols with so many entries a row, from none to all, values of any exponent.
csr<double> random_matrix(index rows, index cols, std::uint64_t seed) {
  splitmix64 random(seed);
  csr<double> a{rows, cols, {0}, {}, {}};
  for (index i = 0; i < rows; ++i) {
    const index chance = i % 5 == 0 ? 0 : i % 7 == 0 ? 16 : 1 + random.below(4);
    for (index j = 0; j < cols; ++j) {
      if (random.below(16) >= chance) continue;
      a.col.push_back(j);
      a.val.push_back(
          random.below(20) == 0 ? -0.0 : std::ldexp(random.uniform(), random.below(2000) - 1000));
    }
    a.row_ptr.push_back(static_cast<index>(a.col.size()));
  }
  return a;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
void expect_same(const csr<double>& a, const csr<double>& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.cols, b.cols);
  EXPECT_EQ(a.row_ptr, b.row_ptr);
  EXPECT_EQ(a.col, b.col);
  EXPECT_TRUE(same_bits(a.val, b.val));
}

plain_binary_matrix plain(const csr<double>& a) {
  plain_binary_matrix to;
  to.rows = a.rows, to.cols = a.cols, to.nonzeros = a.nonzeros();
  to.row_ptr.assign(a.row_ptr.begin(), a.row_ptr.end());
  to.col.assign(a.col.begin(), a.col.end());
  to.val = a.val;
  return to;
}

/// Rows [first, last) of a matrix in memory.
matrix_rows rows_of(const csr<double>& a, index first, index last) {
  matrix_rows to;
  to.all_rows = a.rows;
  const index from = a.row_ptr[first], end = a.row_ptr[last];
  for (index i = first; i <= last; ++i) to.row_ptr.push_back(a.row_ptr[i] - from);
  to.col.assign(a.col.begin() + from, a.col.begin() + end);
  to.val.assign(a.val.begin() + from, a.val.begin() + end);
  return to;
}
void expect_same(const matrix_rows& a, const matrix_rows& b) {
  EXPECT_EQ(a.all_rows, b.all_rows);
  EXPECT_EQ(a.row_ptr, b.row_ptr);
  EXPECT_EQ(a.col, b.col);
  EXPECT_TRUE(same_bits(a.val, b.val));
}

class binary_matrix : public testing::Test {
 protected:
  scratch_folder folder_;
  std::filesystem::path file_ = folder_ / "A.dwell";

  std::string refusal_of(const std::string& bytes) {
    put_bytes(file_, bytes);
    const std::string message = message_of([&] { binary_matrix_file(file_).matrix(2); });
    EXPECT_TRUE(message.starts_with(file_.string() + ": ")) << message;
    return message;
  }
  void expect_refused(const plain_binary_matrix& m, const std::string& part) {
    const std::string message = refusal_of(m.bytes());
    EXPECT_NE(message.find(part), std::string::npos) << message;
    const std::string in_parts = message_of([&] {
      const binary_matrix_file in(file_);
      in.part(0, in.rows());
    });
    EXPECT_NE(in_parts.find(part), std::string::npos) << in_parts;
  }
};

TEST_F(binary_matrix, keeps_every_bit_of_matrices_of_odd_sizes) {
  const std::pair<index, index> sizes[] = {{0, 0},  {1, 1},     {3, 0},     {0, 5},  {1, 9},
                                           {17, 3}, {101, 101}, {260, 900}, {7, 64}, {900, 301}};
  for (const auto& [rows, cols] : sizes) {
    SCOPED_TRACE(testing::Message() << rows << " x " << cols);
    const csr<double> a = random_matrix(rows, cols, 5);
    write_binary_matrix(file_, a.view());
    EXPECT_EQ(bytes_of(file_), plain(a).bytes());
    const binary_matrix_file in(file_);
    EXPECT_EQ(in.header(), (binary_matrix_header{rows, cols, a.nonzeros(), false, false}));
    for (const int threads : {1, 3}) expect_same(in.matrix(threads), a);
    for (const index first : {0, rows / 3, rows})
      for (const index last : {first, (first + rows) / 2, rows}) {
        expect_same(in.part(first, last, 2), rows_of(a, first, last));
        EXPECT_EQ(in.row_ptr(first), a.row_ptr[first]);
      }
  }
}

TEST_F(binary_matrix, has_many_blocks) {
  const csr<double> a = generate("poisson3d:31x37x41");  // 320 000 nonzeros, 46 blocks
  write_binary_matrix(file_, a.view(), true);
  auto reference = plain(a);
  reference.flags = 1;
  EXPECT_EQ(bytes_of(file_), reference.bytes());
  const binary_matrix_file in(file_);
  EXPECT_TRUE(in.symmetric());
  for (const int threads : {1, 2, 7}) expect_same(in.matrix(threads), a);
  splitmix64 random(3);
  for (int k = 0; k < 40; ++k) {
    const index first = random.below(a.rows + 1), last = first + random.below(a.rows - first + 1);
    expect_same(in.part(first, last, 1 + k % 3), rows_of(a, first, last));
  }
}

TEST_F(binary_matrix, in_single_precision_is_read_as_its_doubles) {
  for (const auto& [rows, cols] : {std::pair<index, index>{1, 1}, {50, 33}, {3, 5}}) {
    const csr<double> source = random_matrix(rows, cols, 9);
    csr<float> a{source.rows, source.cols, source.row_ptr, source.col, {}};
    csr<double> exact = source;
    for (double& v : exact.val) {
      a.val.push_back(static_cast<float>(std::fmod(v, 1e30)));
      v = a.val.back();
    }
    write_binary_matrix(file_, a.view());
    auto reference = plain(exact);
    reference.value_bytes = 4;
    EXPECT_EQ(bytes_of(file_), reference.bytes());
    const binary_matrix_file in(file_);
    EXPECT_TRUE(in.header().single);
    expect_same(in.matrix(), exact);
    expect_same(in.part(0, rows), rows_of(exact, 0, rows));
  }
}

TEST_F(binary_matrix, is_written_out_of_parts) {
  for (const char* kind : {"poisson2d:1x1", "neumann3d:20x9x13", "convection2d:40x50:7"}) {
    const csr<double> a = generate(kind);
    const auto source = generate_by_rows(kind);
    write_binary_matrix(file_, *source);
    auto reference = plain(a);
    reference.flags = source->symmetric() ? 1 : 0;
    EXPECT_EQ(bytes_of(file_), reference.bytes()) << kind;
    write_binary_matrix(folder_ / "B.dwell", binary_matrix_file(file_), true);
    expect_same(binary_matrix_file(folder_ / "B.dwell").matrix(),
                convert<double>(convert<float>(a.view()).view()));
  }
  // 5.6 million nonzeros: in two parts.
  const auto source = generate_by_rows("poisson2d:1100x1021");
  write_binary_matrix(file_, *source);
  expect_same(binary_matrix_file(file_).matrix(), generate("poisson2d:1100x1021"));
}

// More columns than an index has: 64 bits each.
TEST_F(binary_matrix, has_parts_where_the_whole_is_too_large) {
  plain_binary_matrix m;
  m.rows = 3, m.cols = 5000000000, m.nonzeros = 3, m.column_bytes = 8;
  m.row_ptr = {0, 2, 2, 3}, m.col = {4, 4999999999, 3000000000}, m.val = {1, 2, 3};
  {
    binary_matrix_writer out(file_, {3, 5000000000, 3, false, false});
    out.row_ptr(m.row_ptr);
    out.columns(std::vector<std::int64_t>{4, 4999999999});
    out.columns(std::vector<std::int64_t>{3000000000});
    out.values(std::vector<float>{1});
    out.values(std::vector<double>{2, 3});
    out.commit();
  }
  EXPECT_EQ(bytes_of(file_), m.bytes());
  const binary_matrix_file in(file_);
  EXPECT_EQ(in.part(0, 3).col, m.col);
  EXPECT_EQ(in.part(2, 3).col, std::vector<std::int64_t>{3000000000});
  const std::string message = message_of([&] { in.matrix(); });
  EXPECT_NE(message.find("expected at most 2147483647 rows, columns and nonzeros"),
            std::string::npos)
      << message;
  m.col[1] = 5000000000;
  put_bytes(file_, m.bytes());
  message_of([&] { binary_matrix_file(file_).part(0, 1); });
  EXPECT_EQ(binary_matrix_file(file_).part(1, 3).val, std::vector<double>{3});
}

TEST_F(binary_matrix, refuses_what_is_malformed) {
  const plain_binary_matrix good = plain(random_matrix(40, 40, 2));
  const auto bad = [&](auto&& change, const std::string& part) {
    plain_binary_matrix m = good;
    change(m);
    expect_refused(m, part);
  };
  using m = plain_binary_matrix;
  bad([](m& a) { a.version = 2; }, "expected version 1 of the .dwell format, found version 2");
  bad([](m& a) { a.value_bytes = 2; }, "values of 4 or 8 bytes");
  bad([](m& a) { a.column_bytes = 8; }, "expected 4 bytes for each of 40 columns");
  bad([](m& a) { a.flags = 2; }, "reserves");
  bad([](m& a) { a.reserved = 1; }, "reserves");
  bad([](m& a) { a.rows = -1; }, "sizes of 0 or more");
  bad([](m& a) { a.nonzeros = std::numeric_limits<std::int64_t>::max(); }, "a file can hold");
  bad([](m& a) { a.rows = std::numeric_limits<std::int64_t>::max(); }, "a file can hold");
  bad([](m& a) { a.nonzeros += 7; }, "bytes for 40 rows and");
  bad([](m& a) { a.row_ptr[0] = 1; }, "begin with 0, found 1");
  bad([](m& a) { a.row_ptr[40] += 1; }, "end with");
  bad([](m& a) { a.row_ptr[7] = -3; }, "row_ptr 7 (counted from 0)");
  bad([](m& a) { a.row_ptr[7] = a.row_ptr[8] + 1; }, "row_ptr 8 (counted from 0)");
  bad([](m& a) { a.row_ptr[7] = std::int64_t(1) << 40; }, "row_ptr 7 (counted from 0)");
  const auto at = static_cast<std::size_t>(good.row_ptr[14]);  // row 14 is full
  bad([&](m& a) { a.col[at + 3] = 40; }, "row 14 (counted from 0)");
  bad([&](m& a) { a.col[at + 3] = -1; }, "row 14 (counted from 0)");
  bad([&](m& a) { a.col[at + 3] = 2; }, "row 14 (counted from 0)");
  bad([&](m& a) { a.val[at] = std::numeric_limits<double>::infinity(); }, "finite");
  bad([&](m& a) { a.val[at] = std::numeric_limits<double>::quiet_NaN(); }, "finite");
  auto wide = plain(random_matrix(3, 5, 1));
  wide.flags = 1;
  expect_refused(wide, "as many rows as columns of a symmetric matrix");
}

// One bit of every byte is changed, and every length is tried: nothing passes. Lengths are found
// before memory is taken.
TEST_F(binary_matrix, refuses_every_damaged_and_every_shortened_file) {
  const std::string good = plain(random_matrix(12, 12, 4)).bytes();
  splitmix64 random(8);
  for (std::size_t k = 0; k < good.size(); ++k) {
    std::string bytes = good;
    bytes[k] = static_cast<char>(bytes[k] ^ (1 << random.below(8)));
    EXPECT_NE(refusal_of(bytes), "") << "byte " << k;
  }
  for (std::size_t n = 0; n < good.size(); ++n)
    EXPECT_NE(refusal_of(good.substr(0, n)), "") << n << " bytes";
  EXPECT_NE(refusal_of(good + '\0').find("expected"), std::string::npos);
}

// A header that is sound but for its sizes, whose checksum is right: never a crash, never an answer
// of another matrix.
TEST_F(binary_matrix, refuses_random_sizes_and_arrays_with_right_checksums) {
  const plain_binary_matrix good = plain(random_matrix(30, 30, 6));
  splitmix64 random(11);
  const auto any = [&] {
    const std::int64_t v = static_cast<std::int64_t>(random.next() >> (1 + random.below(63)));
    return random.below(4) == 0 ? -v : v;
  };
  int refused = 0;
  for (int k = 0; k < 600; ++k) {
    plain_binary_matrix m = good;
    switch (random.below(6)) {
      case 0:
        m.rows = any();
        break;
      case 1:
        m.cols = any();
        break;
      case 2:
        m.nonzeros = any();
        break;
      case 3:
        m.row_ptr[static_cast<std::size_t>(random.below(31))] = any();
        break;
      case 4:
        m.col[static_cast<std::size_t>(random.below(index(m.col.size())))] = any();
        break;
      default:
        m.value_bytes = 4;
        break;
    }
    put_bytes(file_, m.bytes());
    try {
      check(binary_matrix_file(file_).matrix().view());
    } catch (const input_error& e) {
      ++refused;
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    } catch (const device_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 400);
}

// A part is verified by its own blocks: damage elsewhere does not matter to it.
TEST_F(binary_matrix, verifies_what_it_reads_and_no_more) {
  const csr<double> a = generate("poisson2d:300x300");
  write_binary_matrix(file_, a.view());
  std::string bytes = bytes_of(file_);
  const std::size_t values = 64 + 8 * (static_cast<std::size_t>(a.rows) + 1) +
                             static_cast<std::size_t>(a.nonzeros() + a.nonzeros() % 2) * 4;
  bytes[values + static_cast<std::size_t>(a.nonzeros()) * 8 - 5] ^= 4;  // a byte of the last value
  put_bytes(file_, bytes);
  const binary_matrix_file in(file_);
  expect_same(in.part(0, 40000), rows_of(a, 0, 40000));
  const std::string message = message_of([&] { in.part(80000, 90000); });
  EXPECT_NE(message.find("expected checksum"), std::string::npos) << message;
  EXPECT_NE(message.find("the file is damaged"), std::string::npos) << message;
  message_of([&] { in.matrix(); });
  message_of([&] { in.part(5, 4); });
  message_of([&] { in.part(0, 90001); });
  message_of([&] { in.row_ptr(-1); });
}

TEST_F(binary_matrix, comes_through_a_pipe) {
  const csr<double> a = generate("poisson3d:21x20x19");
  const std::string bytes = plain(a).bytes();
  const auto pipe = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto read = [&](const std::string& sent) {
    std::thread writer([&] { put_bytes(pipe, sent); });
    csr<double> got;
    std::string why;
    try {
      got = read_matrix(pipe).content.matrix;
    } catch (const input_error& e) {
      why = e.what();
    }
    writer.join();
    if (why.empty()) expect_same(got, a);
    return why;
  };
  EXPECT_EQ(read(bytes), "");
  EXPECT_NE(read(bytes.substr(0, bytes.size() - 1)).find("expected"), std::string::npos);
  EXPECT_NE(read(bytes + 'x').find("found more"), std::string::npos);
  EXPECT_NE(read(bytes.substr(0, 30)).find("header"), std::string::npos);
}

TEST_F(binary_matrix, is_known_by_its_first_bytes) {
  const csr<double> a = generate("trefethen:30");
  write_binary_matrix(folder_ / "A.mtx", a.view());
  write_matrix_market(folder_ / "B.dwell", a.view());
  EXPECT_TRUE(is_binary_matrix(folder_ / "A.mtx"));
  EXPECT_FALSE(is_binary_matrix(folder_ / "B.dwell"));
  EXPECT_FALSE(is_binary_matrix(folder_ / "none"));
  EXPECT_FALSE(is_binary_matrix(folder_.path()));
  const matrix_file binary = read_matrix(folder_ / "A.mtx"),
                    text = read_matrix(folder_ / "B.dwell");
  EXPECT_TRUE(binary.binary.has_value());
  EXPECT_FALSE(text.binary.has_value());
  EXPECT_EQ(text.content.header.stored, a.nonzeros());
  expect_same(binary.content.matrix, a);
  expect_same(text.content.matrix, a);
  const std::string message = message_of([&] { read_matrix_market(folder_ / "A.mtx"); });
  EXPECT_NE(message.find("a .dwell file"), std::string::npos) << message;
  message_of([&] { binary_matrix_file in(folder_ / "B.dwell"); });
}

// By any name: a file that was one is not taken for text.
TEST_F(binary_matrix, a_damaged_signature_is_named) {
  const std::string good = plain(random_matrix(12, 12, 4)).bytes();
  const auto refused = [&](const char* name, const std::string& bytes) {
    put_bytes(folder_ / name, bytes);
    const std::string message = message_of([&] { read_matrix(folder_ / name); });
    const std::string file = (folder_ / name).string() + ": expected ";
    EXPECT_TRUE(message.starts_with(file)) << message;
    return message.substr(std::min(file.size(), message.size()));
  };
  const std::string expected = "'\\x89DWELL\\r\\n' at the beginning of a .dwell file, found '";
  splitmix64 random(5);
  for (const char* name : {"A.dwell", "A.mtx", "A"}) {
    for (std::size_t k = 0; k < 8; ++k) {
      std::string bytes = good;
      bytes[k] = static_cast<char>(bytes[k] ^ (1 << random.below(8)));
      const std::string found = refused(name, bytes);
      EXPECT_TRUE(found.starts_with(expected) && found.ends_with("': the file is damaged"))
          << name << ", byte " << k << ": " << found;
    }
    std::string as_text = good;
    as_text.erase(6, 1);  // line ends of another system
    EXPECT_EQ(refused(name, as_text), expected + "\\x89DWELL\\n\\x01': the file is damaged");
  }
  EXPECT_EQ(refused("A.dwell", ""), "a .dwell file, found an empty file");
  EXPECT_EQ(refused("A.dwell", std::string(200, '\0')), "a .dwell file, found other content");
}

TEST_F(binary_matrix, appears_whole_or_not_at_all) {
  using numbers = std::vector<std::int64_t>;
  const auto refused = [&](auto&& f) {
    return message_of([&] {
      binary_matrix_writer out(file_, {2, 2, 2, true, false});
      f(out);
      out.commit();
    });
  };
  refused([](auto&) {});
  refused([](auto& out) { out.row_ptr(numbers{1}); });
  refused([](auto& out) { out.row_ptr(numbers{0, 2, 1}); });
  refused([](auto& out) { out.row_ptr(numbers{0, 1, 3}); });
  refused([](auto& out) { out.row_ptr(numbers{0, 1, 2, 2}); });
  refused([](auto& out) { out.columns(numbers{0}); });
  const auto begun = [](auto& out) { out.row_ptr(numbers{0, 1, 2}); };
  refused([&](auto& out) { begun(out), out.columns(numbers{0, 2}); });
  refused([&](auto& out) { begun(out), out.columns(numbers{0, 1, 1}); });
  refused([&](auto& out) { begun(out), out.columns(numbers{0}), out.values(std::vector{1.0}); });
  const auto half = [&](auto& out) { begun(out), out.columns(numbers{0, 1}); };
  refused(half);
  refused([&](auto& out) { half(out), out.values(std::vector{1.0}); });
  refused([&](auto& out) { half(out), out.values(std::vector{1.0, 1e300}); });
  refused([&](auto& out) { half(out), out.values(std::vector<double>{1.0, NAN}); });
  EXPECT_EQ(folder_.files(), 0u);
  message_of([&] { binary_matrix_writer(file_, {-1, 2, 2, false, false}); });
  message_of([&] { binary_matrix_writer(file_, {1, 2, 2, false, true}); });
  csr<double> broken = generate("poisson2d:2x2");
  broken.col[0] = 9;
  message_of([&] { write_binary_matrix(file_, broken.view()); });
  EXPECT_EQ(folder_.files(), 0u);
}

}  // namespace
}  // namespace dwell::test
