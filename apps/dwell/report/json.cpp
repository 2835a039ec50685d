// SPDX-License-Identifier: MIT
// The frame of a document, and its text.
#include "report/json.hpp"
#include "dwell/version.hpp"

#include <utility>

namespace dwell::app {

json document(const std::string& kind) {
  return {{"schema", json_schema}, {"version", DWELL_VERSION_STRING}, {"document", kind}};
}

std::string json_text(const json& value) {
  // File names are bytes, JSON is UTF-8: what is not becomes U+FFFD rather than an exception.
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

void set_field(json& object, const std::string& path, json value) {
  const auto dot = path.find('.');
  if (dot == std::string::npos)
    object[path] = std::move(value);
  else
    set_field(object[path.substr(0, dot)], path.substr(dot + 1), std::move(value));
}

json number_or_null(double v) { return v > 0 ? json(v) : json(nullptr); }
json text_or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

}  // namespace dwell::app
