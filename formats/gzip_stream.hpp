// SPDX-License-Identifier: MIT
// Private to formats: the decompressed bytes of a gzip file, block by block as it is read, through
// zlib, which compares each member's checksum and length with what came out. A file of several
// members (RFC 1952, what `cat a.gz b.gz` makes) is their contents one behind the other; whatever
// follows the last member is an error.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct z_stream_s;

namespace dwell::mm {

/// What a gzip file begins with.
inline constexpr std::string_view gzip_magic("\x1f\x8b", 2);

class gzip_stream {
 public:
  /// `more` gives the file's bytes, in blocks that are valid until its next call, less than 4 GiB
  /// each, and an empty one at the end; `name` stands in messages.
  gzip_stream(std::function<std::string_view()> more, std::string name);

  /// The next bytes, valid until the next call; empty at the end. A block is full unless it is the
  /// last one. Throws input_error for a stream that is damaged or cut short, or that something else
  /// follows, at the latest when the end is reached.
  std::string_view next();

  /// Bytes of the file that have been taken so far.
  std::uint64_t taken() const { return taken_; }

 private:
  struct closer {
    void operator()(z_stream_s* z) const;
  };

  void feed();
  bool take_block();
  void end_member();
  [[noreturn]] void fail(const std::string& found) const;

  std::string name_;
  std::function<std::string_view()> more_;
  std::string joint_;  ///< two blocks, where a member begins with the last byte of the first
  std::uint64_t taken_ = 0;
  std::vector<char> block_;
  std::unique_ptr<z_stream_s, closer> z_;
  std::size_t members_ = 0;  ///< that have ended
  bool ended_ = false;
};

}  // namespace dwell::mm
