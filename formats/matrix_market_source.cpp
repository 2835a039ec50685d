// SPDX-License-Identifier: MIT
// Reading a file into memory, several threads at once for a regular file. Read and not mapped: a
// mapped file that another process shortens meanwhile would kill this one.
#include "dwell/formats/matrix_market_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <system_error>

#include "dwell/formats/error.hpp"
#include "dwell/formats/parallel.hpp"

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

buffer read_all(input_file& in, int threads) {
  buffer out;
  if (const auto left = in.left()) {
    constexpr off_t worth_a_thread = 1 << 22;
    const auto first = static_cast<off_t>(left->begin), size = static_cast<off_t>(left->bytes);
    char* to = out.room(left->bytes);
    const int parts = static_cast<int>(
        std::min<off_t>(threads > 0 ? threads : default_threads(), size / worth_a_thread + 1));
    for_parts(parts, [&](int part) {
      const auto [begin, end] = piece<off_t>(size, part, parts);
      read_piece(in.descriptor(), to + begin, first + begin, first + end, in.name());
    });
    out.added(left->bytes);
    return out;
  }
  constexpr std::size_t block = 1 << 20;  // a pipe; or a file of /proc, which says its size is 0
  for (;;) {
    const std::size_t n = in.read(out.room(block), block);
    if (n == 0) return out;
    out.added(n);
  }
}

/// What the first bytes say the file is, if that is something that is not read.
const char* other_format(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("PK\003\004"sv) || bytes.starts_with("PK\005\006"sv))
    return "a zip archive";
  if (bytes.starts_with("BZh"sv)) return "bzip2 data";
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

std::string plain_name(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  const auto strip = [&](std::string_view ending) {
    const bool there = name.size() > ending.size() && name.ends_with(ending);
    if (there) name.resize(name.size() - ending.size());
    return there;
  };
  if (strip(".tgz") || strip(".tar.gz")) return name;
  strip(".gz");
  strip(".mtx");
  return name;
}

source_file load(input_file& file, int threads) {
  const std::string& name = file.name();
  buffer bytes = read_all(file, threads);
  const std::string_view content(bytes.data(), bytes.size());
  if (content.starts_with("\x1f\x8b")) return unpack(bytes, file);
  if (const char* other = other_format(content))
    throw input_error(
        fmt::format("{}: expected Matrix Market text, .gz or .tar.gz, found {}", name, other));
  return {{std::move(bytes), name}, plain_name(file.path()), std::nullopt, {}};
}

}  // namespace dwell::mm
