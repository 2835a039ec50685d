// SPDX-License-Identifier: MIT
// Takes the elements first, up to appended raw values, which are no XML; then the values of one
// array straight to where they go.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/formats/base64.hpp"
#include "dwell/formats/input_file.hpp"
#include "dwell/formats/swap_bytes.hpp"
#include "dwell/formats/vti.hpp"
#include "dwell/formats/xml_tags.hpp"

namespace dwell {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view appended_tag = "<AppendedData";

template <class N>
bool whole_number(std::string_view text, N& value) {
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
  return bad == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// The first word of `text` and what follows; the word is empty where there is none.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const auto word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(blanks) == std::string_view::npos;
}

}  // namespace

class vti_source {
 public:
  vti_source(std::filesystem::path file, int dims, std::string_view wanted)
      : in_(std::move(file), ".vti file") {
    read_elements();
    if (!parse()) {  // what looked like appended values was none
      read_all();
      parse();
    }
    choose(dims, wanted);
  }
  vti_facts facts;

  template <class T>
  grid<T> values() {
    constexpr bool single = std::is_same_v<T, float>;
    if (facts.single != single)
      fail(array_.at, fmt::format("expected values of type {}, found {}",
                                  single ? "Float32" : "Float64", array_.type));
    grid<T> out = array_.format == "ascii"    ? from_text<T>()
                  : array_.format == "binary" ? from_base64<T>(inside(), true)
                  : raw_                      ? from_raw<T>()
                                              : from_base64<T>(appended(), false);
    if (array_.format != "ascii" && big_endian_) swap_bytes(out.cells());
    return out;
  }

