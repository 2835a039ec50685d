// SPDX-License-Identifier: MIT
// The fields of JSON documents as docs/reference/json.md describes them, and documents judged by
// them.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace dwell::test {

/// The fields of one kind of document: path, such as "matrices[].runs[].executor", to type.
using json_fields = std::map<std::string, std::string>;

/// The tables of the page, by kind of document (the heading above a table). Throws
/// std::runtime_error if a table is not as expected.
std::map<std::string, json_fields> documented_fields();

/// What is wrong with `document`: fields that are missing, not documented or of another type; each
/// as one line. `met` gets the paths of the fields that were found.
std::vector<std::string> complaints_about(const nlohmann::json& document, const json_fields& fields,
                                          std::set<std::string>* met = nullptr);

}  // namespace dwell::test
