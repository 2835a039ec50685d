// SPDX-License-Identifier: MIT
// Member after member through one zlib stream, which is reset between them.
#include "dwell/formats/gzip_stream.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>

#include "dwell/base/error.hpp"

namespace dwell::mm {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 16;  // stays in a core's own cache
constexpr int gzip_alone = 15 + 16;                        // largest window, no other wrapping

}  // namespace

void gzip_stream::closer::operator()(z_stream_s* z) const {
  inflateEnd(z);  // does nothing to a stream that was never begun
  delete z;
}

gzip_stream::gzip_stream(std::function<std::string_view()> more, std::string name)
    : name_(std::move(name)), more_(std::move(more)), block_(block_bytes), z_(new z_stream{}) {
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
  if (z_->avail_in == 0) take_block();
}

/// Behind what zlib has not used yet, which is at most one byte. False at the end of the file.
bool gzip_stream::take_block() {
  const std::string_view block = more_();
  taken_ += block.size();
  std::string_view all = block;
  if (z_->avail_in > 0) {
    std::string joint(reinterpret_cast<const char*>(z_->next_in), z_->avail_in);
    joint_ = std::move(joint.append(block));
    all = joint_;
  }
  z_->next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(all.data()));
  z_->avail_in = static_cast<uInt>(all.size());
  return !block.empty();
}

void gzip_stream::end_member() {
  ++members_;
  const auto behind = [&] {
    return std::string_view(reinterpret_cast<const char*>(z_->next_in), z_->avail_in);
  };
  if (z_->avail_in < gzip_magic.size()) take_block();
  ended_ = z_->avail_in == 0;
  if (ended_) return;
  if (!behind().starts_with(gzip_magic)) {
    // Counts no more than a block of a pipe without end.
    const std::size_t next = more_().size(), left = z_->avail_in + next;
    const bool counted = next == 0 || more_().empty();
    throw input_error(fmt::format(
        "{}: expected the end of the gzip file after {}, found {} byte{} that {} no gzip data",
        name_, members_ == 1 ? "its content" : fmt::format("{} members", members_),
        counted ? fmt::format("{} more", left) : fmt::format("more than {}", left),
        left == 1 ? "" : "s", left == 1 ? "is" : "are"));
  }
  inflateReset(z_.get());
}

void gzip_stream::fail(const std::string& found) const {
  throw input_error(fmt::format("{}: expected a whole gzip file, found {}{}", name_, found,
                                members_ ? fmt::format(" (in member {})", members_ + 1) : ""));
}

}  // namespace dwell::mm