 private:
  /// A <DataArray> of points or of cells.
  struct vti_array {
    std::string name, type, components, format, offset;
    bool of_cells = false;
    std::size_t at = 0;                                     ///< its tag
    std::vector<std::pair<std::size_t, std::size_t>> text;  ///< pieces of what it holds
  };

  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    xml_tags(in_.name(), text_).fail(at, what);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw input_error(fmt::format("{}: {}", in_.name(), what));
  }
  std::string shape_text() const {
    return fmt::format("{} {}", to_string(facts.size), facts.of_cells ? "cells" : "points");
  }

  void read_all() {
    for (std::string_view some; !(some = in_.next()).empty();) text_ += some;
  }

  /// Reads up to the first appended value, or all where none are appended, or of a pipe.
  void read_elements() {
    const bool pipe = !in_.left();
    for (std::string_view some; !(some = in_.next()).empty();) {
      const std::size_t from = text_.size() - std::min(text_.size(), appended_tag.size());
      text_ += some;
      const auto first = text_.find_first_not_of(blanks);
      if (first != std::string::npos && text_[first] != '<')
        fail("expected VTK image data in XML, its first bytes are others");
      if (pipe || text_.find(appended_tag, from) == std::string::npos) continue;
      const auto end = text_.find('>', text_.find(appended_tag, from));
      if (end != std::string::npos && text_.find('_', end) != std::string::npos) return;
    }
  }

  const std::string& required(const xml_tag& tag, const char* key) const {
    if (const auto* value = tag.find(key)) return *value;
    fail(tag.begin, fmt::format("<{}>: expected {}, found none", tag.name, key));
  }
  static std::string optional(const xml_tag& tag, const char* key, const char* otherwise) {
    const auto* value = tag.find(key);
    return value ? *value : otherwise;
  }

  /// False if the text ends before the elements do, where more may follow.
  bool parse() {
    arrays_.clear();
    active_ = {};
    pieces_ = 0;
    xml_tags tags(in_.name(), text_);
    std::vector<std::string> open;
    vti_array* current = nullptr;
    std::size_t from = 0;  // where a piece of the current array's text begins
    while (const auto tag = tags.next()) {
      if (current && open.size() == 5) current->text.emplace_back(from, tag->begin);
      if (tag->closes) {
        if (open.empty() || open.back() != tag->name)
          fail(tag->begin,
               open.empty() ? fmt::format("expected <VTKFile>, found </{}>", xml_shown(tag->name))
                            : fmt::format("expected </{}>, found </{}>", xml_shown(open.back()),
                                          xml_shown(tag->name)));
        open.pop_back();
        if (open.empty()) return true;
      } else {
        take(*tag, open);
        if (open.size() == 1 && tag->name == "AppendedData") return begin_appended(*tag);
        if (open.size() == 4) current = nullptr;
        if (is_array(*tag, open) && !tag->empty) current = &arrays_.back();
        if (!tag->empty) open.push_back(tag->name);
        if (open.empty()) return true;
      }
      if (open.size() < 5) current = nullptr;
      from = tag->end;
    }
    if (in_.left() && in_.left()->bytes > 0) return false;
    fail(text_.size(), open.empty()
                           ? std::string("expected <VTKFile>, found the end of the file")
                           : fmt::format("the file ends within <{}>", xml_shown(open.back())));
  }

  static bool is_array(const xml_tag& tag, const std::vector<std::string>& open) {
    return open.size() == 4 && tag.name == "DataArray" &&
           (open[3] == "PointData" || open[3] == "CellData") && open[2] == "Piece";
  }

  void take(const xml_tag& tag, const std::vector<std::string>& open) {
    if (open.empty()) {
      if (tag.name != "VTKFile" || optional(tag, "type", "") != "ImageData")
        fail(tag.begin,
             fmt::format("expected <VTKFile type=\"ImageData\">, found <{}{}>", xml_shown(tag.name),
                         tag.find("type") ? " type=\"" + xml_shown(*tag.find("type")) + "\"" : ""));
      take_root(tag);
    } else if (open.size() == 1 && tag.name == "ImageData") {
      whole_ = extent_of(tag, "WholeExtent");
    } else if (open.size() == 2 && tag.name == "Piece") {
      if (++pieces_ > 1) fail(tag.begin, "expected one <Piece>, found another");
      if (extent_of(tag, "Extent") != whole_)
        fail(tag.begin, fmt::format("<Piece>: expected the whole extent, {}, found {}",
                                    fmt::join(whole_, " "), xml_shown(*tag.find("Extent"))));
    } else if (open.size() == 3 && (tag.name == "PointData" || tag.name == "CellData")) {
      active_[tag.name == "CellData" ? 1 : 0] = optional(tag, "Scalars", "");
    } else if (is_array(tag, open)) {
      arrays_.push_back({optional(tag, "Name", ""),
                         required(tag, "type"),
                         optional(tag, "NumberOfComponents", "1"),
                         required(tag, "format"),
                         optional(tag, "offset", ""),
                         open[3] == "CellData",
                         tag.begin,
                         {}});
    }
  }

  void take_root(const xml_tag& tag) {
    const std::string order = optional(tag, "byte_order", "LittleEndian"),
                      header = optional(tag, "header_type", "UInt32");
    if (order != "LittleEndian" && order != "BigEndian")
      fail(tag.begin, fmt::format("byte_order: expected LittleEndian or BigEndian, found '{}'",
                                  xml_shown(order)));
    if (header != "UInt32" && header != "UInt64")
      fail(tag.begin,
           fmt::format("header_type: expected UInt32 or UInt64, found '{}'", xml_shown(header)));
    big_endian_ = order == "BigEndian";
    header_bytes_ = header == "UInt32" ? 4 : 8;
    compressor_ = optional(tag, "compressor", "");
  }

  std::array<int, 6> extent_of(const xml_tag& tag, const char* key) const {
    const std::string& text = required(tag, key);
    std::array<int, 6> ends{};
    std::string_view rest = text;
    bool good = true;
    for (int& end : ends) good = whole_number(take_word(rest), end) && good;
    for (std::size_t a = 0; a < 6; a += 2) good = good && ends[a] <= ends[a + 1];
    if (!good || !is_blank(rest))
      fail(tag.begin,
           fmt::format("<{}>: expected {} as the first and the last index along x, y and z such as "
                       "0 99 0 49 0 0, found '{}'",
                       tag.name, key, xml_shown(text)));
    return ends;
  }

  /// Always true: what follows is not looked at.
  bool begin_appended(const xml_tag& tag) {
    const std::string encoding = required(tag, "encoding");
    if (encoding != "raw" && encoding != "base64")
      fail(tag.begin, fmt::format("<AppendedData>: expected encoding raw or base64, found '{}'",
                                  xml_shown(encoding)));
    raw_ = encoding == "raw";
    const auto first = text_.find_first_not_of(blanks, tag.end);
    if (tag.empty || first == std::string::npos || text_[first] != '_')
      fail(tag.begin, "<AppendedData>: expected _ before the values");
    appended_at_ = first + 1;
    if (!raw_) read_all();
    return true;
  }

  /// The array, then the field's size.
  void choose(int dims, std::string_view wanted) {
    if (pieces_ == 0) fail("expected <ImageData> with one <Piece>, found none");
    std::optional<std::size_t> found;
    const auto look_for = [&](std::string_view name, bool of_cells) {
      for (std::size_t k = 0; k < arrays_.size() && !found && !name.empty(); ++k)
        if (arrays_[k].of_cells == of_cells && arrays_[k].name == name) found = k;
    };
    for (const bool of_cells : {false, true}) look_for(wanted, of_cells);
    for (const bool of_cells : {false, true}) look_for(active_[of_cells ? 1 : 0], of_cells);
    if (!found && arrays_.size() == 1) found = 0;
    if (!found) {
      std::vector<std::string> names;
      for (const vti_array& a : arrays_) names.push_back(xml_shown(a.name));
      fail(fmt::format("expected an array{}, or one alone, of points or cells, found {}",
                       wanted.empty() ? "" : fmt::format(" '{}'", wanted),
                       names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    array_ = arrays_[*found];
    check_array();
    set_size(dims);
  }

  void check_array() {
    const auto refuse = [&](const char* expected, const std::string& word) {
      fail(array_.at,
           fmt::format("<DataArray>: expected {}, found '{}'", expected, xml_shown(word)));
    };
    if (array_.type != "Float64" && array_.type != "Float32")
      refuse("values of type Float64 or Float32", array_.type);
    if (array_.components != "1") refuse("one component", array_.components);
    if (array_.format != "ascii" && array_.format != "binary" && array_.format != "appended")
      refuse("format ascii, binary or appended", array_.format);
    if (array_.format != "ascii" && !compressor_.empty())
      fail(array_.at, fmt::format("expected values without compression, found those of {}",
                                  xml_shown(compressor_)));
    if (array_.format == "appended" && appended_at_ == 0)
      fail(array_.at, "<DataArray>: expected <AppendedData>, found none");
    if (array_.format == "appended" && !whole_number(array_.offset, offset_))
      refuse("an offset of appended values", array_.offset);
    facts.single = array_.type == "Float32";
    facts.name = array_.name;
    facts.of_cells = array_.of_cells;
  }

  void set_size(int dims) {
    std::array<std::int64_t, 3> n{};  // x, y, z
    for (std::size_t a = 0; a < 3; ++a) {
      const std::int64_t steps = std::int64_t(whole_[2 * a + 1]) - whole_[2 * a];
      n[a] = facts.of_cells ? std::max<std::int64_t>(steps, 1) : steps + 1;
    }
    const std::string found = fmt::format("{}x{}x{}", n[2], n[1], n[0]);
    if ((dims < 3 && n[2] != 1) || (dims < 2 && n[1] != 1))
      fail(fmt::format("expected a field of {}, found {}", dims == 1 ? "one axis" : "two axes",
                       found));
    if (*std::ranges::max_element(n) > 0x7fffffff || n[0] * n[1] > std::int64_t(max_cells) / n[2])
      fail(fmt::format("expected at most 2147483647 values along an axis and 2^40 in all, found {}",
                       found));
    const auto along = [&](std::size_t a) { return static_cast<int>(n[a]); };
    facts.size = dims == 1   ? extents(along(0))
                 : dims == 2 ? extents(along(1), along(0))
                             : extents(along(2), along(1), along(0));
  }

  /// What the array's element holds, beside other elements.
  std::string_view inside() const {
    std::string_view found;
    for (const auto& [begin, end] : array_.text) {
      const auto piece = std::string_view(text_).substr(begin, end - begin);
      if (is_blank(piece)) continue;
      if (!found.empty()) fail(array_.at, "<DataArray>: expected its values in one piece");
      found = piece;
    }
    return found.empty() ? std::string_view(text_).substr(array_.at, 0) : found;
  }
  std::string_view appended() const {
    const auto all = std::string_view(text_).substr(appended_at_);
    if (offset_ > all.size())
      fail(fmt::format("expected appended values at offset {}, found {} bytes", offset_,
                       all.size()));
    return all.substr(static_cast<std::size_t>(offset_));
  }
  std::size_t place_of(std::string_view piece) const {
    return static_cast<std::size_t>(piece.data() - text_.data());
  }

  template <class T>
  grid<T> from_text() const {
    std::string_view rest = inside();
    const std::size_t count = facts.size.cells();
    const auto refuse = [&](std::size_t k) {
      fail(place_of(rest),
           fmt::format("expected {} values for {}, found {}", count, shape_text(), k));
    };
    if (rest.size() / 2 + 1 < count) refuse(rest.size() / 2 + 1);  // before memory is taken
    grid<T> out(facts.size);
    for (std::size_t k = 0; k < count; ++k) {
      const auto word = take_word(rest);
      if (word.empty()) refuse(k);
      if (!whole_number(word, out.cells()[k]))
        fail(place_of(word), fmt::format("expected a number in range of {}, found '{}'",
                                         array_.type, xml_shown(word)));
    }
    if (!is_blank(rest)) {
      const auto word = take_word(rest);
      fail(place_of(word), fmt::format("expected {} values for {}, found more: '{}'", count,
                                       shape_text(), xml_shown(word)));
    }
    return out;
  }

  /// Throws unless the length before the values is theirs.
  void check_header(std::array<char, 8> header, std::size_t bytes) const {
    if (big_endian_) std::reverse(header.begin(), header.begin() + header_bytes_);
    std::uint64_t length = 0;
    std::memcpy(&length, header.data(), static_cast<std::size_t>(header_bytes_));
    if (length != bytes)
      fail(array_.at, fmt::format("expected {} bytes of values for {}, found {}", bytes,
                                  shape_text(), length));
  }

  template <class T>
  grid<T> from_base64(std::string_view text, bool all_of_it) const {
    const std::size_t bytes = facts.size.cells() * sizeof(T);
    const auto header_bytes = static_cast<std::size_t>(header_bytes_);
    base64_bytes from(text);
    std::array<char, 8> header{};
    const auto refuse = [&](std::size_t expected, std::size_t found) {
      auto rest = text.substr(from.at());
      rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
      fail(place_of(rest),
           fmt::format("expected base64 of {} bytes of values for {}, found {}, then {}", expected,
                       shape_text(), found,
                       is_blank(rest) ? "the end" : "'" + xml_shown(rest.substr(0, 8)) + "'"));
    };
    if (from.read(header.data(), header_bytes) != header_bytes) refuse(bytes, 0);
    check_header(header, bytes);
    if (text.size() / 4 * 3 < bytes) refuse(bytes, text.size() / 4 * 3);  // before memory is taken
    grid<T> out(facts.size);
    const std::size_t got = from.read(reinterpret_cast<char*>(out.cells().data()), bytes);
    if (got != bytes) refuse(bytes, got);
    char beyond = 0;
    if (all_of_it && (from.read(&beyond, 1) > 0 || !is_blank(text.substr(from.at()))))
      fail(place_of(text.substr(from.at())),
           fmt::format("expected base64 of {} bytes of values for {}, found more", bytes,
                       shape_text()));
    return out;
  }

  /// Appended bytes, of what was read with the elements first.
  bool take_raw(char* to, std::size_t n) {
    const std::size_t here = std::min(n, text_.size() - next_raw_);
    std::memcpy(to, text_.data() + next_raw_, here);
    next_raw_ += here;
    return here == n || in_.read(to + here, n - here) == n - here;
  }

  template <class T>
  grid<T> from_raw() {
    const std::size_t bytes = facts.size.cells() * sizeof(T);
    const auto header_bytes = static_cast<std::size_t>(header_bytes_);
    next_raw_ = appended_at_;
    const auto left = in_.left();
    const std::uint64_t there = text_.size() - next_raw_ + (left ? left->bytes : 0);
    if (offset_ > there || there - offset_ < header_bytes || there - offset_ - header_bytes < bytes)
      fail(
          fmt::format("expected {} bytes of values for {} at offset {} of what is appended, found "
                      "{} bytes in all",
                      bytes, shape_text(), offset_, there));
    const auto take_or_fail = [&](char* to, std::size_t n) {
      if (!take_raw(to, n)) fail("the file ends within its values");
    };
    std::vector<char> passed(1 << 16);
    for (std::uint64_t k = 0; k < offset_; k += passed.size())
      take_or_fail(passed.data(), std::min<std::uint64_t>(passed.size(), offset_ - k));
    std::array<char, 8> header{};
    take_or_fail(header.data(), header_bytes);
    check_header(header, bytes);
    grid<T> out(facts.size);
    take_or_fail(reinterpret_cast<char*>(out.cells().data()), bytes);
    return out;
  }

  input_file in_;
  std::string text_;
  std::vector<vti_array> arrays_;
  std::array<std::string, 2> active_;  ///< the arrays that are scalars of points, of cells
  vti_array array_;
  std::array<int, 6> whole_{};  ///< first and last point along x, y, z
  int pieces_ = 0, header_bytes_ = 4;
  bool big_endian_ = false, raw_ = false;
  std::string compressor_;
  std::size_t appended_at_ = 0, next_raw_ = 0;
  std::uint64_t offset_ = 0;
};

vti_reader::vti_reader(std::filesystem::path file, int dims, std::string_view wanted)
    : source_(std::make_unique<vti_source>(std::move(file), dims, wanted)) {}
vti_reader::~vti_reader() = default;
vti_reader::vti_reader(vti_reader&&) noexcept = default;
const vti_facts& vti_reader::facts() const { return source_->facts; }

template <class T>
grid<T> vti_reader::values() {
  return source_->values<T>();
}
template grid<double> vti_reader::values();
template grid<float> vti_reader::values();

}  // namespace dwell
