// SPDX-License-Identifier: MIT
// One rule for each type of a member; options that come from a file or have a type of their own on
// the command line are named.
#include "linear/solve_flags.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "cli/file_options.hpp"

#include "dwell/base/policy_words.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"

namespace dwell::app {

namespace {

CLI::Option* add_preconditioner(CLI::App& app, surface here, const solve_option& option,
                                preconditioner& value, const std::string& method,
                                std::string help) {
  std::vector<std::string> names = option.words();
  if (here == surface::compare_cg) {  // a row for each choice, so none is left open
    std::erase(names, automatic);
    value = preconditioner::none;
    help.resize(std::min(help.size(), help.find("; auto ")));
  }
  const auto text = std::make_shared<std::string>(to_string(value));
  auto* added = add_choice(app, option.flag, *text, names, help);
  added->each([&value, text](const std::string& given) {  // before the choice is checked
    for (const auto one : preconditioners())
      if (to_string(one) == given) value = one;
  });
  if (method == "cg") {  // which takes symmetric ones
    for (const auto one : {preconditioner::ilu0, preconditioner::aggregation})
      std::erase(names, to_string(one));
    set_completions(added, {names});
  }
  return added;
}

CLI::Option* add_switch(CLI::App& app, const solve_option& option, bool& value,
                        const std::string& help) {
  if (!std::string_view(option.flag).starts_with("--no-"))
    return app.add_flag(option.flag, value, help);
  return app.add_flag_callback(
      option.flag, [&value] { value = false; }, help);
}

}  // namespace

CLI::Option* add_flag(CLI::App& app, surface here, std::string_view name, solve_flags& to,
                      const std::string& other_help) {
  const solve_option& option = solve_option_named(name);
  const std::string help = other_help.empty() ? option.flag_help_text() : other_help;
  solve_options& o = to.options;
  if (name == "null_vectors") return add_input(app, option.flag, to.null_vectors, help);
  if (name == "near_null") return add_near_null(app, to.near_null, option.flag, help);
  if (name == "history")
    return add_destination(app, option.flag, to.history, help)->each([&o](const std::string&) {
      o.history = true;
    });
  if (name == "mixed_precision")
    return add_choice(app, option.flag, to.precision, option.words(), help)
        ->each([&o](const std::string& given) { o.mixed_precision = given == "mixed"; });
  if (name == "method") o.method = automatic;
  return with_member(option, o, [&]<class M>(M& member) -> CLI::Option* {
    if constexpr (std::is_same_v<M, int>) {
      if (!option.range) return add_positive(app, option.flag, member, help);
      const option_range& range = *option.range;
      const bool limited = range.words || range.most < std::numeric_limits<double>::max();
      return add_whole(app, option.flag, member, help, static_cast<int>(range.least),
                       limited ? range.text() : "");
    } else if constexpr (std::is_same_v<M, double>) {
      return add_tolerance(app, option.flag, member, help);
    } else if constexpr (std::is_same_v<M, bool>) {
      return add_switch(app, option, member, help);
    } else if constexpr (std::is_same_v<M, preconditioner>) {
      return add_preconditioner(app, here, option, member, o.method, help);
    } else if constexpr (std::is_same_v<M, std::string>) {
      auto* added = add_choice(app, option.flag, member, option.words(), help);
      if (name == "executor")
        set_completions(added, executor_completions_of("cg", program_kernels()));
      return added;
    } else {
      throw std::logic_error(option.name);
    }
  });
}

void add_flags(CLI::App& app, surface here, option_group group, solve_flags& to, bool only_cg) {
  for (const solve_option& option : solve_option_table())
    if (option.group == group && option.flag && option.is_on(here) &&
        (!only_cg || option.part_of || (option.is_of("cg") && group != option_group::method)))
      add_flag(app, here, option.name, to);
}

}  // namespace dwell::app
