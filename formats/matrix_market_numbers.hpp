// SPDX-License-Identifier: MIT
// Private to formats: scanning of blanks, counts and values. Every value is the double nearest to
// the decimal text (ties to even), as strtod gives it. The common case is exact in one operation
// (Clinger, "How to read floating point numbers accurately", 1990): a mantissa of at most 2^53
// times or over a power of ten of at most 10^22, both exact doubles. The rest goes to
// std::from_chars.
#pragma once
#include <cstdint>
#include <limits>

namespace dwell::mm {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

inline const char* skip_blanks(const char* p, const char* end) {
  while (p != end && (*p == ' ' || *p == '\t')) ++p;
  return p;
}

/// A line ends with "\n" or "\r\n", the last one possibly with "\r" or nothing.
inline bool at_line_end(const char* p, const char* end) {
  return p == end || *p == '\n' || (*p == '\r' && (p + 1 == end || p[1] == '\n'));
}

inline bool at_token_end(const char* p, const char* end) {
  return p == end || *p == ' ' || *p == '\t' || *p == '\n' || *p == '\r';
}

enum class scan { ok, malformed, not_finite, too_large, inexact };

/// A count or an index: digits, perhaps after '+'. Leaves p behind the number if it is one; a
/// number beyond 64 bits gives the largest. Zero and range are the caller's business.
inline scan scan_count(const char*& p, const char* end, std::int64_t& out) {
  const char* q = p;
  if (q != end && *q == '+') ++q;
  const char* first = q;
  std::uint64_t v = 0;
  for (; q != end && is_digit(*q); ++q) {
    v = 10 * v + static_cast<std::uint64_t>(*q - '0');
    if (v >= std::uint64_t{1} << 59) v = std::uint64_t{1} << 59;  // saturates; 10 v + 9 still fits
  }
  if (q == first || !at_token_end(q, end)) return scan::malformed;
  out = v >= std::uint64_t{1} << 59 ? std::numeric_limits<std::int64_t>::max()
                                    : static_cast<std::int64_t>(v);
  p = q;
  return scan::ok;
}

/// The parts of a decimal number: (-1)^negative * digits * 10^exponent.
struct decimal {
  bool negative = false;
  const char* digits = nullptr;  ///< the first digit or the point
  std::int64_t count = 0;        ///< digits, leading zeros included
  std::uint64_t mantissa = 0;    ///< their value, if they are at most 19
  std::int64_t exponent = 0;     ///< written exponent less the digits behind the point
  std::int64_t behind = 0;       ///< digits behind the point
};

/// Splits [+-]digits[.digits][(e|E|d|D)[+-]digits]; p ends behind the number. False: not a number.
inline bool split_decimal(const char*& p, const char* end, decimal& d) {
  const char* q = p;
  if (q != end && (*q == '-' || *q == '+')) d.negative = *q++ == '-';
  d.digits = q;
  std::uint64_t w = 0;
  for (; q != end && is_digit(*q); ++q) w = 10 * w + static_cast<std::uint64_t>(*q - '0');
  d.count = q - d.digits;
  if (q != end && *q == '.') {
    const char* point = ++q;
    for (; q != end && is_digit(*q); ++q) w = 10 * w + static_cast<std::uint64_t>(*q - '0');
    d.behind = q - point;
    d.count += d.behind;
  }
  if (d.count == 0) return false;
  d.mantissa = w;
  d.exponent = -d.behind;
  if (q != end && (*q == 'e' || *q == 'E' || *q == 'd' || *q == 'D')) {
    ++q;
    const bool down = q != end && *q == '-';
    if (q != end && (*q == '-' || *q == '+')) ++q;
    const char* first = q;
    std::int64_t e = 0;
    for (; q != end && is_digit(*q); ++q)
      if (e < std::int64_t{1} << 55) e = 10 * e + (*q - '0');  // saturates
    if (q == first) return false;
    d.exponent += down ? -e : e;
  }
  if (!at_token_end(q, end)) return false;
  p = q;
  return true;
}

/// The cases that scan_real leaves over; [token, end) is the whole number.
scan convert_decimal(const char* token, const char* end, const decimal& d, double& out);
/// Why the word at p is not a number: not_finite for nan, inf and infinity, else malformed.
scan why_not_a_number(const char* p, const char* end);

inline constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                           1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                           1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// A real value. On success p stands behind it, else p is unchanged. A value too small for a double
/// rounds to a subnormal or to zero; one too large is too_large.
inline scan scan_real(const char*& p, const char* end, double& out) {
  decimal d;
  const char* token = p;
  if (!split_decimal(p, end, d)) return why_not_a_number(p, end);
  if (d.count <= 19 && d.mantissa <= std::uint64_t{1} << 53 && d.exponent >= -22 &&
      d.exponent <= 22) {
    double v = static_cast<double>(d.mantissa);
    if (d.exponent < 0)
      v /= powers_of_ten[-d.exponent];
    else
      v *= powers_of_ten[d.exponent];
    out = d.negative ? -v : v;
    return scan::ok;
  }
  const scan result = convert_decimal(token, p, d, out);
  if (result != scan::ok) p = token;
  return result;
}

/// An integer value that a double holds exactly; more digits than that are inexact.
scan scan_integer(const char*& p, const char* end, double& out);

}  // namespace dwell::mm
