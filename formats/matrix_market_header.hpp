// SPDX-License-Identifier: MIT
// Private to formats: the banner, the comments and the size line of a Matrix Market file.
#pragma once
#include <cstdint>
#include <functional>

#include "dwell/formats/matrix_market.hpp"
#include "dwell/formats/matrix_market_text.hpp"

namespace dwell::mm {

/// The largest row, column and entry count: they are counted with 31 bits.
inline constexpr std::int64_t largest_count = 2147483647;

struct header_found {
  mm_header header;
  const char* size_line = nullptr;  ///< its first number
  const char* body = nullptr;       ///< behind the size line
  const char* field = nullptr;      ///< the word in the banner
};

/// Throws input_error, or unsupported_error for what the format has and Dwell does not.
header_found parse_header(const text& t);

/// Throws unsupported_error for a complex file, where a real matrix is read.
void require_real(const text& t, const header_found& h);

/// The first line alone; throws as parse_header().
void require_banner(const text& t);

/// True if the banner and the size line are whole in a text that has only begun to arrive.
bool header_complete(const text& t);

/// Refuses sizes for which a file of so many bytes with so many entries cannot stand: rows and
/// columns cost memory even when they are empty, and an entry has a line. `t` has the head at
/// least.
void check_sizes(const header_found& h, const text& t, std::uint64_t bytes);

/// Looks at a head as soon as it is read, in a text that has only begun to arrive perhaps. False:
/// no more is to be read.
using head_check = std::function<bool(const text& begun, const header_found& h)>;

}  // namespace dwell::mm
