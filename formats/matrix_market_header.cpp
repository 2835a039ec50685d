// SPDX-License-Identifier: MIT
// The head of a Matrix Market file, line by line. Words are compared without regard to case.
#include "dwell/formats/matrix_market_header.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "dwell/base/error.hpp"
#include "dwell/formats/matrix_market_numbers.hpp"

namespace dwell::mm {
namespace {

const char* next_line(const char* p, const char* end) {
  const void* newline =
      p == end ? nullptr : std::memchr(p, '\n', static_cast<std::size_t>(end - p));
  return newline ? static_cast<const char*>(newline) + 1 : end;
}

/// The first line from p on that is neither blank nor a comment.
const char* skip_comments(const char* p, const char* end) {
  for (;;) {
    p = skip_blanks(p, end);
    if (p == end || (!at_line_end(p, end) && *p != '%')) return p;
    p = next_line(p, end);
  }
}

bool same_word(const char* p, const char* end, std::string_view lower_case) {
  for (const char c : lower_case) {
    if (p == end || (*p >= 'A' && *p <= 'Z' ? *p - 'A' + 'a' : *p) != c) return false;
    ++p;
  }
  return at_token_end(p, end);
}

struct choice {
  std::string_view word;
  int value;
  const char* why_not = nullptr;  ///< reason why a word of the format cannot stand here
};

/// What the format has and is not read here.
[[noreturn]] void fail_unsupported(const text& t, const complaint& c, std::string_view why) {
  try {
    fail(t, c);
  } catch (const input_error& e) {
    throw unsupported_error(fmt::format("{} ({})", e.what(), why));
  }
}

/// Reads one of the choices.
int read_word(const text& t, const char*& p, std::string_view expected,
              std::initializer_list<choice> choices) {
  p = skip_blanks(p, t.end);
  for (const choice& c : choices) {
    if (!same_word(p, t.end, c.word)) continue;
    if (c.why_not) fail_unsupported(t, {p, std::string(expected)}, c.why_not);
    p += c.word.size();
    return c.value;
  }
  fail(t, {p, std::string(expected)});
}

void expect_line_end(const text& t, const char*& p) {
  p = skip_blanks(p, t.end);
  if (!at_line_end(p, t.end)) fail(t, {p, "the end of the line"});
}

/// What a text in Unicode may begin with.
const char* byte_order_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) return "a byte order mark before it";
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return "a byte order mark of UTF-16";
  return nullptr;
}

std::string fields_of(bool coordinate) {
  return coordinate ? "'real', 'integer' or 'pattern'" : "'real' or 'integer'";
}

mm_header read_banner(const text& t, const char** field_at = nullptr) {
  mm_header h;
  const char* p = t.begin;
  if (t.size() == 0) fail(t, {p, "'%%MatrixMarket'", "an empty file"});
  if (const char* mark = byte_order_mark({t.begin, t.size()}))
    fail(t, {p, "'%%MatrixMarket'", fmt::format("{}: save the file as UTF-8 without it", mark)});
  if (!same_word(p, t.end, "%%matrixmarket")) fail(t, {p, "'%%MatrixMarket'"});
  p += std::strlen("%%MatrixMarket");
  read_word(t, p, "'matrix'", {{"matrix", 0}});
  h.layout =
      static_cast<mm_layout>(read_word(t, p, "'coordinate' or 'array'",
                                       {{"coordinate", static_cast<int>(mm_layout::coordinate)},
                                        {"array", static_cast<int>(mm_layout::array)}}));
  const bool coordinate = h.layout == mm_layout::coordinate;
  const char* field = skip_blanks(p, t.end);
  h.field = static_cast<mm_field>(read_word(t, p, fields_of(coordinate),
                                            {{"real", static_cast<int>(mm_field::real)},
                                             {"integer", static_cast<int>(mm_field::integer)},
                                             {"pattern", static_cast<int>(mm_field::pattern)},
                                             {"complex", static_cast<int>(mm_field::complex)}}));
  if (field_at) *field_at = field;
  if (h.field == mm_field::pattern && !coordinate)
    fail(t, {field, "'real' or 'integer' in an array file"});
  const char* symmetry = skip_blanks(p, t.end);
  h.symmetry = static_cast<mm_symmetry>(
      read_word(t, p, "'general', 'symmetric' or 'skew-symmetric'",
                {{"general", static_cast<int>(mm_symmetry::general)},
                 {"symmetric", static_cast<int>(mm_symmetry::symmetric)},
                 {"skew-symmetric", static_cast<int>(mm_symmetry::skew_symmetric)},
                 {"hermitian", static_cast<int>(mm_symmetry::hermitian),
                  h.field == mm_field::complex ? nullptr : "a hermitian matrix is complex"}}));
  if (h.symmetry == mm_symmetry::skew_symmetric && h.field == mm_field::pattern)
    fail(t, {symmetry, "'general' or 'symmetric' in a pattern file"});
  expect_line_end(t, p);
  return h;
}

