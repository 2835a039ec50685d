// SPDX-License-Identifier: MIT
// Unpacking of gzip and of the tar inside it, in one pass and at the speed of the decompressor. A
// bomb unpacks to a thousand times its size: bounded_text refuses it on the way.
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/formats/gzip_stream.hpp"
#include "dwell/formats/matrix_market_bounded.hpp"
#include "dwell/formats/matrix_market_source.hpp"

namespace dwell::mm {
namespace {

struct archive_closer {
  void operator()(archive* a) const { archive_read_free(a); }
};
using archive_handle = std::unique_ptr<archive, archive_closer>;

archive_handle new_archive() {
  archive_handle a(archive_read_new());
  if (!a) throw std::bad_alloc();
  return a;
}

/// A tar read from a gzip stream. libarchive is C: an exception must not cross it, so the callback
/// keeps it and require() throws it again.
class tar_stream {
 public:
  tar_stream(gzip_stream& in, std::string_view first, std::string name)
      : in_(in), first_(first), name_(std::move(name)), archive_(new_archive()) {
    archive_read_support_format_tar(archive_.get());
    require(archive_read_open(archive_.get(), this, nullptr, &tar_stream::feed, nullptr));
  }

  /// The path of the next regular file, or null at the end.
  const char* next_file() {
    archive_entry* entry = nullptr;
    while (require(archive_read_next_header(archive_.get(), &entry))) {
      const char* path = archive_entry_pathname(entry);
      if (!path || archive_entry_filetype(entry) != AE_IFREG) continue;
      return std::strncmp(path, "./", 2) == 0 ? path + 2 : path;
    }
    return nullptr;
  }

  document content(std::string name, const head_check& check = {}) {
    bounded_text out(
        std::move(name), [this] { return in_.taken(); }, check);
    std::vector<char> block(1 << 18);
    for (;;) {
      const la_ssize_t n = archive_read_data(archive_.get(), block.data(), block.size());
      if (n == 0) return out.take();
      require(n < 0 ? static_cast<int>(n) : ARCHIVE_OK);
      if (!out.add({block.data(), static_cast<std::size_t>(n)})) return out.take();
    }
  }

 private:
  static la_ssize_t feed(archive*, void* self, const void** bytes) {
    auto& t = *static_cast<tar_stream*>(self);
    try {
      const std::string_view block = t.first_.empty() ? t.in_.next() : std::exchange(t.first_, {});
      *bytes = block.data();
      return static_cast<la_ssize_t>(block.size());
    } catch (...) {
      t.failed_ = std::current_exception();
      return -1;
    }
  }

  bool require(int status) const {
    if (failed_) std::rethrow_exception(failed_);
    if (status == ARCHIVE_OK || status == ARCHIVE_WARN) return true;
    if (status == ARCHIVE_EOF) return false;
    const char* why = archive_error_string(archive_.get());
    throw input_error(fmt::format("{}: expected a whole tar archive, found: {}", name_,
                                  why ? escape(why) : "damaged data"));
  }

  gzip_stream& in_;
  std::string_view first_;
  std::string name_;
  archive_handle archive_;
  std::exception_ptr failed_;
};

/// NAME of an archive from a pipe, where no file has it: of the first NAME/... in it.
std::string first_folder(std::string_view path) {
  return std::string(path.substr(0, path.find('/')));
}

/// Nothing more is read once nothing more is wanted, which `check` says.
source_file from_tar(tar_stream& tar, const std::string& archive_name, std::string stem,
                     const head_check& check, const bool& wanted) {
  std::optional<document> matrix, companion;
  std::string others, refusal;
  int files = 0;
  while (const char* path = wanted ? tar.next_file() : nullptr) {
    const std::string name = fmt::format("{}({})", archive_name, escape(path));
    if (stem.empty()) stem = first_folder(path);
    if (!matrix && path == fmt::format("{0}/{0}.mtx", stem)) {
      matrix = tar.content(name, check);
    } else if (!companion && path == fmt::format("{0}/{0}_b.mtx", stem)) {
      try {
        companion = tar.content(name);
      } catch (const unsupported_error&) {
        // A complex companion is no right-hand side of a real matrix; it is not offered.
      } catch (const input_error& e) {
        refusal = e.what();  // where the archive itself is damaged, next_file() says so again
      }
    } else if (++files <= 3) {
      others += fmt::format("{}'{}'", files > 1 ? ", " : "", escape(path));
    }
  }
  if (!matrix)
    throw input_error(fmt::format("{}: expected the member '{}', found {}{}", archive_name,
                                  escape(fmt::format("{0}/{0}.mtx", stem)),
                                  files ? others : "no file", files > 3 ? ", ..." : ""));
  return {std::move(*matrix), std::move(stem), std::move(companion), std::move(refusal)};
}

/// Reads on behind the archive: the file may be damaged there. An archive is padded with zeros, but
/// not without end.
void require_end(gzip_stream& in, const std::string& name) {
  constexpr std::uint64_t most_padding = std::uint64_t{16} << 20;
  std::uint64_t behind = 0;
  for (auto block = in.next(); !block.empty(); block = in.next())
    if ((behind += block.size()) > most_padding)
      throw input_error(fmt::format(
          "{}: expected the end of the gzip file after the archive, found more than {} bytes", name,
          most_padding));
}

}  // namespace

source_file unpack(input_file& file, const std::string& first, const head_check& check) {
  const std::string& name = file.name();
  std::string_view begun = first;
  gzip_stream in(
      [&] { return begun.empty() ? file.next() : std::exchange(begun, std::string_view()); }, name);
  std::string_view block = in.next();
  if (block.size() > 262 && block.substr(257, 5) == "ustar") {
    tar_stream tar(in, block, name);
    bool wanted = true;
    source_file out = from_tar(
        tar, name, file.nameless() ? "" : plain_name(file.path()),
        [&](const text& t, const header_found& h) { return wanted = !check || check(t, h); },
        wanted);
    if (wanted) require_end(in, name);
    return out;
  }
  bounded_text out(
      name, [&] { return in.taken(); }, check);
  while (!block.empty() && out.add(block)) block = in.next();
  return {out.take(), plain_name(file.path()), std::nullopt, {}};
}

}  // namespace dwell::mm
