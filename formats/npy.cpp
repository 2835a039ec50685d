// SPDX-License-Identifier: MIT
// The header of a .npy file is a Python dictionary in text: {'descr': '<f8', 'fortran_order':
// False, 'shape': (300, 200), }. The parser takes this dictionary, in any order of its keys, and
// nothing else of Python.
#include "dwell/formats/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "dwell/formats/atomic_file.hpp"
#include "dwell/formats/error.hpp"

namespace dwell {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are written as they lie in memory");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = 1 << 16;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw input_error(fmt::format("{}: {}", file.string(), what));
}

/// What is found, fit for one line of a message.
std::string shown(std::string_view text) {
  std::string s;
  for (const char c : text.substr(0, 40)) s += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > 40 ? s + "..." : s;
}

class dictionary {
 public:
  dictionary(const std::filesystem::path& file, std::string_view text) : file_(file), rest_(text) {
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
        fail(file_, fmt::format("header: expected 'descr', 'fortran_order' or 'shape', found '{}'",
                                shown(key)));
      if (!next(",")) {
        take("}");
        break;
      }
    }
    skip();
    if (!rest_.empty())
      fail(file_, fmt::format("header: expected its end, found '{}'", shown(rest_)));
    if (!has_descr_ || !has_order_ || !has_shape_)
      fail(file_, "header: expected 'descr', 'fortran_order' and 'shape', not all are there");
  }

  std::string descr;
  bool fortran = false;
  std::vector<long long> shape;

 private:
  void once(bool& seen, const std::string& key) {
    if (seen) fail(file_, fmt::format("header: '{}' is there twice", key));
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
      fail(file_, fmt::format("header: expected '{}', found '{}'", token, shown(rest_)));
  }
  std::string word() {
    skip();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    const auto end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      fail(file_, fmt::format("header: expected a word in quotes, found '{}'", shown(rest_)));
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
        fail(file_,
             fmt::format("header: expected a whole number in the shape, found '{}'", shown(rest_)));
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      shape.push_back(n);
      if (!next(",")) {
        take(")");
        break;
      }
    }
  }

  const std::filesystem::path& file_;
  std::string_view rest_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

extents to_extents(const std::filesystem::path& file, const std::vector<long long>& shape) {
  if (shape.size() != 2 && shape.size() != 3)
    fail(file, fmt::format("expected an array of 2 or 3 dimensions, found shape ({})",
                           shown(fmt::format("{}", fmt::join(shape, ", ")))));
  for (const long long n : shape)
    if (n < 1 || n > 0x7fffffff)
      fail(file, fmt::format("expected 1 to 2147483647 cells along each axis, found shape ({})",
                             fmt::join(shape, ", ")));
  const auto at = [&](std::size_t k) { return static_cast<int>(shape[k]); };
  const extents n = shape.size() == 2 ? extents(at(0), at(1)) : extents(at(0), at(1), at(2));
  try {
    check_extents(n);
  } catch (const input_error& e) {
    fail(file, e.what());
  }
  return n;
}

std::ifstream open(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    fail(file, "expected a .npy file, found a folder");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in)
    fail(file, fmt::format("expected a readable .npy file, found: {}",
                           std::generic_category().message(errno ? errno : EIO)));
  return in;
}

[[noreturn]] void fail_at_size(const std::filesystem::path& file, const extents& size,
                               std::size_t expected, const std::string& found) {
  fail(file, fmt::format("expected {} bytes of values for shape {}, found {}", expected,
                         to_string(size), found));
}

/// A regular file holds what its header claims, no less and no more. A pipe is not asked.
void check_length(const std::filesystem::path& file, const npy_facts& facts) {
  if (!std::filesystem::is_regular_file(file)) return;
  const std::size_t bytes = facts.size.cells() * (facts.single ? 4 : 8);
  const auto there = static_cast<std::size_t>(std::filesystem::file_size(file)) - facts.offset;
  if (there != bytes) fail_at_size(file, facts.size, bytes, std::to_string(there));
}

