// SPDX-License-Identifier: MIT
// Private to formats: a text that arrives from a stream of unknown length (a gzip file, a pipe) and
// is refused as soon as it is longer than what has come of it justifies: its head, the entries that
// are really in it, and of a gzip file the bytes that it was unpacked from.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "dwell/formats/matrix_market_source.hpp"

namespace dwell::mm {

/// A head may have comments, of so many bytes.
inline constexpr std::uint64_t longest_head = std::uint64_t{16} << 20;

/// Longest first line: with no end of it in so many bytes, or no banner in it, a stream is no
/// Matrix Market file. The format has lines of at most 1024.
inline constexpr std::size_t longest_first_line = std::size_t{1} << 16;

/// Throws input_error if a text that begins like this is not a Matrix Market file. `whole`: no more
/// will come. False: it cannot be told yet.
bool begins_well(const text& begun, bool whole);

class bounded_text {
 public:
  /// `packed` tells how many bytes of a gzip file have been unpacked so far; null: it is none.
  /// `check` sees the head.
  explicit bounded_text(std::string name, std::function<std::uint64_t()> packed = nullptr,
                        head_check check = nullptr);

  /// Throws input_error if there is too much text by now, or no Matrix Market file begins like
  /// this. False: there are more entries than announced, no more text is needed to refuse it.
  bool add(std::string_view block);
  document take();

 private:
  void look();
  void look_at_head(const text& t);
  void look_at_entries(const text& t);

  document out_;
  std::function<std::uint64_t()> packed_;
  head_check check_;
  std::uint64_t limit_ = 0;    ///< look again when there is more than this
  std::uint64_t head_ = 0;     ///< bytes of it; 0: it is not whole yet
  std::uint64_t counted_ = 0;  ///< bytes whose entries have been counted
  std::int64_t entries_ = 0;   ///< in them
  std::int64_t announced_ = 0;
  bool array_ = false, begins_well_ = false, enough_ = false;
};

}  // namespace dwell::mm
