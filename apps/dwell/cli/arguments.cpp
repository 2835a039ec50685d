// SPDX-License-Identifier: MIT
// Numbers are read with from_chars: no locale, no leading blanks, no hexadecimal, no trailing text.
#include "cli/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

#include "cli/completions.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"

namespace dwell::app {

namespace {

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(const std::string& name, const std::string& expected,
                         const std::string& found) {
  throw input_error(fmt::format("{}: expected {}, found '{}'", name, expected, found));
}

/// One of these words, or the end with what was perhaps meant.
void require_choice(const std::string& name, const std::vector<std::string>& choices,
                    const std::string& found, const char* more = "") {
  if (std::find(choices.begin(), choices.end(), found) == choices.end())
    throw input_error(fmt::format("{}: expected {}{}, found {}", name, or_list(choices), more,
                                  found_word(found, choices)));
}

/// "--output" of "-o,--output".
std::string long_name(const std::string& names) { return names.substr(names.rfind(',') + 1); }

/// A whole number from `least` on that fits an int.
int parse_whole(const std::string& name, int least, const std::string& text,
                const std::string& expected = {}) {
  const auto number = parse_number<int>(text);
  if (!number || *number < least)
    refuse(name,
           expected.empty() ? fmt::format("a whole number from {} to 2147483647", least) : expected,
           text);
  return *number;
}

/// An option whose text goes through `take` and whose help shows `shown_default`.
template <class F>
CLI::Option* add_checked(CLI::App& app, const std::string& name, const std::string& help,
                         const std::string& type, const std::string& shown_default, F take) {
  return app.add_option_function<std::string>(name, take, help)
      ->type_name(type)
      ->default_str(shown_default);
}

double tolerance_of(const std::string& name, const std::string& text) {
  const auto number = parse_number<double>(text);
  if (!number || !std::isfinite(*number) || *number < 0) refuse(name, "a finite number >= 0", text);
  return *number;
}

/// Numbers with commas between them, each once.
template <class F>
CLI::Option* add_numbers(CLI::App& app, const std::string& name, const std::string& help,
                         std::vector<int>& value, F number_of) {
  return add_checked(app, name, help, "N,...", "",
                     [name, &value, number_of](const std::string& text) {
                       value.clear();
                       std::istringstream words(text + ",");
                       for (std::string word; std::getline(words, word, ',');) {
                         const int number = number_of(word);
                         if (std::find(value.begin(), value.end(), number) != value.end())
                           refuse(name, "each number once", text);
                         value.push_back(number);
                       }
                     });
}

}  // namespace

CLI::Option* add_tolerance(CLI::App& app, const std::string& name, double& value,
                           const std::string& help) {
  return add_checked(app, name, help, "NUMBER", fmt::format("{}", value),
                     [name, &value](const std::string& text) { value = tolerance_of(name, text); });
}
CLI::Option* add_tolerance(CLI::App& app, const std::string& name, std::optional<double>& value,
                           const std::string& help, const std::string& shown) {
  return add_checked(app, name, help, "NUMBER", shown,
                     [name, &value](const std::string& text) { value = tolerance_of(name, text); });
}

CLI::Option* add_positive(CLI::App& app, const std::string& name, int& value,
                          const std::string& help) {
  return add_whole(app, name, value, help, 1);
}

CLI::Option* add_whole(CLI::App& app, const std::string& name, int& value, const std::string& help,
                       int least, const std::string& expected) {
  return add_checked(app, name, help, "N", value > 0 ? std::to_string(value) : "",
                     [name, &value, least, expected](const std::string& text) {
                       value = parse_whole(name, least, text, expected);
                     });
}

CLI::Option* add_count(CLI::App& app, const std::string& name, std::optional<int>& value,
                       const std::string& help) {
  return add_checked(app, name, help, "N", "", [name, &value](const std::string& text) {
    value = parse_whole(name, 0, text);
  });
}

CLI::Option* add_optional_positive(CLI::App& app, const std::string& name, int& value, int bare,
                                   const std::string& type, const std::string& help) {
  return app
      .add_flag_callback(
          name, [] {}, help)
      ->each([name, &value, bare](const std::string& text) {
        value = text == "true" ? bare : parse_whole(name, 1, text);
      })
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
      ->type_name(type);
}

CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string& value,
                        const std::vector<std::string>& choices, const std::string& help) {
  auto* option = add_checked(app, name, help, fmt::format("{}", fmt::join(choices, "|")), value,
                             [name, &value, choices](const std::string& text) {
                               require_choice(name, choices, text);
                               value = text;
                             });
  set_completions(option, {choices});
  return option;
}

