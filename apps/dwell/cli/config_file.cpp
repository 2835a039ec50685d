// SPDX-License-Identifier: MIT
// CLI11 reads a file when it has read the command line, and before it asks what is missing. What it
// is given here does the rest: toml++ reads the text, and each value goes to its option at once, so
// that a refusal has the line of the value.
#include "cli/config_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "cli/toml_file.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"

namespace dwell::app {

namespace {

std::string suggested(const std::string& word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> words(known.begin(), known.end());
  return suggestion(nearest(word, words));
}

class config_reader : public CLI::ConfigTOML {
 public:
  explicit config_reader(CLI::App& program) : program_(program) {}

  /// Hands all values over by itself: nothing is left for CLI11.
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    const auto file = program_.get_config_ptr()->as<std::string>();
    note_config_file(file);
    take_table(file, program_, "", parse_toml(toml_text(input, file, "a file of options"), file));
    return {};
  }

 private:
  struct place {
    std::string file, section;
    const toml::node& node;
    [[noreturn]] void refuse(const std::string& why) const {
      throw input_error(fmt::format("{}:{}: {}", file, node.source().begin.line, why));
    }
  };

  static void take_table(const std::string& file, CLI::App& command, const std::string& section,
                         const toml::table& table) {
    std::vector<std::pair<std::string, const toml::node*>> entries;
    for (const auto& [key, node] : table) entries.emplace_back(key.str(), &node);
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return a.second->source().begin.line < b.second->source().begin.line;
    });
    for (const auto& [key, node] : entries) {
      const place at = {file, section, *node};
      if (const auto* below = node->as_table()) {
        const auto name = section.empty() ? key : section + "." + key;
        take_table(file, find_command(at, command, key, name), name, *below);
      } else {
        take_value(at, find_option(at, command, key), key);
      }
    }
  }

  static CLI::App& find_command(const place& at, CLI::App& command, const std::string& key,
                                const std::string& name) {
    std::vector<std::string> known;
    for (auto* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
      if (sub->get_name() == key) return *sub;
      known.push_back(sub->get_name());
    }
    at.refuse(fmt::format("[{}]: no such command{}", name, suggested(key, known)));
  }

  static CLI::Option& find_option(const place& at, CLI::App& command, const std::string& key) {
    std::vector<std::string> known;
    for (auto* option : command.get_options()) {
      if (!option->get_configurable()) continue;
      const auto name = option->get_single_name();
      known.push_back(name);
      if (name == key) return *option;
    }
    if (known.empty())
      at.refuse(fmt::format("{}: expected in the section of a command, such as [cg]", key));
    at.refuse(fmt::format("{}: no such option of [{}]{}", key, at.section, suggested(key, known)));
  }

  /// The value as a word of the command line; "" stands for a flag that is not set.
  static std::string word_of(const place& at, const toml::node& value, const std::string& key) {
    if (const auto* text = value.as_string()) return text->get();
    if (const auto* number = value.as_integer()) return std::to_string(number->get());
    if (const auto* number = value.as_floating_point()) return fmt::format("{}", number->get());
    if (const auto* yes = value.as_boolean()) return yes->get() ? "true" : "false";
    at.refuse(fmt::format("{}: expected text, a number, true, false or an array of these", key));
  }

  static void take_value(const place& at, CLI::Option& option, const std::string& key) {
    if (option.count() > 0) return;  // the command line says otherwise
    const bool is_flag = option.get_expected_max() == 0;
    std::vector<std::string> words;
    if (const auto* array = at.node.as_array()) {
      for (const auto& value : *array) words.push_back(word_of(at, value, key));
      if (option.get_expected_max() <= 1) words = {fmt::format("{}", fmt::join(words, ","))};
    } else {
      words = {word_of(at, at.node, key)};
    }
    const bool takes_value = !is_flag || !option.get_type_name().empty();
    if (at.node.is_boolean() ? !is_flag : !takes_value)
      at.refuse(fmt::format("{}: expected {}, found {}", key, is_flag ? "true or false" : "a value",
                            fmt::join(words, ",")));
    if (is_flag && words.front() == "false") return;
    try {
      for (const auto& word : words) option.add_result(word);
      option.run_callback();
    } catch (const error& e) {
      at.refuse(e.what());
    } catch (const CLI::ParseError& e) {
      at.refuse(e.what());
    }
  }

  CLI::App& program_;
};

/// The name of a file that is there.
std::string required_file(std::string text) {
  text = input_name(text);
  std::error_code failed;
  const auto status = std::filesystem::status(text, failed);
  if (!std::filesystem::exists(status) || std::filesystem::is_directory(status))
    throw input_error(fmt::format("--config: expected a file, found '{}'{}", text,
                                  std::filesystem::is_directory(status) ? ", a folder" : ""));
  return text;
}

constexpr const char* config_help =
    "Take options from a TOML file, of each command from the section with its name, such as [cg] "
    "or [compare.cg]; what stands on the command line wins";

void add_to(CLI::App& program, CLI::App& at) {
  const auto below = at.get_subcommands([](const CLI::App*) { return true; });
  for (auto* sub : below) add_to(program, *sub);
  if ((!below.empty() && at.get_require_subcommand_min() > 0) || &at == &program) return;
  add_checked_file(at, "--config", config_help, "FILE|-",
                   [&program](const std::string&, const std::string& text) {
                     program.get_config_ptr()->add_result(text);
                   })
      ->trigger_on_parse()
      ->configurable(false)
      ->group("Options");
}

}  // namespace

void add_config(CLI::App& program) {
  program.set_config("--config", "", config_help)->type_name("FILE|-")->transform(required_file);
  program.config_formatter(std::make_shared<config_reader>(program));
  add_to(program, program);
}

}  // namespace dwell::app
