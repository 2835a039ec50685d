// SPDX-License-Identifier: MIT
// Reading a file into memory, several threads at once for a regular file. Read and not mapped: a
// mapped file that another process shortens meanwhile would kill this one.
#include "dwell/formats/matrix_market_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/formats/gzip_stream.hpp"
#include "dwell/formats/matrix_market_bounded.hpp"

namespace dwell::mm {
namespace {

[[noreturn]] void fail_to_read(const std::string& name, const std::string& found) {
  throw input_error(fmt::format("{}: expected a readable file, found: {}", name, found));
}

[[noreturn]] void fail_with_errno(const std::string& name) {
  fail_to_read(name, std::generic_category().message(errno));
}

void read_piece(int fd, char* to, off_t begin, off_t end, const std::string& name) {
  while (begin < end) {
    const ssize_t n = ::pread(fd, to, static_cast<std::size_t>(end - begin), begin);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_with_errno(name);
    if (n == 0) fail_to_read(name, "it became shorter while it was read");
    begin += n;
    to += n;
  }
}

/// All of a regular file, whatever of it was read before, by several threads.
buffer read_whole(const input_file& in, const input_file::extent& all, int threads) {
  constexpr off_t worth_a_thread = 1 << 22;
  require_memory(all.bytes, in.name());
  const auto first = static_cast<off_t>(all.begin), size = static_cast<off_t>(all.bytes);
  buffer out;
  char* to = out.room(all.bytes);
  const int parts = static_cast<int>(
      std::min<off_t>(threads > 0 ? threads : default_threads(), size / worth_a_thread + 1));
  for_parts(parts, [&](int part) {
    const auto [begin, end] = piece<off_t>(size, part, parts);
    read_piece(in.descriptor(), to + begin, first + begin, first + end, in.name());
  });
  out.added(all.bytes);
  return out;
}

/// Reads on to the size line of a file of so many bytes, and looks at it. A head that is not whole
/// is refused later.
bool is_wanted(input_file& in, std::string& first, bool ended, std::uint64_t bytes,
               const head_check& check) {
  const auto begun = [&] { return text{first.data(), first.data() + first.size(), in.name()}; };
  while (!ended && !header_complete(begun()) && first.size() < longest_head) {
    const std::string_view block = in.next();
    first += block;
    ended = block.empty();
  }
  if (!header_complete(begun())) return true;
  const header_found h = parse_header(begun());
  check_sizes(h, begun(), bytes);
  if (check && !check(begun(), h)) return false;
  require_memory(h, begun(), bytes);
  return true;
}

/// What the first bytes say the file is, if that is something that is not read.
const char* other_format(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("PK\003\004"sv) || bytes.starts_with("PK\005\006"sv))
    return "a zip archive";
  if (bytes.starts_with("BZh"sv)) return "bzip2 data";
  if (bytes.starts_with("\x89"
                        "DWELL"sv))
    return "a .dwell file, which is a matrix";
  if (bytes.starts_with("\xfd"
                        "7zXZ\0"sv))
    return "xz data";
  if (bytes.starts_with("\x28\xb5\x2f\xfd"sv)) return "Zstandard data";
  if (bytes.size() > 262 && bytes.substr(257, 5) == "ustar") return "an uncompressed tar archive";
  return nullptr;
}

}  // namespace

char* buffer::room(std::size_t n) {
  if (capacity_ - size_ < n) {
    const std::size_t wanted = std::max(size_ + n, size_ + size_ / 2);
    char* moved = static_cast<char*>(std::realloc(data_.get(), wanted));
    if (!moved) throw std::bad_alloc();
    static_cast<void>(data_.release());
    data_.reset(moved);
    capacity_ = wanted;
  }
  return data_.get() + size_;
}

source_file load(input_file& in, int threads, const head_check& check) {
  const std::string& name = in.name();
  const auto all = in.left();
  // Enough to see what it is: a line, or so much that it is none.
  std::string first;
  bool ended = false;
  while (!ended && first.size() < longest_first_line && first.find('\n') == std::string::npos &&
         !first.starts_with(gzip_magic)) {
    const std::string_view block = in.next();
    first += block;
    ended = block.empty();
  }
  if (first.starts_with(gzip_magic)) return unpack(in, first, check);
  if (const char* other = other_format(first))
    throw input_error(
        fmt::format("{}: expected Matrix Market text, .gz or .tar.gz, found {}", name, other));
  begins_well({first.data(), first.data() + first.size(), name}, ended);
  if (all && all->bytes > 0) {
    if (!is_wanted(in, first, ended, all->bytes, check)) return {{{}, name}, {}, std::nullopt, {}};
    return {{read_whole(in, *all, threads), name}, plain_name(in.path()), std::nullopt, {}};
  }
  bounded_text out(name, nullptr, check);  // a pipe; or a file of /proc
  bool more = out.add(first);
  while (more) {
    const std::string_view block = in.next();
    more = !block.empty() && out.add(block);
  }
  return {out.take(), plain_name(in.path()), std::nullopt, {}};
}

}  // namespace dwell::mm
