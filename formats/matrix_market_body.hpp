// SPDX-License-Identifier: MIT
// Private to formats: the data lines of a Matrix Market file, parsed in parallel. The text is cut
// at line ends into chunks of equal size; whatever their number, the error reported is the first
// one of the file. Memory grows with the lines that are really there, never with what the header
// says.
//
// Blank lines are skipped anywhere. So are comment lines: the format puts them before the size line
// only, but a line that starts with '%' cannot be data. Each entry stands on a line of its own.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <string>
#include <vector>

#include "dwell/base/interruption.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/formats/complex_matrix_market.hpp"
#include "dwell/formats/matrix_market_header.hpp"
#include "dwell/formats/matrix_market_numbers.hpp"

namespace dwell::mm {

/// The lines of one thread and what it read from them, in order.
template <class Entry>
struct chunk {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::vector<Entry> entries = {};
  complaint wrong = {};
};

/// Calls f(p) with p on the first word of each data line; f returns a pointer to the end of the
/// line, or null to stop.
template <class F>
void each_data_line(const char* p, const char* end, F&& f) {
  for (std::int64_t line = 0; p != end; ++line) {
    poll_interruption_at(line);
    p = skip_blanks(p, end);
    if (!at_line_end(p, end) && *p != '%' && (p = f(p)) == nullptr) return;
    const void* newline =
        p == end ? nullptr : std::memchr(p, '\n', static_cast<std::size_t>(end - p));
    p = newline ? static_cast<const char*>(newline) + 1 : end;
  }
}

/// Cuts the body, runs parse(chunk) for each, and throws the first error of the file: a malformed
/// line, a line after the last entry, or too few entries.
template <class Entry, class Parse>
std::vector<chunk<Entry>> parse_body(const text& t, const header_found& h, int threads,
                                     std::size_t least_bytes, Parse&& parse) {
  constexpr std::int64_t worth_a_thread = 1 << 16;  // bytes, about 0.3 ms of parsing
  const std::int64_t bytes = t.end - h.body;
  const int parts =
      threads > 0
          ? static_cast<int>(std::clamp<std::int64_t>(threads, 1, bytes / 2 + 1))
          : static_cast<int>(std::min<std::int64_t>(default_threads(), bytes / worth_a_thread + 1));
  std::vector<chunk<Entry>> chunks(static_cast<std::size_t>(parts));
  const char* cut = h.body;
  for (int part = 0; part < parts; ++part) {
    const char* stop = std::max(cut, h.body + piece(bytes, part, parts).second);
    if (stop != t.end && stop != h.body && stop[-1] != '\n') {
      const void* newline = std::memchr(stop, '\n', static_cast<std::size_t>(t.end - stop));
      stop = newline ? static_cast<const char*>(newline) + 1 : t.end;
    }
    chunks[static_cast<std::size_t>(part)] = {.begin = cut, .end = stop};
    cut = stop;
  }
  for_parts(parts, [&](int part) {
    auto& c = chunks[static_cast<std::size_t>(part)];
    const auto size = static_cast<double>(c.end - c.begin);
    const double share =
        size * static_cast<double>(h.header.stored) / std::max(1.0, static_cast<double>(bytes));
    c.entries.reserve(static_cast<std::size_t>(
        std::min(1.1 * share + 16, size / static_cast<double>(least_bytes) + 1)));
    parse(c);
  });

  std::int64_t before = 0;  // entries in earlier chunks
  for (const auto& c : chunks) {
    const std::int64_t room = h.header.stored - before,
                       here = static_cast<std::int64_t>(c.entries.size());
    if (here > room || (here == room && c.wrong)) {
      std::int64_t line = 0;
      each_data_line(c.begin, c.end, [&](const char* p) -> const char* {
        if (line++ < room) return p;
        fail(t, {p, "the end of the file after " + entries_of(h.header.stored)});
      });
    }
    if (c.wrong) fail(t, c.wrong);
    before += here;
  }
  if (before < h.header.stored)
    fail(t,
         {t.end, entries_of(h.header.stored), fmt::format("the end of the file after {}", before)});
  return chunks;
}

/// What was expected where a value was not read.
std::string expected_value(scan why, mm_field field);

/// T: double, or of any file std::complex<double>.
template <class T>
csr<T> read_coordinate(const text& t, const header_found& h, int threads);
template <class T>
csr<T> read_array(const text& t, const header_found& h, int threads);

/// Reads a value of a file that is no pattern; of a complex one both numbers. What is wrong stands
/// at p then.
inline scan scan_value(const char*& p, const char* end, mm_field field, double& out) {
  return field == mm_field::integer ? scan_integer(p, end, out) : scan_real(p, end, out);
}
inline scan scan_value(const char*& p, const char* end, mm_field field, std::complex<double>& out) {
  double re = 0, im = 0;
  const scan first = scan_value(p, end, field, re);
  if (first != scan::ok) return first;
  if (field == mm_field::complex) {
    p = skip_blanks(p, end);
    if (const scan second = scan_value(p, end, field, im); second != scan::ok) return second;
  }
  out = {re, im};
  return scan::ok;
}

/// The matrix that a text holds, under that name. Throws input_error as read_matrix_market().
mm_matrix parse(const text& t, std::string name, int threads);
/// Takes any file.
mm_complex_matrix parse_complex(const text& t, std::string name, int threads);

}  // namespace dwell::mm
