// SPDX-License-Identifier: MIT
// Every file of tests/data/invalid is refused with the message that expected.txt holds for it, the
// same for any number of threads. A file without a line there, or a line without a file, fails.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "dwell/formats/matrix_market.hpp"
#include "scratch.hpp"

namespace dwell {
namespace {

namespace fs = std::filesystem;
using test::message_of;

const fs::path folder = fs::path(DWELL_TEST_DATA) / "invalid";

/// File name -> message, which begins with the file name.
std::map<std::string, std::string> expected_messages() {
  std::map<std::string, std::string> all;
  std::ifstream in(folder / "expected.txt");
  for (std::string line; std::getline(in, line);)
    all[line.substr(0, line.find_first_of(":("))] = line;
  return all;
}

TEST(matrix_market_invalid, there_are_files_and_each_has_its_message) {
  const auto expected = expected_messages();
  std::set<std::string> files;
  for (const auto& e : fs::directory_iterator(folder)) files.insert(e.path().filename().string());
  files.erase("expected.txt");
  EXPECT_GE(files.size(), 40u);
  for (const auto& file : files) EXPECT_TRUE(expected.contains(file)) << file << " has no message";
  for (const auto& [file, message] : expected)
    EXPECT_TRUE(files.contains(file)) << "no file: " << message;
}

TEST(matrix_market_invalid, every_file_is_refused_as_expected) {
  for (const auto& [file, expected] : expected_messages())
    for (int threads : {0, 1, 2, 3, 5, 16}) {
      SCOPED_TRACE(file + ", threads " + std::to_string(threads));
      const auto path = folder / file;
      const auto message = message_of([&] { read_matrix_market(path, threads); });
      ASSERT_TRUE(message.starts_with(folder.string() + "/")) << message;
      EXPECT_EQ(message.substr(folder.string().size() + 1), expected);
    }
}

TEST(matrix_market_invalid, what_is_not_supported_says_so_by_its_type) {
  EXPECT_THROW(read_matrix_market(folder / "banner_field_complex.mtx"), unsupported_error);
  EXPECT_THROW(read_matrix_market(folder / "banner_symmetry_hermitian.mtx"), unsupported_error);
}

TEST(matrix_market_invalid, places_that_are_not_files) {
  const test::scratch_folder scratch;
  const auto refusal = [](const fs::path& p) { return message_of([&] { read_matrix_market(p); }); };
  EXPECT_EQ(refusal(scratch / "absent.mtx"),
            (scratch / "absent.mtx").string() +
                ": expected a readable file, found: No such file or directory");
  EXPECT_EQ(refusal(scratch.path()),
            scratch.path().string() + ": expected a readable file, found: a directory");
  EXPECT_EQ(refusal("/dev/null"), "/dev/null:1: expected '%%MatrixMarket', found an empty file");
  EXPECT_EQ(refusal(scratch / "two\nlines"),
            (scratch / "two").string() +
                "\\nlines: expected a readable file, found: No such file or directory");
}

TEST(matrix_market_invalid, a_vector_has_one_column_or_one_row) {
  const auto file = fs::path(DWELL_TEST_DATA) / "valid" / "array.mtx";
  EXPECT_EQ(
      message_of([&] { read_matrix_market_vector(file); }),
      file.string() + ":2: expected a vector (one column or one row), found 2 rows and 3 columns");
}

/// Errors anywhere in a file of many lines: the line is right and the first error wins, wherever
/// the text is cut between threads.
TEST(matrix_market_invalid, the_first_error_is_told_whatever_the_number_of_threads) {
  constexpr int n = 300;
  const auto text_with = [](int first, int second) {
    std::string text = "%%MatrixMarket matrix coordinate real general\n% comment\n300 300 300\n";
    for (int i = 1; i <= n; ++i)
      text += i == first ? "1 1 bad\n" : i == second ? "0 1 1\n" : std::to_string(i) + " 1 2.5\n";
    return text;
  };
  for (int first = 1; first < n; first += 13)
    for (int second : {first + 1, n})
      for (int threads : {1, 2, 3, 8, 64}) {
        const auto text = text_with(first, second);
        EXPECT_EQ(message_of([&] { parse_matrix_market(text, "A.mtx", threads); }),
                  "A.mtx:" + std::to_string(first + 3) + ": expected a real value, found 'bad'");
      }
}

TEST(matrix_market_invalid, too_many_entries_come_before_an_error_behind_them) {
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n9 9 20\n";
  for (int i = 0; i < 40; ++i) text += i == 30 ? "bad\n" : "\n1 1\n";
  for (int threads = 1; threads < 20; ++threads)
    EXPECT_EQ(message_of([&] { parse_matrix_market(text, "A.mtx", threads); }),
              "A.mtx:44: expected the end of the file after 20 entries, found '1'");
}

/// Whatever is cut off a sound file, it is refused in one line (or, where the last value only
/// becomes shorter, read): never a crash. Run under the sanitizers.
TEST(matrix_market_invalid, every_truncation_of_sound_files_is_survived) {
  for (const char* name :
       {"general_untidy.mtx", "symmetric_array.mtx", "general.mtx.gz", "with_companion.tar.gz"}) {
    const test::scratch_folder scratch;
    const std::string bytes = test::bytes_of(fs::path(DWELL_TEST_DATA) / "valid" / name);
    int refused = 0;
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      test::put_bytes(scratch / name, bytes.substr(0, n));
      try {
        read_matrix_market(scratch / name, 2);
      } catch (const input_error& e) {
        ++refused;
        EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
      }
    }
    EXPECT_GT(refused, static_cast<int>(bytes.size() / 2)) << name;
    if (std::string(name).ends_with(".gz")) {
      EXPECT_EQ(refused, static_cast<int>(bytes.size())) << name;
    }
  }
}

/// A flipped bit anywhere in a gzip file is refused, or changes nothing: the time in the header,
/// the few bits that fill the last byte of the stream.
TEST(matrix_market_invalid, every_flipped_bit_of_a_gzip_file_is_refused_or_harmless) {
  const test::scratch_folder scratch;
  const auto file = fs::path(DWELL_TEST_DATA) / "valid" / "general.mtx.gz";
  const std::string bytes = test::bytes_of(file);
  const auto sound = read_matrix_market(file).matrix;
  int harmless = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    test::put_bytes(scratch / "a.mtx.gz", damaged);
    try {
      const auto a = read_matrix_market(scratch / "a.mtx.gz").matrix;
      EXPECT_TRUE(a.row_ptr == sound.row_ptr && a.col == sound.col && a.val == sound.val)
          << "bit " << bit;
      ++harmless;
    } catch (const input_error&) {
    }
  }
  EXPECT_LE(harmless, 80 + 7);  // the ten bytes of the header, and less than a byte
}

}  // namespace
}  // namespace dwell
