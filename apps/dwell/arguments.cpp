// SPDX-License-Identifier: MIT
// Numbers are read with from_chars: no locale, no leading blanks, no hexadecimal, no trailing text.
#include "arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

#include "dwell/execution/core/variants.hpp"
#include "dwell/formats/error.hpp"

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

/// An option whose text goes through `take` and whose help shows `shown_default`.
template <class F>
CLI::Option* add_checked(CLI::App& app, const std::string& name, const std::string& help,
                         const std::string& type, const std::string& shown_default, F take) {
  return app.add_option_function<std::string>(name, take, help)
      ->type_name(type)
      ->default_str(shown_default);
}

}  // namespace

std::string or_list(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
  return out;
}

CLI::Option* add_tolerance(CLI::App& app, const std::string& name, double& value,
                           const std::string& help) {
  return add_checked(app, name, help, "NUMBER", fmt::format("{}", value),
                     [name, &value](const std::string& text) {
                       const auto number = parse_number<double>(text);
                       if (!number || !std::isfinite(*number) || *number < 0)
                         refuse(name, "a finite number >= 0", text);
                       value = *number;
                     });
}

CLI::Option* add_positive(CLI::App& app, const std::string& name, int& value,
                          const std::string& help) {
  return add_checked(app, name, help, "N", value > 0 ? std::to_string(value) : "",
                     [name, &value](const std::string& text) {
                       const auto number = parse_number<int>(text);
                       if (!number || *number < 1)
                         refuse(name, "a whole number from 1 to 2147483647", text);
                       value = *number;
                     });
}

CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string& value,
                        const std::vector<std::string>& choices, const std::string& help) {
  return add_checked(app, name, help, fmt::format("{}", fmt::join(choices, "|")), value,
                     [name, &value, choices](const std::string& text) {
                       if (std::find(choices.begin(), choices.end(), text) == choices.end())
                         refuse(name, or_list(choices), text);
                       value = text;
                     });
}

CLI::Option* add_choices(CLI::App& app, const std::string& name, std::vector<std::string>& value,
                         const std::vector<std::string>& choices, const std::string& help) {
  return add_checked(app, name, help, "LIST", fmt::format("{}", fmt::join(value, ",")),
                     [name, &value, choices](const std::string& text) {
                       value.clear();
                       std::istringstream words(text + ",");
                       for (std::string word; std::getline(words, word, ',');) {
                         if (std::find(choices.begin(), choices.end(), word) == choices.end())
                           refuse(name, or_list(choices) + ", with commas between", word);
                         if (std::find(value.begin(), value.end(), word) != value.end())
                           refuse(name, "each word once", text);
                         value.push_back(word);
                       }
                     });
}

CLI::Option* add_file(CLI::App& app, const std::string& name, std::string& value,
                      const std::string& help, const std::string& type) {
  return add_checked(app, name, help, type, value, [name, &value](const std::string& text) {
    if (text.empty()) refuse(name, "a file name", text);
    value = text;
  });
}

CLI::Option* add_device(CLI::App& app, device_choice& value, const std::string& help) {
  return add_checked(
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
}

device resolve(const device_choice& choice, int threads) {
  if (choice.what == device_choice::kind::cuda) return device::cuda(choice.ordinal);
  if (choice.what == device_choice::kind::cpu) return device::cpu(threads);
  const auto best = device::best();
  return best.on() == backend::cpu ? device::cpu(threads) : best;
}

std::vector<std::string> cg_executors(std::vector<std::string> first) {
  for (const auto& v : built_variants())
    if (v.problem == "cg" && std::find(first.begin(), first.end(), v.executor) == first.end())
      first.push_back(v.executor);
  return first;
}

}  // namespace dwell::app
