// SPDX-License-Identifier: MIT
// Streams without end and small gzip files of much text: each is refused for what is wrong with it
// after a bounded part of it has been read, whatever its header declares.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <zlib.h>

#include <atomic>
#include <functional>
#include <thread>

#include "dwell/formats/matrix_market.hpp"
#include "scratch.hpp"

namespace dwell {
namespace {

namespace fs = std::filesystem;
using test::message_of;

constexpr std::size_t mebi = std::size_t{1} << 20;
const std::string banner = "%%MatrixMarket matrix coordinate real general\n";

std::string times(std::string_view piece, std::size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += piece;
  return all;
}

std::string gzip(const std::string& text) {
  z_stream z = {};
  if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string out(deflateBound(&z, text.size()) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

/// A pipe with a name: `begin`, then `again` for as long as it is read, a gigabyte at the most.
class endless_pipe {
 public:
  endless_pipe(const fs::path& name, const std::string& begin, const std::string& again) {
    ::signal(SIGPIPE, SIG_IGN);
    if (::mkfifo(name.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
    writer_ = std::jthread([this, name, begin, again] {
      const int fd = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
      const std::string block = times(again, mebi);
      for (const std::string* next = &begin; written_ < 1024 * mebi; next = &block) {
        std::size_t done = 0;
        while (done < next->size()) {
          const ssize_t n = ::write(fd, next->data() + done, next->size() - done);
          if (n <= 0) return void(::close(fd));
          done += static_cast<std::size_t>(n);
          written_ += static_cast<std::size_t>(n);
        }
      }
      ::close(fd);
    });
  }
  std::size_t written() {
    writer_.join();
    return written_;
  }

 private:
  std::atomic<std::size_t> written_ = 0;
  std::jthread writer_;
};

struct stream {
  std::string begin, again;
  std::string message;                 ///< behind the name
  std::size_t most = mebi + mebi / 2;  ///< bytes taken; a pipe holds up to 64 KiB more
};

TEST(matrix_market_streams, endless_ones_are_refused) {
  const std::string zeros(4096, '\0');
  const std::string head = banner + "100000000 100000000 100000000\n";  // 1.6 GB
  const std::vector<stream> all = {
      {"", zeros, ":1: expected '%%MatrixMarket', found '\\x00\\x00"},
      {"", "y\n", ":1: expected '%%MatrixMarket', found 'y'"},
      {"", "\x01\x02\x03", ":1: expected '%%MatrixMarket', found '\\x01"},
      {banner.substr(0, banner.size() - 1), " ", ":1: expected the end of the first line within "},
      {banner, "\n", "expected a size line in the first 16777216 bytes, found none", 20 * mebi},
      {banner, "% no end\n", "expected a size line in the first 16777216 bytes", 20 * mebi},
      {banner, "%", "expected a size line in the first 16777216 bytes", 20 * mebi},
      {head, "\n", ":2: expected at most 16777292 bytes of text for 0 entries that came",
       20 * mebi},
      {head, "%\n", "bytes of text for 0 entries that came, found more", 20 * mebi},
      {head + "1 1 1\n1 1 0.", "0", ":2: expected at most 16777548 bytes of text for 1 entry that",
       20 * mebi},
      {banner + "2 2 3\n", "1 1 1\n", ":6: expected the end of the file after 3 entries, found '1'",
       20 * mebi},
      {banner + "2 2 3\n1 1 bad\n", "1 1 1\n", ":3: expected a real value, found 'bad'", 20 * mebi},
      {"%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n", "\n",
       ":2: expected at most 16778029 bytes of text for 3 entries, found more", 20 * mebi},
      {gzip(times(zeros, mebi)), zeros, ":1: expected '%%MatrixMarket', found '\\x00"},
      {gzip(banner + "1 1 1\n1 1 1\n"), zeros,
       ": expected the end of the gzip file after its content, found more than ", 3 * mebi},
      {"", gzip(times("\n", mebi)), ":1: expected '%%MatrixMarket', found the end of the line"},
      {gzip(head), gzip(times("\n", mebi)), "bytes of text for 0 entries that came", 20 * mebi},
  };
  for (const auto& s : all) {
    const test::scratch_folder scratch;
    const fs::path name = scratch / "a.mtx";
    endless_pipe pipe(name, s.begin, s.again);
    const auto message = message_of([&] { read_matrix_market(name, 1); });
    EXPECT_NE(message.find(s.message), std::string::npos) << message << "\nnot: " << s.message;
    EXPECT_LE(pipe.written(), s.most) << message;
  }
}

TEST(matrix_market_streams, a_device_without_end_is_refused) {
  EXPECT_TRUE(message_of([] {
                read_matrix_market("/dev/zero");
              }).starts_with("/dev/zero:1: expected '%%MatrixMarket', found '\\x00"));
}

TEST(matrix_market_streams, a_pipe_is_read_as_a_file_is) {
  const std::string text = banner + "% a comment\n2 2 2\n1 1 4\n\n2 2 0.5\n";
  for (const auto& bytes : {text, gzip(text), gzip(text.substr(0, 60)) + gzip(text.substr(60))}) {
    const test::scratch_folder scratch;
    const fs::path name = scratch / "a.mtx";
    ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
    std::jthread writer([&] { test::put_bytes(name, bytes); });
    const auto a = read_matrix_market(name).matrix;
    EXPECT_EQ(a.val, (std::vector<double>{4, 0.5}));
  }
}

/// Members that begin anywhere in the blocks in which a file is read: at their ends too.
TEST(matrix_market_streams, members_begin_wherever_they_do) {
  const std::string comment(mebi - 600, 'x'), text = banner + "1 1 1\n1 1 7\n";
  const auto stored = [](const std::string& s) {  // one stored block after the other, by hand
    std::string out("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    for (std::size_t at = 0; at < s.size() || at == 0; at += 65535) {
      const auto n = static_cast<unsigned>(std::min<std::size_t>(65535, s.size() - at));
      out += static_cast<char>(at + n == s.size());
      for (const unsigned v : {n & 255, n >> 8, ~n & 255, ~n >> 8 & 255})
        out += static_cast<char>(v);
      out += s.substr(at, n);
    }
    const auto sum = static_cast<unsigned>(
        crc32(0, reinterpret_cast<const Bytef*>(s.data()), static_cast<uInt>(s.size())));
    for (const auto v : {sum, static_cast<unsigned>(s.size())})
      for (int k = 0; k < 32; k += 8) out += static_cast<char>(v >> k & 255);
    return out;
  };
  const test::scratch_folder scratch;
  for (int more = 0; more < 3; ++more) {
    const std::string begin = banner + "%" + comment;
    const std::size_t frame = stored(begin).size() - begin.size();
    // The first member ends 1, 0 bytes before the block of a mebibyte, and 1 behind it.
    const std::string first =
        banner + "%" +
        std::string(mebi - 1 + static_cast<std::size_t>(more) - frame - banner.size() - 1, 'x');
    ASSERT_EQ(stored(first).size(), mebi - 1 + static_cast<std::size_t>(more));
    test::put_bytes(scratch / "a.mtx.gz", stored(first) + stored("\n1 1 1\n1 1 7\n"));
    EXPECT_EQ(read_matrix_market(scratch / "a.mtx.gz").matrix.val, std::vector<double>{7});
    test::put_bytes(scratch / "b.mtx.gz", stored(first + "\n1 1 1\n1 1 7\n") + "\x1f");
    EXPECT_NE(message_of([&] {
                read_matrix_market(scratch / "b.mtx.gz");
              }).find("found 1 more byte that is no gzip data"),
              std::string::npos);
  }
}

TEST(matrix_market_streams, a_small_gzip_file_holds_no_more_than_it_justifies) {
  const test::scratch_folder scratch;
  const auto refusal = [&](const std::string& text) {
    test::put_bytes(scratch / "a.mtx.gz", gzip(text));
    return message_of([&] { read_matrix_market(scratch / "a.mtx.gz"); });
  };
  const std::string entries = times("1 1 1\n", 30 * mebi);
  const auto n = std::to_string(entries.size() / 6);
  const auto said = refusal(banner + "9 9 " + n + "\n" + entries);
  EXPECT_NE(said.find("bytes of gzip data, found more (a file that is unpacked first"),
            std::string::npos)
      << said;
  EXPECT_NE(refusal(banner + "9 9 1\n" + times("\n", 17 * mebi) + "1 1 1\n")
                .find("bytes of text for 0 entries that came"),
            std::string::npos);
  EXPECT_NE(refusal(banner + "200000000 200000000 1\n" + times("\n", 15 * mebi) + "1 1 1\n")
                .find("expected at most 1048640 rows and columns for 1 entry, found 200000000"),
            std::string::npos);
  // Honest ones: a long comment, and a vector of ones, which packs to a thousandth.
  test::put_bytes(scratch / "b.mtx.gz",
                  gzip(banner + times("% yes\n", 15 * mebi) + "1 1 1\n1 1 7\n"));
  EXPECT_EQ(read_matrix_market(scratch / "b.mtx.gz").matrix.val, std::vector<double>{7});
  test::put_bytes(
      scratch / "c.mtx.gz",
      gzip("%%MatrixMarket matrix array integer general\n10000000 1\n" + times("1\n", 20000000)));
  EXPECT_EQ(read_matrix_market_vector(scratch / "c.mtx.gz").size(), 10000000u);
}

}  // namespace
}  // namespace dwell
