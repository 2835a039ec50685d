// SPDX-License-Identifier: MIT
// One rule for each type of a member; what is written in a form of its own is named.
#include "stencil/stencil_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "stencil/choices.hpp"
#include "stencil/field.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"

namespace dwell::app {
namespace {

CLI::Option* add_word(CLI::App& app, const stencil_option& option, std::string& value,
                      std::string help) {
  const std::string_view name = option.name;
  if (name == "order") return add_order(app, value, help);
  const std::vector<std::string> words = option.words();
  if (name == "engine") help += fmt::format(": {}", fmt::join(words, ", "));
  auto* added = add_choice(app, option.flag, value, words, help);
  if (name == "engine") added->type_name("NAME");
  if (name == "executor")
    set_completions(added, executor_completions_of("stencil", stencil_kernels()));
  return added;
}

CLI::Option* add_boundary(CLI::App& app, const stencil_option& option, boundary& value,
                          const std::string& help) {
  const auto text = std::make_shared<std::string>(to_string(value));
  auto* added = add_choice(app, option.flag, *text, option.words(), help);
  added->each([&value, text](const std::string& given) {  // before the choice is checked
    for (const auto one : {boundary::fixed, boundary::periodic, boundary::reflect})
      if (to_string(one) == given) value = one;
  });
  return added;
}

}  // namespace

CLI::Option* add_stencil_flag(CLI::App& app, stencil_surface here, std::string_view name,
                              stencil_options& to, const std::string& other_help) {
  const stencil_option& option = stencil_option_named(name);
  if (!option.flag || !option.is_on(here)) throw std::logic_error(option.name);
  const std::string help = other_help.empty() ? option.help : other_help;
  return with_member(option, to, [&]<class M>(M& member) -> CLI::Option* {
    if constexpr (std::is_same_v<M, int>) {
      return add_positive(app, option.flag, member, help)->default_str("");
    } else if constexpr (std::is_same_v<M, std::string>) {
      return add_word(app, option, member, help);
    } else if constexpr (std::is_same_v<M, boundary>) {
      return add_boundary(app, option, member, help);
    } else if constexpr (std::is_same_v<M, std::vector<double>>) {
      return app
          .add_option_function<std::string>(
              option.flag, [&member](const std::string& text) { member = parse_weights(text); },
              help)
          ->type_name("w1,w2,...");
    } else {
      throw std::logic_error(option.name);
    }
  });
}

CLI::Option* add_boundary_word(CLI::App& app, stencil_surface here,
                               std::optional<std::string>& word, const std::string& help) {
  const stencil_option& option = stencil_option_named("edge");
  if (!option.is_on(here)) throw std::logic_error(option.name);
  auto* added = app.add_option(option.flag, word, help)->type_name("KIND");
  set_completions(added, {option.words()});
  return added;
}

void take_edge(const std::optional<std::string>& word, stencil_options& to) {
  if (!word) return;
  const stencil_option& option = stencil_option_named("edge");
  for (const auto one : {boundary::fixed, boundary::periodic, boundary::reflect})
    if (to_string(one) == *word) {
      to.edge = one;
      return;
    }
  const std::vector<std::string> words = option.words();
  throw input_error(fmt::format("{}: expected {}, found {}", option.flag, or_list(words),
                                found_word(*word, words)));
}

void add_tiling(CLI::App& app, stencil_surface here, stencil_options& to) {
  for (const char* name : {"blocking", "depth", "engine", "traversal"})
    add_stencil_flag(app, here, name, to);
}

}  // namespace dwell::app
