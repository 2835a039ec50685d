// SPDX-License-Identifier: MIT
// The number scanner against strtod, bit for bit: random doubles in several notations, random
// digits, halfway cases written out in full, subnormals, both ends of the range.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>

#include "battery.hpp"
#include "dwell/formats/matrix_market_numbers.hpp"

namespace dwell::mm {
namespace {

using test::splitmix64;

struct scanned {
  scan result;
  double value = 0;
  std::size_t used = 0;
};

template <class F>
scanned run(F&& f, const std::string& s) {
  scanned out{};
  const char* p = s.data();
  out.result = f(p, s.data() + s.size(), out.value);
  out.used = static_cast<std::size_t>(p - s.data());
  return out;
}

scanned real(const std::string& s) { return run(scan_real, s); }
scanned integer(const std::string& s) { return run(scan_integer, s); }

void expect_as_strtod(const std::string& s) {
  std::string c = s;  // C knows no 'd'
  for (char& x : c)
    if (x == 'd' || x == 'D') x = 'e';
  const double expected = std::strtod(c.c_str(), nullptr);
  const scanned got = real(s);
  if (std::isinf(expected)) {
    ASSERT_EQ(got.result, scan::too_large) << s;
    return;
  }
  ASSERT_EQ(got.result, scan::ok) << s;
  ASSERT_EQ(got.used, s.size()) << s;
  ASSERT_EQ(std::bit_cast<std::uint64_t>(got.value), std::bit_cast<std::uint64_t>(expected)) << s;
}

double random_double(splitmix64& random) {
  for (;;) {
    const double v = std::bit_cast<double>(random.next());
    if (std::isfinite(v)) return v;
  }
}

TEST(matrix_market_numbers, notations) {
  for (const char* s : {"0",
                        "-0",
                        "+0",
                        "0.0",
                        "-.0",
                        "0e999",
                        "0e-999",
                        "-0.000e+400",
                        "1",
                        "+1.5",
                        "-1.5",
                        ".5",
                        "5.",
                        "-.5e1",
                        "5.e-1",
                        "1e3",
                        "1E3",
                        "1d3",
                        "1D+3",
                        "1D-03",
                        "+1.d0",
                        "00012",
                        "0000000000000000000000.1",
                        "1e22",
                        "1e23",
                        "9007199254740992",
                        "9007199254740993",
                        "9007199254740993e0",
                        "123456789012345678",
                        "1234567890123456789",
                        "12345678901234567890",
                        "0.1234567890123456789012345678901234567890",
                        "18446744073709551615",
                        "18446744073709551616",
                        "1e308",
                        "1.7976931348623157e308",
                        "1.7976931348623158e308",
                        "1.7976931348623159e308",
                        "179769313486231580793e289",
                        "1e309",
                        "-1e309",
                        "1e-307",
                        "2.2250738585072014e-308",
                        "2.2250738585072011e-308",
                        "5e-324",
                        "4.9406564584124654e-324",
                        "2.4703282292062328e-324",
                        "2.4703282292062327e-324",
                        "1e-324",
                        "-1e-400",
                        "1e-99999999999999999999",
                        "1e99999999999999999999",
                        "0.00000000000000000000000000000000000001e38",
                        "6929495644600919.5",
                        "3.7455744005952583e15",
                        "1.00000000000000011102230246251565404236316680908203125",
                        "1.00000000000000011102230246251565404236316680908203124",
                        "1.00000000000000011102230246251565404236316680908203126"})
    expect_as_strtod(s);
}

TEST(matrix_market_numbers, very_long_texts) {
  expect_as_strtod(std::string(5000, '0') + "1.5");
  expect_as_strtod("0." + std::string(5000, '0') + "15d5000");
  expect_as_strtod("1" + std::string(300, '0') + "." + std::string(5000, '9'));
  expect_as_strtod("1" + std::string(5000, '0') + "e-5000");
  expect_as_strtod("1" + std::string(5000, '0'));
  expect_as_strtod("0." + std::string(5000, '0') + "1");
}

TEST(matrix_market_numbers, random_doubles_in_several_notations) {
  splitmix64 random(1);
  for (int i = 0; i < 60000; ++i) {
    const double v = random_double(random);
    expect_as_strtod(fmt::format("{}", v));
    expect_as_strtod(fmt::format("{:.16e}", v));
    expect_as_strtod(fmt::format("{:.14e}", v));
    expect_as_strtod(fmt::format("{:.19e}", v));
    const double u = random.uniform() * std::ldexp(1.0, random.below(80) - 40);
    expect_as_strtod(fmt::format("{:.17g}", u));
    expect_as_strtod(fmt::format("{:.15f}", u));
  }
}

TEST(matrix_market_numbers, random_digits_around_the_fast_path) {
  splitmix64 random(2);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t digits = random.next() >> random.below(64);
    const index exponent = random.below(60) - 30;
    const char letter = "eEdD"[random.below(4)];
    expect_as_strtod(fmt::format("{}{}{}", digits, letter, exponent));
    expect_as_strtod(fmt::format("-{}.{}", random.below(100000), digits));
  }
  for (int exponent = -25; exponent <= 25; ++exponent)
    for (std::uint64_t near = (std::uint64_t{1} << 53) - 3; near <= (std::uint64_t{1} << 53) + 3;
         ++near)
      expect_as_strtod(fmt::format("{}e{}", near, exponent));
}

TEST(matrix_market_numbers, halfway_between_two_doubles_in_full) {
  splitmix64 random(3);
  for (int i = 0; i < 3000; ++i) {
    // v + half its last bit is exact in long double; all its digits are written.
    const double v = std::abs(random.uniform()) * std::ldexp(1.0, random.below(160) - 80);
    const long double middle = (static_cast<long double>(v) + std::nextafter(v, INFINITY)) / 2;
    char text[512];
    const int n = std::snprintf(text, sizeof text, "%.200Lf", middle);
    std::string s(text, static_cast<std::size_t>(n));
    expect_as_strtod(s);
    expect_as_strtod(s + "1");
    while (s.ends_with('0')) s.pop_back();
    expect_as_strtod(s);
    if (s.ends_with('5')) expect_as_strtod(s.substr(0, s.size() - 1) + "4999");
  }
}

TEST(matrix_market_numbers, subnormals) {
  splitmix64 random(4);
  for (int i = 0; i < 20000; ++i) {
    const double v = std::bit_cast<double>(random.next() & ((std::uint64_t{1} << 52) - 1));
    expect_as_strtod(fmt::format("{}", v));
    expect_as_strtod(fmt::format("{:.25e}", v));
  }
}

TEST(matrix_market_numbers, what_is_not_a_number) {
  for (const char* s : {"",      "+",   "-",        ".",    "-.",   "e5",    ".e5", "1e",
                        "1e+",   "1d-", "1.5.2",    "1,5",  "0x10", "--1",   "+-1", "1_000",
                        "1e2.5", "1+3", "infinite", "nano", "1f",   "1 000x"}) {
    const scanned got = real(std::string(s) == "1 000x" ? "x" : s);
    EXPECT_EQ(got.result, scan::malformed) << s;
    EXPECT_EQ(got.used, 0u) << s;
  }
  for (const char* s :
       {"nan", "NaN", "-nan", "nan(7)", "inf", "+Inf", "-INF", "Infinity", "-infinity"})
    EXPECT_EQ(real(s).result, scan::not_finite) << s;
}

TEST(matrix_market_numbers, a_number_ends_at_a_blank_or_a_line_end) {
  for (const char* s : {"1.5 2", "1.5\t", "1.5\n", "1.5\r\n"}) {
    EXPECT_EQ(real(s).value, 1.5);
    EXPECT_EQ(real(s).used, 3u);
  }
}

TEST(matrix_market_numbers, integers) {
  EXPECT_EQ(integer("-12").value, -12);
  EXPECT_EQ(integer("+0012").value, 12);
  EXPECT_EQ(integer("9007199254740992").value, 0x1p53);
  EXPECT_EQ(integer("9007199254740994").value, 0x1p53 + 2);
  EXPECT_EQ(integer("-00000000000000000000000018446744073709551616").value, -0x1p64);
  EXPECT_EQ(integer("9007199254740993").result, scan::inexact);
  EXPECT_EQ(integer("10000000000000000000000000000001").result, scan::inexact);
  EXPECT_EQ(integer("1" + std::string(309, '0')).result, scan::too_large);
  for (const char* s : {"1.0", "1e3", "1.", "", "-", "x"})
    EXPECT_EQ(integer(s).result, scan::malformed) << s;
  EXPECT_EQ(integer("nan").result, scan::not_finite);
}

TEST(matrix_market_numbers, counts) {
  const auto count = [](const std::string& s) {
    std::int64_t v = -1;
    const char* p = s.data();
    const bool ok = scan_count(p, s.data() + s.size(), v) == scan::ok;
    EXPECT_EQ(p != s.data(), ok);
    return v;
  };
  EXPECT_EQ(count("0"), 0);
  EXPECT_EQ(count("+17 "), 17);
  EXPECT_EQ(count("000000000000000000000000000012"), 12);
  EXPECT_EQ(count("2147483648"), 2147483648);
  EXPECT_EQ(count("99999999999999999"), 99999999999999999);
  EXPECT_EQ(count("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(count(std::string(100, '9')), std::numeric_limits<std::int64_t>::max());
  for (const char* s : {"", "-1", "+", "1.0", "1x", "x"}) EXPECT_EQ(count(s), -1) << s;
}

}  // namespace
}  // namespace dwell::mm
