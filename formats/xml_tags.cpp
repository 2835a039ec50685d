// SPDX-License-Identifier: MIT
// Goes over the text once. Of references the five named ones are replaced, others stay as they are.
#include "dwell/formats/xml_tags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dwell/base/error.hpp"
#include "dwell/formats/matrix_market_text.hpp"

namespace dwell {
namespace {

constexpr std::string_view xml_blanks = " \t\r\n";

bool is_name_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':' || c == '-' || c == '.';
}

std::string without_references(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, char>, 5> known{
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  std::string plain;
  for (std::size_t k = 0; k < text.size();) {
    const auto one = std::ranges::find_if(
        known, [&](const auto& r) { return text.substr(k).starts_with(r.first); });
    plain += one == known.end() ? text[k] : one->second;
    k += one == known.end() ? 1 : one->first.size();
  }
  return plain;
}

}  // namespace

std::string xml_shown(std::string_view text) {
  return mm::escape(text.substr(0, 40)) + (text.size() > 40 ? "..." : "");
}

const std::string* xml_tag::find(std::string_view key) const {
  const auto found =
      std::ranges::find_if(attributes, [&](const auto& a) { return a.first == key; });
  return found == attributes.end() ? nullptr : &found->second;
}

void xml_tags::fail(std::size_t at, const std::string& what) const {
  const auto before = text_.substr(0, at);
  throw input_error(fmt::format("{}:{}: {}", name_, 1 + std::ranges::count(before, '\n'), what));
}

void xml_tags::skip_blanks() {
  at_ = std::min(text_.find_first_not_of(xml_blanks, at_), text_.size());
}

void xml_tags::skip_to(std::string_view end, const char* kind) {
  const auto found = text_.find(end, at_);
  if (found == std::string_view::npos) fail(at_, fmt::format("expected the end of {}", kind));
  at_ = found + end.size();
}

std::string_view xml_tags::word(const char* kind) {
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
  if (at_ == begin)
    fail(begin, fmt::format("expected {}, found '{}'", kind, xml_shown(text_.substr(begin, 8))));
  return text_.substr(begin, at_ - begin);
}

std::string xml_tags::value() {
  skip_blanks();
  if (at_ >= text_.size() || text_[at_] != '=')
    fail(at_, fmt::format("expected = and a value, found '{}'", xml_shown(text_.substr(at_, 8))));
  ++at_;
  skip_blanks();
  const char quote = at_ < text_.size() ? text_[at_] : '\0';
  const auto end =
      quote == '"' || quote == '\'' ? text_.find(quote, at_ + 1) : std::string_view::npos;
  if (end == std::string_view::npos)
    fail(at_,
         fmt::format("expected a value in quotes, found '{}'", xml_shown(text_.substr(at_, 8))));
  const auto inside = text_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  return without_references(inside);
}

std::optional<xml_tag> xml_tags::next() {
  for (;;) {
    const auto open = text_.find('<', at_);
    if (open == std::string_view::npos) return std::nullopt;
    at_ = open;
    if (text_.substr(at_).starts_with("<!--"))
      skip_to("-->", "a comment");
    else if (text_.substr(at_).starts_with("<?"))
      skip_to("?>", "a processing instruction");
    else
      break;
  }
  xml_tag tag;
  tag.begin = at_++;
  if (at_ < text_.size() && text_[at_] == '/') tag.closes = true, ++at_;
  tag.name = word("the name of an element");
  for (;;) {
    skip_blanks();
    if (at_ >= text_.size()) fail(tag.begin, fmt::format("the file ends within <{}", tag.name));
    const bool ends = text_[at_] == '>', is_empty = text_.substr(at_).starts_with("/>");
    if (ends || (is_empty && !tag.closes)) {
      at_ += ends ? 1 : 2;
      tag.empty = is_empty;
      tag.end = at_;
      return tag;
    }
    const std::size_t begin = at_;
    const std::string key(word("an attribute, or the end of the tag"));
    if (tag.find(key))
      fail(begin, fmt::format("<{}>: '{}' is there twice", tag.name, xml_shown(key)));
    tag.attributes.emplace_back(key, value());
  }
}

}  // namespace dwell
