// SPDX-License-Identifier: MIT
// The table of methods. The folder of a method defines NAME_method().
#include "methods.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/help_format.hpp"

namespace dwell::app {

// A line for each method.
#define DWELL_EACH_METHOD(DO) \
  DO(solve)                   \
  DO(cg)                      \
  DO(stencil)                 \
  DO(convolve)                \
  DO(grid)

#define DWELL_DECLARE_METHOD(name) [[gnu::weak]] method name##_method();
#define DWELL_ROW_OF_METHOD(name) method_row{#name, name##_method},
DWELL_EACH_METHOD(DWELL_DECLARE_METHOD)

struct method_row {
  const char* name;
  method (*make)();  ///< null: not in this program
};
constexpr method_row rows[] = {DWELL_EACH_METHOD(DWELL_ROW_OF_METHOD)};

std::span<const method> methods() {
  static const std::vector<method> all = [] {
    std::vector<method> made;
    for (const method_row& row : rows)
      if (row.make) made.push_back(row.make());
    return made;
  }();
  return all;
}

std::vector<std::string> absent_methods() {
  std::vector<std::string> names;
  for (const method_row& row : rows)
    if (!row.make) names.emplace_back(row.name);
  return names;
}

command add_methods(CLI::App& app, method::form method::*form) {
  std::vector<std::pair<const CLI::App*, command>> all;
  for (const auto& m : methods()) {
    if (!(m.*form).add) continue;
    auto* sub = app.add_subcommand(m.name, (m.*form).help);
    all.emplace_back(sub, (m.*form).add(*sub));
  }
  return [all] {
    const auto chosen =
        std::find_if(all.begin(), all.end(), [](const auto& one) { return one.first->parsed(); });
    return chosen == all.end() ? exit_code::done : chosen->second();
  };
}

std::string example_line(const method::example& e) {
  constexpr std::size_t column = 36;
  return two_columns(e.line, e.does, column);
}

std::string examples_of(method::form method::*form) {
  std::string text = "Examples:\n";
  for (const auto& m : methods())
    for (const auto& e : (m.*form).examples) text += example_line(e);
  text.pop_back();
  return text;
}

std::string examples_of_all() {
  std::string text;
  for (const auto& m : methods()) {
    for (const auto& e : m.run.examples) text += example_line(e);
    for (const auto* form : {&m.compare, &m.explain})
      if (form->add && !form->examples.empty()) text += example_line(form->examples.front());
  }
  return text;
}

}  // namespace dwell::app
