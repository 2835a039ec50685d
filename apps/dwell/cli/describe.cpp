// SPDX-License-Identifier: MIT
// A walk over CLI11's tree of commands that collects options, values and footers.
#include "cli/describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace dwell::app {

namespace {

/// "-o", "--output".
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const auto& name : option.get_snames()) names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

described_option option_of(const CLI::Option& option) {
  described_option out;
  if (option.get_positional()) {
    out.names = {option.get_name(true)};
  } else {
    out.names = names_of(option);
    if (option.get_type_size() != 0) out.value = option.get_type_name();
    out.value_optional = option.get_expected_max() == 0;
  }
  out.help = option.get_description();
  out.standard = option.get_default_str();
  out.group = option.get_group();
  out.required = option.get_required();
  out.repeats = option.get_expected_max() > 1;
  for (const CLI::Option* other : option.get_excludes())
    for (const auto& name : names_of(*other)) out.excludes.push_back(name);
  out.completions = completions_of(&option);
  return out;
}

/// Paragraphs have an empty line between.
std::vector<described_section> sections_of(const std::string& footer) {
  std::vector<described_section> out;
  std::istringstream lines(footer);
  bool begun = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      begun = false;
    } else if (!begun && line.back() == ':') {
      out.push_back({line.substr(0, line.size() - 1), ""});
      begun = true;
    } else {
      if (!begun) out.push_back({});
      out.back().text += line + "\n";
      begun = true;
    }
  }
  return out;
}

described_command command_of(const CLI::App& app, std::vector<std::string> path) {
  described_command out;
  path.push_back(app.get_name());
  out.path = path;
  out.help = app.get_description();
  for (const auto* option : app.get_options())
    if (!option->get_group().empty())  // else hidden
      (option->get_positional() ? out.arguments : out.options).push_back(option_of(*option));
  // Those of a group together, groups in the order of their first option.
  std::vector<std::string> groups;
  for (const auto& o : out.options)
    if (std::find(groups.begin(), groups.end(), o.group) == groups.end()) groups.push_back(o.group);
  const auto rank = [&](const described_option& o) {
    return std::find(groups.begin(), groups.end(), o.group) - groups.begin();
  };
  std::stable_sort(out.options.begin(), out.options.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  out.sections = sections_of(app.get_footer());
  for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    out.commands.push_back(command_of(*sub, path));
  out.needs_command = app.get_require_subcommand_min() > 0;
  return out;
}

void add_all(const described_command& command, std::vector<const described_command*>& all) {
  all.push_back(&command);
  for (const auto& below : command.commands) add_all(below, all);
}

}  // namespace

described_command describe(const CLI::App& program) { return command_of(program, {}); }

int completed_arguments(const described_command& command) {
  for (const auto& a : command.arguments)
    if (a.repeats && !a.completions.first_alone) return -1;
  return static_cast<int>(command.arguments.size());
}

std::vector<std::string> blockers_of(const described_option& option) {
  std::vector<std::string> names = option.excludes;
  if (!option.repeats) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

bool takes_word(const described_option& option) {
  return !option.value.empty() && !option.value_optional;
}

std::vector<const described_command*> all_commands(const described_command& program) {
  std::vector<const described_command*> all;
  add_all(program, all);
  return all;
}

std::string path_text(const described_command& command, const std::string& between) {
  return fmt::format("{}", fmt::join(command.path, between));
}

std::string synopsis(const described_command& command) {
  std::string text = path_text(command) + " [OPTIONS]";
  for (const auto& a : command.arguments) {
    const auto word = a.names.front() + (a.repeats ? "..." : "");
    text += a.required ? " " + word : " [" + word + "]";
  }
  if (command.commands.empty()) return text;
  return text + (command.needs_command ? " COMMAND" : " [COMMAND]");
}

std::string first_sentence(const std::string& help) {
  auto text = help;
  for (const char* stop : {"; ", ". ", ": ", " ("}) text = text.substr(0, text.find(stop));
  return text;
}

}  // namespace dwell::app
