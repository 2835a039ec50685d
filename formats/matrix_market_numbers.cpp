// SPDX-License-Identifier: MIT
// The rare cases of number scanning: long mantissas, large exponents, and words that are no
// numbers.
#include "dwell/formats/matrix_market_numbers.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace dwell::mm {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Decimal digits before the point of the value written out without an exponent; 1 for 3.5, 0 for
/// 0.35, -2 for 0.00035. The value must not be zero.
std::int64_t digits_before_point(const decimal& d) {
  std::int64_t zeros = 0;
  for (const char* q = d.digits; *q == '0' || *q == '.'; ++q) zeros += *q == '0';
  return d.count - zeros + d.exponent;
}

scan from_chars(const char* token, const char* end, const decimal& d, double& out) {
  const auto [stop, error] = std::from_chars(token, end, out);
  if (stop != end) return scan::malformed;
  if (error == std::errc::result_out_of_range) {
    if (digits_before_point(d) > 0) return scan::too_large;
    out = d.negative ? -0.0 : 0.0;
    return scan::ok;
  }
  return std::isfinite(out) ? scan::ok : scan::too_large;
}

}  // namespace

scan convert_decimal(const char* token, const char* end, const decimal& d, double& out) {
  // from_chars knows neither a leading '+' nor Fortran's 'd'.
  if (*token == '+') ++token;
  bool fortran = false;
  for (const char* q = end; q != token && !fortran; --q) fortran = q[-1] == 'd' || q[-1] == 'D';
  if (!fortran) return from_chars(token, end, d, out);
  std::string copy(token, end);
  copy[copy.find_first_of("dD")] = 'e';
  return from_chars(copy.data(), copy.data() + copy.size(), d, out);
}

scan why_not_a_number(const char* p, const char* end) {
  if (p != end && (*p == '-' || *p == '+')) ++p;
  std::string word;
  for (; !at_token_end(p, end) && word.size() < 9; ++p) word += lower(*p);
  const bool known =
      word == "inf" || word == "infinity" || word == "nan" || word.starts_with("nan(");
  return known ? scan::not_finite : scan::malformed;
}

scan scan_integer(const char*& p, const char* end, double& out) {
  const char* q = p;
  if (q != end && (*q == '-' || *q == '+')) ++q;
  while (q != end && is_digit(*q)) ++q;
  if (!at_token_end(q, end)) return why_not_a_number(p, end);
  const char* token = p;
  decimal d;
  if (!split_decimal(q = token, end, d)) return scan::malformed;
  const scan result = scan_real(p, end, out);
  if (result != scan::ok || (d.count <= 19 && d.mantissa <= std::uint64_t{1} << 53)) return result;
  // Up to 2^53 every integer is a double. Beyond, it is one if the double has the same digits.
  char digits[320];  // the largest double has 309
  const char* stop =
      std::to_chars(digits, digits + sizeof digits, std::abs(out), std::chars_format::fixed, 0).ptr;
  const char* first = d.digits;
  while (q - first > 1 && *first == '0') ++first;
  if (std::string_view(digits, stop) == std::string_view(first, q)) return scan::ok;
  p = token;
  return scan::inexact;
}

}  // namespace dwell::mm
