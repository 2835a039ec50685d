// SPDX-License-Identifier: MIT
// The reader of .dwell files. Arrays are read block by block, by several threads, straight to where
// they belong, and every block is verified; then row pointers are proved sound before a column is
// looked at.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/formats/binary_matrix_layout.hpp"
#include "dwell/formats/matrix_market_source.hpp"

namespace dwell {

using binary::block_bytes;
using binary::section;

struct binary_matrix_file::state {
  explicit state(std::unique_ptr<input_file> file) : in(std::move(file)), name(in->name()) {
    const auto extent = in->left();
    char bytes[binary::header_bytes];
    const std::size_t got = in->read(bytes, sizeof bytes);
    header = binary::decode({bytes, got}, name);
    at = binary::lay_out(header, name);
    if (extent) {
      begin = extent->begin;
      if (static_cast<std::int64_t>(extent->bytes) != at.file_bytes)
        fail_at_length(fmt::format("{} bytes", extent->bytes));
    } else {
      read_pipe(bytes);
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw input_error(fmt::format("{}: {}", name, what));
  }
  [[noreturn]] void fail_at_length(const std::string& found) const {
    fail(fmt::format("expected {} bytes for {} rows and {} nonzeros, found {}", at.file_bytes,
                     header.rows, header.nonzeros, found));
  }

  /// Takes as much memory as has come, whatever the header claims.
  void read_pipe(const char* first) {
    std::memcpy(piped.room(binary::header_bytes), first, binary::header_bytes);
    piped.added(binary::header_bytes);
    const auto whole = static_cast<std::size_t>(at.file_bytes);
    while (piped.size() < whole) {
      const std::size_t more =
          std::min(whole - piped.size(), std::max(piped.size(), std::size_t(1) << 20));
      const std::size_t got = in->read(piped.room(more), more);
      piped.added(got);
      if (got < more) fail_at_length(fmt::format("{} bytes", piped.size()));
    }
    char beyond = 0;
    if (in->read(&beyond, 1) > 0) fail_at_length("more");
  }

  /// Reads from the file.
  void read_at(std::int64_t from, char* to, std::int64_t n) const {
    if (piped.size() > 0) {
      std::memcpy(to, piped.data() + from, static_cast<std::size_t>(n));
      return;
    }
    auto place = static_cast<off_t>(begin) + from;
    while (n > 0) {
      const ssize_t got = ::pread(in->descriptor(), to, static_cast<std::size_t>(n), place);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0)
        fail("expected a readable file, found: " + std::generic_category().message(errno));
      if (got == 0) fail("expected a readable file, found: it became shorter while it was read");
      place += got;
      to += got;
      n -= got;
    }
  }

  /// The bytes [from, end) of an array, verified with the blocks that they lie in.
  void read(const section& of, std::int64_t from, std::int64_t end, void* to, int threads) const {
    if (from >= end) return;
    const std::int64_t first = from / block_bytes, last = (end - 1) / block_bytes + 1;
    std::vector<std::uint32_t> sums(static_cast<std::size_t>(last - first));
    read_at(of.sums_at + first * 4, reinterpret_cast<char*>(sums.data()), (last - first) * 4);
    constexpr std::int64_t worth_a_thread = 64;  // blocks
    const int parts = static_cast<int>(std::min<std::int64_t>(
        threads > 0 ? threads : default_threads(), (last - first) / worth_a_thread + 1));
    for_parts(parts, [&](int part) {
      const auto [begin_block, end_block] = piece(last - first, part, parts);
      std::vector<char> apart;  // a block of which not all is wanted
      for (std::int64_t b = first + begin_block; b < first + end_block; ++b) {
        const std::int64_t low = b * block_bytes, high = std::min(low + block_bytes, of.bytes);
        const bool all = from <= low && high <= end;
        if (!all) apart.resize(static_cast<std::size_t>(block_bytes));
        char* const bytes = all ? static_cast<char*>(to) + (low - from) : apart.data();
        read_at(of.at + low, bytes, high - low);
        verify(of, low, {bytes, static_cast<std::size_t>(high - low)},
               sums[static_cast<std::size_t>(b - first)]);
        if (all) continue;
        const std::int64_t lower = std::max(low, from), upper = std::min(high, end);
        std::memcpy(static_cast<char*>(to) + (lower - from), bytes + (lower - low),
                    static_cast<std::size_t>(upper - lower));
      }
    });
  }

  void verify(const section& of, std::int64_t low, std::string_view bytes,
              std::uint32_t expected) const {
    const std::uint32_t found = binary::checksum(0, bytes);
    if (found == expected) return;
    const std::int64_t from = of.at + low;
    fail(
        fmt::format("expected checksum {:08x} of bytes {} to {}, found {:08x}: the file is damaged",
                    expected, from, from + static_cast<std::int64_t>(bytes.size()) - 1, found));
  }

  /// Those of rows [first, last), and the end; ascending, and within the nonzeros.
  std::vector<std::int64_t> row_pointers(std::int64_t first, std::int64_t last, int threads) const {
    std::vector<std::int64_t> got(static_cast<std::size_t>(last - first) + 1);
    read(at.row_ptr, first * 8, (last + 1) * 8, got.data(), threads);
    if (first == 0 && got.front() != 0)
      fail(fmt::format("expected row_ptr to begin with 0, found {}", got.front()));
    if (last == header.rows && got.back() != header.nonzeros)
      fail(fmt::format("expected row_ptr to end with {}, the nonzeros, found {}", header.nonzeros,
                       got.back()));
    for (std::size_t k = 0; k < got.size(); ++k) {
      const std::int64_t before = k == 0 ? 0 : got[k - 1];
      if (got[k] < before || got[k] > header.nonzeros)
        fail(fmt::format("row_ptr {} (counted from 0): expected {} to {}, ascending, found {}",
                         first + static_cast<std::int64_t>(k), before, header.nonzeros, got[k]));
    }
    return got;
  }

