// SPDX-License-Identifier: MIT
// Kinds of values, and the words of refusals.
#include "cli/toml_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"

namespace dwell::app {

std::string found_kind(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "an array";
  if (const auto* text = node.as_string()) return fmt::format("'{}'", text->get());
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  return node.is_boolean() ? "true or false" : "a date";
}

std::string toml_section::place(const toml::node& at, const std::string& key) const {
  return fmt::format("{}:{}: {}{}", file_, at.source().begin.line, name_.empty() ? "" : name_ + " ",
                     key);
}

void toml_section::refuse(const toml::node& at, const std::string& key,
                          const std::string& why) const {
  throw input_error(place(at, key) + ": " + why);
}

const toml::node* toml_section::find(const std::string& key) {
  asked_.push_back(key);
  return table_.get(key);
}

std::optional<std::string> toml_section::text(const std::string& key) {
  const auto* node = find(key);
  if (!node) return std::nullopt;
  if (!node->is_string()) refuse(*node, key, "expected text, found " + found_kind(*node));
  return node->as_string()->get();
}

std::string toml_section::required_text(const std::string& key) {
  if (const auto found = text(key)) return *found;
  refuse(table_, key, "expected text, found none");
}

std::optional<int> toml_section::whole(const std::string& key, int least) {
  const auto* node = find(key);
  if (!node) return std::nullopt;
  const auto* number = node->as_integer();
  if (!number || number->get() < least || number->get() > 2147483647)
    refuse(*node, key,
           fmt::format("expected a whole number from {} to 2147483647, found {}", least,
                       found_kind(*node)));
  return static_cast<int>(number->get());
}

std::optional<bool> toml_section::yes_or_no(const std::string& key) {
  const auto* node = find(key);
  if (!node) return std::nullopt;
  if (!node->is_boolean()) refuse(*node, key, "expected true or false, found " + found_kind(*node));
  return node->as_boolean()->get();
}

std::optional<toml_section> toml_section::section(const std::string& key) {
  const auto* node = find(key);
  if (!node) return std::nullopt;
  if (!node->is_table()) refuse(*node, key, "expected a table, found " + found_kind(*node));
  return toml_section(file_, *node->as_table(), "[" + key + "]");
}

std::vector<toml_section> toml_section::sections(const std::string& key) {
  std::vector<toml_section> all;
  const auto* node = find(key);
  if (!node) return all;
  const auto* array = node->as_array();
  for (std::size_t k = 0; array && k < array->size(); ++k) {
    const toml::node& one = *array->get(k);
    if (!one.is_table()) refuse(one, key, "expected tables, found " + found_kind(one));
    all.emplace_back(file_, *one.as_table(), "[[" + key + "]]");
  }
  if (!array) refuse(*node, key, fmt::format("expected [[{}]], found {}", key, found_kind(*node)));
  return all;
}

std::vector<std::string> toml_section::names(const std::string& key) {
  std::vector<std::string> all;
  const auto* node = find(key);
  if (!node) return all;
  if (const auto* text = node->as_string()) {
    const std::string& words = text->get();
    for (std::size_t at = 0; (at = words.find_first_not_of(" ,", at)) != std::string::npos;) {
      const auto end = std::min(words.find_first_of(" ,", at), words.size());
      all.push_back(words.substr(at, end - at));
      at = end;
    }
    return all;
  }
  const auto* array = node->as_array();
  if (!array) refuse(*node, key, "expected names, found " + found_kind(*node));
  for (const auto& one : *array) {
    if (!one.is_string()) refuse(one, key, "expected names, found " + found_kind(one));
    all.push_back(one.as_string()->get());
  }
  return all;
}

void toml_section::finish() const {
  for (const auto& [key, node] : table_)
    if (std::ranges::find(asked_, key.str()) == asked_.end())
      refuse(node, std::string(key.str()),
             "no such key" + suggestion(nearest(key.str(), std::vector<std::string_view>(
                                                               asked_.begin(), asked_.end()))));
}

}  // namespace dwell::app
