// SPDX-License-Identifier: MIT
// Finds facts by name or reads them from a file.
#include "cli/device_facts_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <variant>

#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "cli/file_options.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/printable.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/device/facts_fields.hpp"

namespace dwell::app {

namespace {

constexpr const char* option_name = "--device-facts";

std::vector<std::string> known_names() {
  const auto known = known_devices();
  return {known.begin(), known.end()};
}

bool is_known(const std::string& word) {
  const auto names = known_names();
  return std::find(names.begin(), names.end(), word) != names.end();
}

/// All of the file; facts are a page of text, and a file that goes on and on is something else.
std::string text_of(const std::string& file) {
  constexpr std::size_t most = std::size_t{1} << 20;
  const auto fail = [&](const std::string& found) {
    throw input_error(
        fmt::format("{}: expected a file of device facts, found: {}", printable(file), found));
  };
  if (std::filesystem::is_directory(file)) fail("a folder");
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(std::strerror(errno));
  std::string text(most + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > most) fail("more than 1 MiB");
  return text;
}

/// What may stand in a file of facts is a number, a boolean, text or null, under a path.
void flatten(const json& from, const std::string& path, const std::string& file,
             std::vector<named_fact>& to) {
  constexpr int most_dots = 8;  // names of facts have two at most
  if (std::count(path.begin(), path.end(), '.') > most_dots)
    throw input_error(fmt::format("{}: expected objects in at most {} others, found more",
                                  printable(file), most_dots));
  for (const auto& [key, value] : from.items()) {
    const std::string name = path + key;
    if (name == "source") continue;  // for people
    if (value.is_object())
      flatten(value, name + ".", file, to);
    else if (value.is_number())
      to.push_back({name, value.get<double>()});
    else if (value.is_boolean())
      to.push_back({name, value.get<bool>()});
    else if (value.is_string())
      to.push_back({name, value.get<std::string>()});
    else if (value.is_null())
      to.push_back({name, std::monostate{}});
    else
      throw input_error(fmt::format("{}: {}: expected a number, text, true or false, found a list",
                                    printable(file), printable(name)));
  }
}

device_facts facts_in(const std::string& file) {
  const std::string text = text_of(file);
  json document;
  try {
    document = json::parse(text);
  } catch (const json::parse_error& e) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(e.byte, text.size()));
    constexpr std::size_t most = 20;
    const std::string found =
        text.substr(std::min(e.byte == 0 ? 0 : e.byte - 1, text.size()), most);
    throw input_error(fmt::format("{}:{}: expected device facts in JSON, found {}", printable(file),
                                  1 + std::count(text.begin(), end, '\n'),
                                  found.empty() ? std::string("the end of the file")
                                                : fmt::format("'{}'", printable(found))));
  }
  if (!document.is_object())
    throw input_error(fmt::format("{}: expected a JSON object of device facts, found a JSON {}",
                                  printable(file), document.type_name()));
  std::vector<named_fact> values;
  flatten(document, "", file, values);
  return facts_from(values, file);
}

}  // namespace

std::string device_facts_choice::file() const {
  return word_.empty() || is_known(word_) ? "" : word_;
}

void device_facts_choice::protect_from(const output_files& outputs) const {
  if (const auto name = file(); !name.empty()) outputs.protect(name);
}

device_facts device_facts_choice::read() const {
  if (is_known(word_)) return facts_of(word_);
  const std::string name = file();
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored))
    throw input_error(fmt::format("{}: expected {}, or the name of a file, found {}", option_name,
                                  or_list(known_names()), found_word(word_, known_names())));
  return facts_in(name);
}

device device_facts_choice::plan(const device& where) const {
  return given() ? planned_with(where, read(), is_known(word_) ? option_name : file()) : where;
}

CLI::Option* add_device_facts(CLI::App& app, device_facts_choice& value, const std::string& help,
                              bool needs_kernels) {
  auto names = known_names();
  std::string type;
  for (const auto& name : names) type += name + "|";
  auto* option = add_checked_file(
      app, option_name, help, type + "FILE|-",
      [&value](const std::string&, const std::string& text) { value.word_ = input_name(text); });
  if (needs_kernels && !built_for_gpus()) names.clear();
  set_completions(option, {std::move(names), value_completions::file});
  return option;
}

void add_explained_device(CLI::App& app, device_choice& device, int& threads,
                          device_facts_choice& facts) {
  auto* here = add_device(app, device, "Explain for this device");
  auto* on_cpu = add_positive(
      app, "--threads", threads,
      "Of the CPU as a device (default: of those there are, as many as the work is worth); refused "
      "for a GPU");
  add_device_facts(app, facts,
                   "Explain for a device that need not be here, by name or from a file that 'dwell "
                   "measure --save' wrote",
                   false)
      ->excludes(here)
      ->excludes(on_cpu);
}

json device_facts_json(const device_facts& facts, const std::vector<std::string>& sources) {
  json out = document(device_facts_document);
  for (const named_fact& v : fact_values_of(facts)) {
    json value;
    if (const auto* number = std::get_if<double>(&v.value)) {
      const auto whole = static_cast<std::int64_t>(*number);
      if (static_cast<double>(whole) == *number)
        value = whole;
      else
        value = *number;
    } else if (const auto* yes = std::get_if<bool>(&v.value)) {
      value = *yes;
    } else if (const auto* text = std::get_if<std::string>(&v.value)) {
      value = *text;
    }
    set_field(out, v.key, value);
  }
  out["source"] = sources;
  return out;
}

}  // namespace dwell::app
