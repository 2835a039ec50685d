// SPDX-License-Identifier: MIT
// Member after member through one zlib stream, which is reset between them.
#include "dwell/formats/gzip_stream.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>

#include "dwell/formats/error.hpp"

namespace dwell::mm {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 16;   // stays in a core's own cache
constexpr std::size_t most_at_once = std::size_t{1} << 30;  // zlib counts in 32 bits
constexpr int gzip_alone = 15 + 16;                         // largest window, no other wrapping
constexpr std::string_view magic("\x1f\x8b", 2);

}  // namespace

void gzip_stream::closer::operator()(z_stream_s* z) const {
  inflateEnd(z);  // does nothing to a stream that was never begun
  delete z;
}

gzip_stream::gzip_stream(std::string_view packed, std::string name)
    : name_(std::move(name)), rest_(packed), block_(block_bytes), z_(new z_stream{}) {
  if (inflateInit2(z_.get(), gzip_alone) != Z_OK) throw std::bad_alloc();
}

std::string_view gzip_stream::next() {
  std::size_t filled = 0;
  while (!ended_ && filled < block_.size()) {
    feed();
    z_->next_out = reinterpret_cast<Bytef*>(block_.data() + filled);
    z_->avail_out = static_cast<uInt>(block_.size() - filled);
    const int status = inflate(z_.get(), Z_NO_FLUSH);
    filled = block_.size() - z_->avail_out;
    switch (status) {
      case Z_OK:
        break;
      case Z_STREAM_END:
        end_member();
        break;
      case Z_BUF_ERROR:  // there is room: what is missing is input
        fail("one that is cut short");
      case Z_MEM_ERROR:
        throw std::bad_alloc();
      default:
        fail(fmt::format("one that is damaged: {}", z_->msg ? z_->msg : "no gzip data"));
    }
  }
  return {block_.data(), filled};
}

void gzip_stream::feed() {
  if (z_->avail_in > 0 || rest_.empty()) return;
  const std::size_t n = std::min(rest_.size(), most_at_once);
  z_->next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(rest_.data()));
  z_->avail_in = static_cast<uInt>(n);
  rest_.remove_prefix(n);
}

void gzip_stream::end_member() {
  ++members_;
  const auto* at = reinterpret_cast<const char*>(z_->next_in);
  const std::size_t left = z_->avail_in + rest_.size();  // one piece: see feed()
  const std::string_view behind(at, left);
  ended_ = behind.empty();
  if (ended_) return;
  if (!behind.starts_with(magic))
    throw input_error(fmt::format(
        "{}: expected the end of the gzip file after {}, found {} more byte{} that {} no gzip data",
        name_, members_ == 1 ? "its content" : fmt::format("{} members", members_), left,
        left == 1 ? "" : "s", left == 1 ? "is" : "are"));
  inflateReset(z_.get());
}

void gzip_stream::fail(const std::string& found) const {
  throw input_error(fmt::format("{}: expected a whole gzip file, found {}{}", name_, found,
                                members_ ? fmt::format(" (in member {})", members_ + 1) : ""));
}

}  // namespace dwell::mm
