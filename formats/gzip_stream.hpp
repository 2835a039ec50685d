// SPDX-License-Identifier: MIT
// Private to formats: the decompressed bytes of a gzip file in memory, block by block, through
// libarchive. What libarchive leaves out is done here: the checksum and the length at the end of
// the file are compared with what came out, for a damaged file can unpack to other numbers without
// an error. They cover one gzip member, so a file of several is refused.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct archive;

namespace dwell::mm {

struct archive_closer {
  void operator()(archive* a) const;
};
using archive_handle = std::unique_ptr<archive, archive_closer>;

/// An archive to read from; throws std::bad_alloc.
archive_handle new_archive();

/// libarchive's words for what went wrong.
std::string why_failed(archive* a);

class gzip_stream {
 public:
  /// `packed` must outlive the stream; `name` stands in messages.
  gzip_stream(std::string_view packed, std::string name);

  /// The next bytes, valid until the next call; empty at the end. Throws input_error for a stream
  /// that is damaged or cut short, at the latest when the end is reached.
  std::string_view next();

 private:
  bool more(int status) const;
  void verify() const;

  std::string_view packed_;
  std::string name_;
  archive_handle archive_;
  std::uint64_t total_ = 0;
  std::uint32_t checksum_ = 0;
  bool ended_ = false;
};

}  // namespace dwell::mm