npy_facts read_header(std::ifstream& in, const std::filesystem::path& file) {
  std::array<char, 8> start{};
  in.read(start.data(), start.size());
  if (in.gcount() != static_cast<std::streamsize>(start.size()) ||
      std::string_view(start.data(), 6) != magic)
    fail(file, "expected a .npy file, its first bytes are others");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3 || start[7] != 0)
    fail(file, fmt::format("expected .npy format 1.0, 2.0 or 3.0, found {}.{}", version,
                           static_cast<int>(start[7])));
  const std::size_t width = version == 1 ? 2 : 4;
  std::array<unsigned char, 4> digits{};
  in.read(reinterpret_cast<char*>(digits.data()), static_cast<std::streamsize>(width));
  std::size_t length = 0;
  for (std::size_t k = width; k-- > 0;) length = length * 256 + digits[k];
  if (length > longest_header)
    fail(file,
         fmt::format("expected a header of at most {} bytes, found {}", longest_header, length));
  std::string text(length, '\0');
  in.read(text.data(), static_cast<std::streamsize>(length));
  if (!in) fail(file, "the file ends within its header");
  const dictionary d(file, text);
  if (d.descr != "<f8" && d.descr != "<f4")
    fail(file, fmt::format("expected values of type '<f8' or '<f4', found '{}'", shown(d.descr)));
  if (d.fortran)
    fail(file, "expected C order, found Fortran order (numpy.ascontiguousarray changes it)");
  const npy_facts facts{to_extents(file, d.shape), d.descr == "<f4", start.size() + width + length};
  check_length(file, facts);
  return facts;
}

}  // namespace

npy_facts inspect_npy(const std::filesystem::path& file) { return npy_reader(file).facts(); }

npy_reader::npy_reader(std::filesystem::path file)
    : file_(std::move(file)), in_(open(file_)), facts_(read_header(in_, file_)) {}

template <class T>
grid<T> npy_reader::values() {
  constexpr bool single = sizeof(T) == 4;
  if (facts_.single != single)
    fail(file_,
         fmt::format("expected values of type '{}', found '{}'", single ? "<f4 (f32)" : "<f8 (f64)",
                     facts_.single ? "<f4 (f32)" : "<f8 (f64)"));
  if (!std::filesystem::is_regular_file(file_)) return values_of_pipe<T>();
  const std::size_t bytes = facts_.size.cells() * sizeof(T);
  check_length(file_, facts_);  // before memory is taken; it may have changed
  grid<T> values(facts_.size);
  in_.read(reinterpret_cast<char*>(values.cells().data()), static_cast<std::streamsize>(bytes));
  if (!in_) fail(file_, "the file ends within its values");
  return values;
}

template <class T>
grid<T> npy_reader::values_of_pipe() {
  constexpr std::size_t first = 1 << 16;
  const std::size_t cells = facts_.size.cells(), bytes = cells * sizeof(T);
  std::vector<T> come;
  while (come.size() < cells) {
    // As many again as have come: a claim alone takes no memory.
    const std::size_t before = come.size(),
                      more = std::min(cells - before, std::max(before, first));
    come.resize(before + more);
    in_.read(reinterpret_cast<char*>(come.data() + before),
             static_cast<std::streamsize>(more * sizeof(T)));
    const auto got = static_cast<std::size_t>(in_.gcount());
    if (got < more * sizeof(T))
      fail_at_size(file_, facts_.size, bytes, std::to_string(before * sizeof(T) + got));
  }
  if (in_.peek() != std::ifstream::traits_type::eof())
    fail_at_size(file_, facts_.size, bytes, "more");
  grid<T> values(facts_.size);
  std::copy(come.begin(), come.end(), values.cells().begin());
  return values;
}

template <class T>
void write_npy(const std::filesystem::path& file, grid_view<const T> values) {
  const extents& n = values.size;
  std::string header =
      fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}{}, {}), }}", sizeof(T),
                  n.dims == 3 ? fmt::format("{}, ", n.z) : "", n.y, n.x);
  // The values begin at a multiple of 64 bytes, after a line's end.
  constexpr std::size_t before = 10;
  header.append((64 - (before + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string start(magic);
  start +=
      {'\1', '\0', static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  atomic_file out(file);
  out.write(start + header);
  out.write({reinterpret_cast<const char*>(values.data), n.cells() * sizeof(T)});
  out.commit();
}

template grid<double> npy_reader::values();
template grid<float> npy_reader::values();
template void write_npy(const std::filesystem::path&, grid_view<const double>);
template void write_npy(const std::filesystem::path&, grid_view<const float>);

}  // namespace dwell
