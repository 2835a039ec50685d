// SPDX-License-Identifier: MIT
// The header of a .npy file is a Python dictionary in text: {'descr': '<f8', 'fortran_order':
// False, 'shape': (300, 200), }. The parser takes this dictionary, in any order of its keys, and
// nothing else of Python.
#include "dwell/formats/npy_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string_view>
#include <system_error>

#include "dwell/base/error.hpp"

namespace dwell {
namespace {

constexpr std::string_view magic(npy_magic);
constexpr std::size_t longest_header = 1 << 16;

[[noreturn]] void bad_header(const input_file& file, const std::string& what) {
  throw input_error(fmt::format("{}: {}", file.name(), what));
}

/// What is found, fit for one line of a message.
std::string shown(std::string_view text) {
  std::string s;
  for (const char c : text.substr(0, 40)) s += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > 40 ? s + "..." : s;
}

class dictionary {
 public:
  dictionary(const input_file& file, std::string_view text) : file_(file), rest_(text) {
    take("{");
    while (!next("}")) {
      const std::string key = word();
      take(":");
      if (key == "descr")
        once(has_descr_, key), descr = word();
      else if (key == "fortran_order")
        once(has_order_, key), fortran = truth();
      else if (key == "shape")
        once(has_shape_, key), numbers();
      else
        bad_header(file_,
                   fmt::format("header: expected 'descr', 'fortran_order' or 'shape', found '{}'",
                               shown(key)));
      if (!next(",")) {
        take("}");
        break;
      }
    }
    skip();
    if (!rest_.empty())
      bad_header(file_, fmt::format("header: expected its end, found '{}'", shown(rest_)));
    if (!has_descr_ || !has_order_ || !has_shape_)
      bad_header(file_, "header: expected 'descr', 'fortran_order' and 'shape', not all are there");
  }

  std::string descr;
  bool fortran = false;
  std::vector<long long> shape;

 private:
  void once(bool& seen, const std::string& key) {
    if (seen) bad_header(file_, fmt::format("header: '{}' is there twice", key));
    seen = true;
  }
  void skip() {
    const auto at = rest_.find_first_not_of(" \t\n");
    rest_.remove_prefix(std::min(at, rest_.size()));
  }
  bool next(std::string_view token) {
    skip();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void take(std::string_view token) {
    if (!next(token))
      bad_header(file_, fmt::format("header: expected '{}', found '{}'", token, shown(rest_)));
  }
  std::string word() {
    skip();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    const auto end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      bad_header(file_, fmt::format("header: expected a word in quotes, found '{}'", shown(rest_)));
    const std::string w(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return w;
  }
  bool truth() {
    if (next("True")) return true;
    take("False");
    return false;
  }
  void numbers() {
    take("(");
    while (!next(")")) {
      skip();
      long long n = 0;
      const auto [end, bad] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
      if (bad != std::errc() || n < 0)
        bad_header(file_, fmt::format("header: expected a whole number in the shape, found '{}'",
                                      shown(rest_)));
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      shape.push_back(n);
      if (!next(",")) {
        take(")");
        break;
      }
    }
  }

  const input_file& file_;
  std::string_view rest_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

/// ">f8" is a "<f8" whose bytes come the other way round.
bool is_of(std::string_view descr, const npy_type& type) {
  const std::string_view own = type.descr;
  return descr == own ||
         (type.bytes > 1 && descr.starts_with('>') && descr.substr(1) == own.substr(1));
}

}  // namespace

std::string npy_header::shape_text() const {
  return fmt::format("({})", shown(fmt::format("{}", fmt::join(shape, ", "))));
}

npy_header read_npy_header(input_file& in, std::size_t types) {
  std::array<char, 8> start{};
  const std::size_t there = in.read(start.data(), start.size());
  if (there == 0) bad_header(in, "expected a .npy file, found an empty one");
  if (there != start.size() || !std::string_view(start.data(), start.size()).starts_with(magic))
    bad_header(in, "expected a .npy file, its first bytes are others");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3 || start[7] != 0)
    bad_header(in, fmt::format("expected .npy format 1.0, 2.0 or 3.0, found {}.{}", version,
                               static_cast<int>(start[7])));
  const std::size_t width = version == 1 ? 2 : 4;
  std::array<char, 4> digits{};
  in.read(digits.data(), width);
  std::size_t length = 0;
  for (std::size_t k = width; k-- > 0;)
    length = length * 256 + static_cast<unsigned char>(digits[k]);
  if (length > longest_header)
    bad_header(
        in, fmt::format("expected a header of at most {} bytes, found {}", longest_header, length));
  std::string text(length, '\0');
  if (in.read(text.data(), length) != length) bad_header(in, "the file ends within its header");
  dictionary d(in, text);
  const auto known = std::span(npy_types).first(types);
  const auto type = std::find_if(known.begin(), known.end(),
                                 [&](const npy_type& t) { return is_of(d.descr, t); });
  if (type == known.end()) {
    std::string expected;
    for (std::size_t k = 0; k < types; ++k)
      expected += fmt::format("{}'{}'",
                              k == 0           ? ""
                              : k + 1 == types ? " or "
                                               : ", ",
                              known[k].descr);
    bad_header(in, fmt::format("expected values of type {}, found '{}'", expected, shown(d.descr)));
  }
  npy_header h;
  h.type = static_cast<std::size_t>(type - known.begin());
  h.single = std::string_view(type->name) == "f32";
  h.fortran = d.fortran && d.shape.size() > 1;
  h.big_endian = d.descr.front() == '>';
  h.shape = std::move(d.shape);
  h.values_at = start.size() + width + length;
  return h;
}

std::string npy_start(const std::string& descr, const std::string& shape) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  // The values begin at a multiple of 64 bytes, after a line's end.
  constexpr std::size_t before = 10;
  header.append((64 - (before + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string start(magic);
  start +=
      {'\1', '\0', static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  return start + header;
}

}  // namespace dwell
