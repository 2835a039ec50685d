// SPDX-License-Identifier: MIT
// The documents for programs. Each begins with the number of its schema, the version of the program
// and its kind; docs/reference/json.md describes each field. Within one number fields are added,
// never renamed.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace dwell::app {

using json = nlohmann::ordered_json;

inline constexpr int json_schema = 1;

/// A document of this kind ("cg", "compare stencil", ...), to which its fields are added.
json document(const std::string& kind);
/// Indented, with a newline at the end. Numbers that are not finite become null.
std::string json_text(const json& value);
/// Sets the field at `path`: "time.solve_s" is solve_s of the object time, made if it is missing.
void set_field(json& object, const std::string& path, json value);

json number_or_null(double v);  ///< null unless positive
json text_or_null(const std::string& text);

}  // namespace dwell::app
