// SPDX-License-Identifier: MIT
// Options of a question in a file of golden answers: "key=value key=value".
#pragma once
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace dwell::test {

using words = std::vector<std::string>;
inline words split(const std::string& text, char at) {
  words all;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, at);) all.push_back(word);
  return all;
}

/// "key=value key=value", or "-" for nothing.
class asked_options {
 public:
  explicit asked_options(const std::string& text) {
    for (const std::string& pair : split(text == "-" ? "" : text, ' ')) {
      const auto at = pair.find('=');
      if (at == std::string::npos) throw std::runtime_error("expected key=value, found " + pair);
      values_[pair.substr(0, at)] = pair.substr(at + 1);
    }
  }
  std::string text(const std::string& key, const std::string& otherwise) {
    const auto node = values_.extract(key);
    return node.empty() ? otherwise : node.mapped();
  }
  int number(const std::string& key, int otherwise) {
    return std::stoi(text(key, std::to_string(otherwise)));
  }
  /// A key that nobody asked for would be a question that is not put.
  void require_all_taken() const {
    if (!values_.empty())
      throw std::runtime_error("no such option in this test: " + values_.begin()->first);
  }

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace dwell::test
