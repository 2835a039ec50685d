// SPDX-License-Identifier: MIT
// What CLI11 leaves over is looked at before its own words: it says "A subcommand is required" of a
// misspelt one.
#include "cli/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "cli/arguments.hpp"

#include "dwell/base/nearest.hpp"

namespace dwell::app {

namespace {

/// The subcommand of the subcommand, as far as they were recognised.
const CLI::App& deepest(const CLI::App& app) {
  const auto below = app.get_subcommands();
  return below.empty() ? app : deepest(*below.front());
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> long_options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back(name);
  return names;
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

/// "--ouput: no such option; did you mean '--output'?" The value behind '=' is not looked at. `at`
/// is the command that did not know it, `below` the one that was chosen.
std::string unknown_option(const CLI::App& at, const CLI::App& below, const std::string& word) {
  const auto name = word.substr(0, word.find('='));
  const auto bare = name.substr(name.find_first_not_of('-'));
  const auto has = [&](const std::vector<std::string>& all) {
    return std::find(all.begin(), all.end(), bare) != all.end();
  };
  if (&at != &below && has(long_options_of(below)))
    return fmt::format("{}: an option of '{}', expected behind that word", name, below.get_name());
  const auto known = long_options_of(at);
  const std::vector<std::string_view> words(known.begin(), known.end());
  auto meant = nearest(bare, words);
  for (auto& m : meant) m.insert(0, "--");
  return fmt::format("{}: no such option{}", name, suggestion(meant));
}

/// The first option that was not recognised, as one line, or empty.
std::string unknown_option(const CLI::App& app) {
  const auto& below = deepest(app);
  for (const CLI::App* at = &app;; at = at->get_subcommands().front()) {
    for (const auto& word : at->remaining())
      if (is_option(word) && word.find_first_not_of('-') != std::string::npos)
        return unknown_option(*at, below, word);
    if (at == &below) return {};
  }
}

/// CLI11's words for an option that is there too often or without its value, as ours.
std::string plain_words(const std::string& text) {
  std::smatch found;
  if (std::regex_match(text, found, std::regex("(.+): At Most 1 required but received ([0-9]+)")))
    return fmt::format("{}: expected once, found {} times", found[1].str(), found[2].str());
  if (std::regex_match(text, found, std::regex("(.+): 1 required (.+) missing")))
    return fmt::format("{}: expected {}, found nothing", found[1].str(), found[2].str());
  return text;
}

std::string complaint(const CLI::App& app, const CLI::ParseError& e) {
  const auto left = app.remaining(true);
  const auto command = unknown_command(app);
  // The first of the two: options of a command that is misspelt are unknown as well.
  if (!command.empty() && !is_option(left.front())) return command;
  if (const auto option = unknown_option(app); !option.empty()) return option;
  const CLI::App& at = deepest(app);
  if (const auto commands = commands_of(at);
      !commands.empty() && at.get_require_subcommand_min() > 0)
    return fmt::format("expected a command ({}), found nothing", or_list(commands));
  if (!left.empty()) return fmt::format("expected no more arguments, found '{}'", left.front());
  return plain_words(e.what());
}

}  // namespace

std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  } else if (!words.empty() && words[0] == "version") {
    words[0] = "--version";
  }
  std::reverse(words.begin(), words.end());
  return words;
}

std::string unknown_command(const CLI::App& app) {
  const auto& at = deepest(app);
  auto known = commands_of(at);
  if (known.empty()) return {};
  const auto left = app.remaining(true);
  const auto word = std::find_if_not(left.begin(), left.end(), is_option);
  if (word == left.end()) return {};
  const auto expected = or_list(known);
  if (&at == &app) known.insert(known.end(), {"help", "version"});
  return fmt::format("expected a command ({}), found {}", expected, found_word(*word, known));
}

std::string usage_line(const CLI::App& app, const CLI::ParseError& e) {
  std::string text = complaint(app, e);
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  std::string chosen;
  for (auto below = app.get_subcommands(); !below.empty(); below = below.front()->get_subcommands())
    chosen += below.front()->get_name() + " ";
  return fmt::format("{} (see 'dwell {}--help')", text, chosen);
}

}  // namespace dwell::app