  /// Stored columns from [from, end), as they are or widened.
  void read_columns(std::int64_t from, std::int64_t end, std::vector<std::int64_t>& to,
                    int threads) const {
    to.resize(static_cast<std::size_t>(end - from));
    if (header.column_bytes() == 8) return read(at.columns, from * 8, end * 8, to.data(), threads);
    std::vector<std::uint32_t> narrow(to.size());
    read(at.columns, from * 4, end * 4, narrow.data(), threads);
    std::copy(narrow.begin(), narrow.end(), to.begin());
  }

  void read_values(std::int64_t from, std::int64_t end, std::vector<double>& to,
                   int threads) const {
    to.resize(static_cast<std::size_t>(end - from));
    if (!header.single) return read(at.values, from * 8, end * 8, to.data(), threads);
    std::vector<float> narrow(to.size());
    read(at.values, from * 4, end * 4, narrow.data(), threads);
    std::copy(narrow.begin(), narrow.end(), to.begin());
  }

  void check_rows(const matrix_rows& a, std::int64_t first) const {
    for (std::size_t i = 0; i + 1 < a.row_ptr.size(); ++i)
      for (std::int64_t k = a.row_ptr[i], before = -1; k < a.row_ptr[i + 1]; ++k) {
        const std::int64_t column = a.col[static_cast<std::size_t>(k)],
                           row = first + static_cast<std::int64_t>(i);
        if (column <= before || column < 0 || column >= header.cols)
          fail(fmt::format(
              "row {} (counted from 0): expected columns from 0 to {}, ascending, found {}{}", row,
              header.cols - 1, column, before < 0 ? "" : fmt::format(" after {}", before)));
        if (const double v = a.val[static_cast<std::size_t>(k)]; !std::isfinite(v))
          fail(fmt::format("row {} (counted from 1): expected finite values, found {} in column {}",
                           row + 1, v, column + 1));
        before = column;
      }
  }

  std::unique_ptr<input_file> in;
  std::string name;
  binary_matrix_header header;
  binary::layout at;
  std::size_t begin = 0;  ///< offset in the file, where a descriptor stands for it
  mm::buffer piped;       ///< all of a pipe
};

bool is_binary_matrix(const std::filesystem::path& file) {
  try {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(file, failed)) return false;
    input_file in(file);
    return !in.nameless() && in.peek() == binary::magic;
  } catch (const input_error&) {
    return false;
  }
}

binary_matrix_file::binary_matrix_file(const std::filesystem::path& file)
    : binary_matrix_file(std::make_unique<input_file>(file, ".dwell file")) {}
binary_matrix_file::binary_matrix_file(std::unique_ptr<input_file> file)
    : s_(std::make_unique<state>(std::move(file))) {}
binary_matrix_file::~binary_matrix_file() = default;

const binary_matrix_header& binary_matrix_file::header() const { return s_->header; }

std::int64_t binary_matrix_file::row_ptr(std::int64_t row) const {
  if (row < 0 || row > rows())
    s_->fail(fmt::format("expected a row from 0 to {}, found {}", rows(), row));
  std::int64_t value = 0;
  s_->read(s_->at.row_ptr, row * 8, (row + 1) * 8, &value, 1);
  return value;
}

matrix_rows binary_matrix_file::part(std::int64_t first, std::int64_t last, int threads) const {
  if (first < 0 || first > last || last > rows())
    s_->fail(fmt::format("expected rows of 0 to {}, found {} to {}", rows(), first, last));
  matrix_rows got;
  got.all_rows = rows();
  got.row_ptr = s_->row_pointers(first, last, threads);
  const std::int64_t from = got.row_ptr.front(), end = got.row_ptr.back();
  for (std::int64_t& p : got.row_ptr) p -= from;
  s_->read_columns(from, end, got.col, threads);
  s_->read_values(from, end, got.val, threads);
  s_->check_rows(got, first);
  return got;
}

csr<double> binary_matrix_file::matrix(int threads) const {
  const binary_matrix_header& h = s_->header;
  constexpr std::int64_t most = std::numeric_limits<index>::max();
  if (h.rows > most || h.cols > most || h.nonzeros > most)
    s_->fail(fmt::format(
        "expected at most {} rows, columns and nonzeros where one process reads the whole matrix, "
        "found {}, {} and {}",
        most, h.rows, h.cols, h.nonzeros));
  mm::require_memory(static_cast<std::uint64_t>(s_->at.file_bytes), s_->name);
  csr<double> a;
  a.rows = static_cast<index>(h.rows);
  a.cols = static_cast<index>(h.cols);
  const std::vector<std::int64_t> row_ptr = s_->row_pointers(0, h.rows, threads);
  a.row_ptr.assign(row_ptr.begin(), row_ptr.end());
  a.col.resize(static_cast<std::size_t>(h.nonzeros));
  s_->read(s_->at.columns, 0, h.nonzeros * 4, a.col.data(), threads);
  s_->read_values(0, h.nonzeros, a.val, threads);
  check(a.view(), s_->name);
  return a;
}

}  // namespace dwell
