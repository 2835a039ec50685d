// SPDX-License-Identifier: MIT
// Private to formats: the decompressed bytes of a gzip file in memory, block by block, through
// zlib, which compares each member's checksum and length with what came out. A file of several
// members (RFC 1952, what `cat a.gz b.gz` makes) is their contents one behind the other; whatever
// follows the last member is an error.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct z_stream_s;

namespace dwell::mm {

class gzip_stream {
 public:
  /// `packed` must outlive the stream; `name` stands in messages.
  gzip_stream(std::string_view packed, std::string name);

  /// The next bytes, valid until the next call; empty at the end. A block is full unless it is the
  /// last one. Throws input_error for a stream that is damaged or cut short, or that something else
  /// follows, at the latest when the end is reached.
  std::string_view next();

 private:
  struct closer {
    void operator()(z_stream_s* z) const;
  };

  void feed();
  void end_member();
  [[noreturn]] void fail(const std::string& found) const;

  std::string name_;
  std::string_view rest_;  ///< of the file, that zlib has not been given yet
  std::vector<char> block_;
  std::unique_ptr<z_stream_s, closer> z_;
  std::size_t members_ = 0;  ///< that have ended
  bool ended_ = false;
};

}  // namespace dwell::mm