std::int64_t read_size(const text& t, const char*& p, std::string_view what) {
  p = skip_blanks(p, t.end);
  const char* token = p;
  std::int64_t v = 0;
  if (scan_count(p, t.end, v) != scan::ok || v > largest_count)
    fail(t, {token, fmt::format("the number of {} (0 to {})", what, largest_count)});
  return v;
}

}  // namespace

void require_real(const text& t, const header_found& h) {
  if (h.header.field == mm_field::complex)
    fail_unsupported(
        t, {h.field, fields_of(h.header.layout == mm_layout::coordinate)},
        "complex files are for dwell solve and dwell cg with a complex matrix, dwell info and "
        "dwell convert");
}

void require_banner(const text& t) { static_cast<void>(read_banner(t)); }

header_found parse_header(const text& t) {
  header_found out;
  mm_header& h = out.header = read_banner(t, &out.field);
  const bool coordinate = h.layout == mm_layout::coordinate;
  const char* p = skip_comments(next_line(t.begin, t.end), t.end);
  out.size_line = p;
  if (p == t.end)
    fail(t, {p, coordinate ? "the line 'rows columns entries'" : "the line 'rows columns'"});
  h.rows = read_size(t, p, "rows");
  const char* columns = skip_blanks(p, t.end);
  h.cols = read_size(t, p, "columns");
  if (h.symmetry != mm_symmetry::general && h.rows != h.cols)
    fail(t, {columns,
             fmt::format("{} columns (a {} matrix is square)", h.rows, to_string(h.symmetry))});
  if (coordinate) {
    const char* entries = skip_blanks(p, t.end);
    h.stored = read_size(t, p, "entries");
    if (h.stored > 0 && (h.rows == 0 || h.cols == 0))
      fail(t, {entries, fmt::format("no entries in a matrix of {} x {}", h.rows, h.cols)});
  } else {
    // Counts are below 2^31, so these products stay below 2^62.
    const std::int64_t n = h.rows;
    const bool skew = h.symmetry == mm_symmetry::skew_symmetric;
    const std::int64_t full = n * h.cols - (skew ? n : 0);
    h.stored = h.symmetry == mm_symmetry::general ? full : skew ? full / 2 : (full + n) / 2;
    if (full > largest_count)
      fail(t, {out.size_line, fmt::format("at most {} entries in the full matrix", largest_count),
               std::to_string(full)});
  }
  expect_line_end(t, p);
  out.body = next_line(p, t.end);
  return out;
}

bool header_complete(const text& t) {
  const char* p = skip_comments(next_line(t.begin, t.end), t.end);
  return next_line(p, t.end) != t.end;
}

void check_sizes(const header_found& h, const text& t, std::uint64_t bytes) {
  // A row costs 4 bytes, a column perhaps 8 in a vector: at most 4 MiB, or 64 bytes of rows per
  // byte of file. A matrix with 15 empty rows for each byte of its file is an error or an attack.
  const std::int64_t most = (std::int64_t{1} << 20) + 16 * static_cast<std::int64_t>(bytes);
  const std::int64_t found = std::max(h.header.rows, h.header.cols);
  if (found > most)
    fail(t, {h.size_line,
             fmt::format("at most {} rows and columns in a file of {} bytes", most, bytes),
             std::to_string(found)});
  // A text is long also by comments and blank lines; entries must be there in the end.
  const std::int64_t most_of_entries = (std::int64_t{1} << 20) + 64 * h.header.stored;
  if (found > most_of_entries)
    fail(t, {h.size_line,
             fmt::format("at most {} rows and columns for {}", most_of_entries,
                         entries_of(h.header.stored)),
             std::to_string(found)});
  // The shortest lines that are entries: "1 1\n", "1 1 1\n", "1 1 1 1\n", or "1\n", "1 1\n". Where
  // few are missing, the end of the file says how many.
  const bool coordinate = h.header.layout == mm_layout::coordinate;
  const std::int64_t values = h.header.field == mm_field::complex   ? 2
                              : h.header.field == mm_field::pattern ? 0
                                                                    : 1;
  const std::int64_t shortest = 2 * values + (coordinate ? 4 : 0);
  constexpr std::int64_t few = std::int64_t{1} << 20;
  const auto room = static_cast<std::int64_t>(bytes) - (h.body - t.begin) + 1;
  if (h.header.stored > few + room / shortest)
    fail(t, {h.size_line,
             fmt::format("at most {} in a file of {} bytes", entries_of(room / shortest), bytes),
             std::to_string(h.header.stored)});
}

}  // namespace dwell::mm