CLI::Option* add_positives(CLI::App& app, const std::string& name, std::vector<int>& value,
                           const std::string& help) {
  return add_numbers(app, name, help, value,
                     [name](const std::string& word) { return parse_whole(name, 1, word); });
}

CLI::Option* add_percents(CLI::App& app, const std::string& name, std::vector<int>& value,
                          const std::string& help) {
  return add_numbers(app, name, help, value, [name](const std::string& word) {
    const std::string expected = "percent, a whole number from 0 to 100";
    const int number = parse_whole(name, 0, word, expected);
    if (number > 100) refuse(name, expected, word);
    return number;
  });
}

CLI::Option* add_choices(CLI::App& app, const std::string& name, std::vector<std::string>& value,
                         const std::vector<std::string>& choices, const std::string& help) {
  auto* option = add_checked(app, name, help, "LIST", fmt::format("{}", fmt::join(value, ",")),
                             [name, &value, choices](const std::string& text) {
                               value.clear();
                               std::istringstream words(text + ",");
                               for (std::string word; std::getline(words, word, ',');) {
                                 require_choice(name, choices, word, ", with commas between");
                                 if (std::find(value.begin(), value.end(), word) != value.end())
                                   refuse(name, "each word once", text);
                                 value.push_back(word);
                               }
                             });
  set_completions(option, {choices, value_completions::list});
  return option;
}

CLI::Option* add_checked_file(
    CLI::App& app, const std::string& names, const std::string& help, const std::string& type,
    std::function<void(const std::string& option, const std::string& text)> take) {
  auto* added = add_checked(app, names, help, type, "",
                            [option = long_name(names), take](const std::string& text) {
                              if (text.empty()) refuse(option, "a file name", text);
                              take(option, text);
                            });
  set_completions(added, {{}, value_completions::file});
  return added;
}

CLI::Option* add_device(CLI::App& app, device_choice& value, const std::string& help) {
  auto* option = add_checked(
      app, "--device", help, "auto|cpu|cuda[:N]", "auto", [&value](const std::string& text) {
        using kind = device_choice::kind;
        value.given = true;
        if (text == "auto") return void(value.what = kind::automatic);
        if (text == "cpu") return void(value.what = kind::cpu);
        value.what = kind::cuda;
        if (text == "cuda") return;
        const auto ordinal = text.rfind("cuda:", 0) == 0
                                 ? parse_number<int>(std::string_view(text).substr(5))
                                 : std::nullopt;
        if (!ordinal || *ordinal < 0) refuse("--device", "auto, cpu, cuda or cuda:N", text);
        value.ordinal = *ordinal;
      });
  set_completions(option, {built_for_gpus() ? std::vector<std::string>{"auto", "cpu", "cuda"}
                                            : std::vector<std::string>{"auto", "cpu"}});
  return option;
}

bool built_for_gpus() {
  const auto kernels = program_kernels();
  return std::any_of(kernels.begin(), kernels.end(),
                     [](const program_kernel& k) { return k.on == backend::cuda; });
}

value_completions executor_completions(std::string_view problem,
                                       const std::vector<std::string>& built) {
  std::vector<std::string> names = executors_of(problem);
  std::erase_if(names, [&](const std::string& name) {
    return std::find(built.begin(), built.end(), name) == built.end();
  });
  return {after_auto(names)};
}

std::vector<std::string> executors_of(std::string_view problem) {
  std::vector<std::string> names;
  for (const executor_info& e : executors::all)
    if (problem == "stencil" ? e.stencils : e.programs) names.emplace_back(e.name);
  return names;
}

}  // namespace dwell::app
