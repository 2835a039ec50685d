// SPDX-License-Identifier: MIT
// The facts of a device as a list of names and values: what a JSON file of facts holds, whoever
// reads it. CMake reads the files in facts/ into the library; the command line reads those of
// users.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dwell/device/limits.hpp"

namespace dwell {

/// What a file of facts says that it is, in its field "document".
inline constexpr const char* device_facts_document = "device facts";

/// One value of a file, under its path: "units", "rates.barrier_s". The first alternative stands
/// for null, a value that is not known.
struct named_fact {
  std::string key;
  std::variant<std::monostate, double, bool, std::string> value;
};

/// The facts of a device with its limits. `source` begins messages: the name of the file. Throws
/// input_error ("FILE: expected ..., found ...") for a field that is missing, unknown, of another
/// type or out of range.
device_facts facts_from(std::span<const named_fact> values, std::string_view source);

/// The reverse: every field of them, in the order of a file, whose head (schema, version, document)
/// is the caller's.
std::vector<named_fact> fact_values_of(const device_facts& facts);

/// A device that Dwell has facts of: its name for options, and what its file says.
struct shipped_facts {
  const char* key;
  std::vector<named_fact> values;
};
/// Facts of all files in facts/, in the order of compute capability. Written by CMake
/// (cmake/device_facts.cmake).
const std::vector<shipped_facts>& shipped_device_facts();

}  // namespace dwell
