// SPDX-License-Identifier: MIT
// Private to formats: the tags of a text in XML, one after the other, without the tree that they
// make; of XML as much as files of VTK have: elements, attributes, comments, processing
// instructions. Another kind of markup, a document type say, is refused.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dwell {

/// <NAME KEY="VALUE"...>, </NAME> or <NAME/>.
struct xml_tag {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  bool closes = false;    ///< </NAME>
  bool empty = false;     ///< <NAME/>
  std::size_t begin = 0;  ///< where < is in the text
  std::size_t end = 0;    ///< behind >
  /// The value of an attribute; null if there is none.
  const std::string* find(std::string_view key) const;
};

class xml_tags {
 public:
  /// name: of the file, for messages. Both must outlive this.
  xml_tags(const std::string& name, std::string_view text) : name_(name), text_(text) {}

  /// The next tag; none at the end of the text. Throws input_error.
  std::optional<xml_tag> next();
  /// Throws input_error "FILE:LINE: what", with the line of a place in the text.
  [[noreturn]] void fail(std::size_t at, const std::string& what) const;

 private:
  void skip_blanks();
  std::string_view word(const char* kind);
  std::string value();
  void skip_to(std::string_view end, const char* kind);

  const std::string& name_;
  std::string_view text_;
  std::size_t at_ = 0;
};

/// What is found, fit for one line of a message.
std::string xml_shown(std::string_view text);

}  // namespace dwell
