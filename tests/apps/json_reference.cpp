// SPDX-License-Identifier: MIT
// Parses the tables of the page, and holds a document against them.
#include "json_reference.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cli_runner.hpp"

namespace dwell::test {
namespace {

using nlohmann::json;

/// "`a.b`", with blanks around, is a.b.
std::string unquoted(const std::string& cell) {
  const auto first = cell.find('`'), last = cell.rfind('`');
  if (first == last) throw std::runtime_error("json.md: expected a field in `quotes`: " + cell);
  return cell.substr(first + 1, last - first - 1);
}

std::string trimmed(const std::string& cell) {
  const auto first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
  return first == std::string::npos ? "" : cell.substr(first, last - first + 1);
}

bool is_a(const json& value, const std::string& type) {
  const std::string or_null = " or null", array = "array of ";
  if (type.ends_with(or_null))
    return value.is_null() || is_a(value, type.substr(0, type.size() - or_null.size()));
  if (type.starts_with(array)) {
    if (!value.is_array()) return false;
    for (const auto& one : value)
      if (!is_a(one, type.substr(array.size()))) return false;
    return true;
  }
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "array") return value.is_array();
  throw std::runtime_error(fmt::format("json.md: no such type: '{}'", type));
}

class judge {
 public:
  judge(const json_fields& fields, std::set<std::string>* met) : fields_(fields), met_(met) {}

  void look_at(const json& value, const std::string& path) {
    if (const auto leaf = fields_.find(path); leaf != fields_.end()) {
      if (met_) met_->insert(path);
      if (!is_a(value, leaf->second))
        complaints.push_back(
            fmt::format("{}: expected {}, found {}", path, leaf->second, value.dump()));
      return;
    }
    if (value.is_array() && !names_in(path + "[]").empty()) {
      for (const auto& one : value) look_at(one, path + "[]");
      return;
    }
    const auto names = names_in(path);
    if (!value.is_object() || names.empty()) {
      complaints.push_back(path + ": not documented");
      return;
    }
    for (const auto& name : names)
      if (!value.contains(name)) complaints.push_back(joined(path, name) + ": missing");
    for (const auto& [name, inner] : value.items()) look_at(inner, joined(path, name));
  }

  std::vector<std::string> complaints;

 private:
  static std::string joined(const std::string& path, const std::string& name) {
    return path.empty() ? name : path + "." + name;
  }
  /// The documented fields of the object at `path`.
  std::set<std::string> names_in(const std::string& path) const {
    const auto before = path.empty() ? "" : path + ".";
    std::set<std::string> names;
    for (const auto& [field, type] : fields_)
      if (field.starts_with(before)) {
        const auto rest = field.substr(before.size());
        names.insert(rest.substr(0, rest.find_first_of(".[")));
      }
    return names;
  }

  const json_fields& fields_;
  std::set<std::string>* met_;
};

}  // namespace

std::map<std::string, json_fields> documented_fields() {
  std::map<std::string, json_fields> all;
  std::string kind;
  for (const auto& line : lines_of(read_text(DWELL_JSON_REFERENCE))) {
    if (line.starts_with("## ")) kind = line.substr(3);
    if (!line.starts_with("| `")) continue;
    const auto second = line.find('|', 1), third = line.find('|', second + 1);
    if (kind.empty() || third == std::string::npos)
      throw std::runtime_error("json.md: not a row of a table of a document: " + line);
    const auto field = unquoted(line.substr(1, second - 1));
    const auto type = trimmed(line.substr(second + 1, third - second - 1));
    if (!all[kind].emplace(field, type).second)
      throw std::runtime_error(fmt::format("json.md: {} of {} is there twice", field, kind));
  }
  return all;
}

std::vector<std::string> complaints_about(const json& document, const json_fields& fields,
                                          std::set<std::string>* met) {
  judge all(fields, met);
  all.look_at(document, "");
  return all.complaints;
}

}  // namespace dwell::test
