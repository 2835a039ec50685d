// SPDX-License-Identifier: MIT
// Options whose values are checked strictly: all of the text must be a value in range. The message
// names the option, what was expected and what was found.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/completions.hpp"
#include "cli/device_choice.hpp"

#include "dwell/base/policy_words.hpp"

namespace dwell::app {

/// A finite number >= 0.
CLI::Option* add_tolerance(CLI::App& app, const std::string& name, double& value,
                           const std::string& help);
/// A tolerance that need not be given. shown: its default, in words.
CLI::Option* add_tolerance(CLI::App& app, const std::string& name, std::optional<double>& value,
                           const std::string& help, const std::string& shown);
/// A whole number >= 1 that fits an int.
CLI::Option* add_positive(CLI::App& app, const std::string& name, int& value,
                          const std::string& help);
/// A whole number >= least that fits an int. expected: what a refusal says of it, if not that. A
/// value of 0 is no default to show.
CLI::Option* add_whole(CLI::App& app, const std::string& name, int& value, const std::string& help,
                       int least, const std::string& expected = {});
/// A whole number >= 0 that fits an int.
CLI::Option* add_count(CLI::App& app, const std::string& name, std::optional<int>& value,
                       const std::string& help);
/// A flag that may have a whole number >= 1 behind an equals sign, and nowhere else; `bare`
/// without.
CLI::Option* add_optional_positive(CLI::App& app, const std::string& name, int& value, int bare,
                                   const std::string& type, const std::string& help);
/// One of a few words.
CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string& value,
                        const std::vector<std::string>& choices, const std::string& help);
/// Whole numbers from 1 on, with commas between them, each at most once.
CLI::Option* add_positives(CLI::App& app, const std::string& name, std::vector<int>& value,
                           const std::string& help);
/// Percent, whole numbers from 0 to 100, likewise.
CLI::Option* add_percents(CLI::App& app, const std::string& name, std::vector<int>& value,
                          const std::string& help);
/// Several of a few words, with commas between them, each at most once.
CLI::Option* add_choices(CLI::App& app, const std::string& name, std::vector<std::string>& value,
                         const std::vector<std::string>& choices, const std::string& help);
/// The name of a file, not empty, handed to `take` with the option's long name. See destination.hpp
/// for those that most options are.
CLI::Option* add_checked_file(
    CLI::App& app, const std::string& names, const std::string& help, const std::string& type,
    std::function<void(const std::string& option, const std::string& text)> take);

/// See device_choice.hpp.
CLI::Option* add_device(CLI::App& app, device_choice& value, const std::string& help);

/// Has this build kernels for GPUs?
bool built_for_gpus();
/// What a shell may complete for --executor: "auto" and those of a problem's executors that the
/// rows of a table of kernels have.
value_completions executor_completions(std::string_view problem,
                                       const std::vector<std::string>& built);
template <class Rows>
value_completions executor_completions_of(std::string_view problem, const Rows& rows) {
  std::vector<std::string> built;
  for (const auto& row : rows) built.emplace_back(row.executor);
  return executor_completions(problem, built);
}

/// Names of the executors of a problem, "cg" or "stencil", be they in this build or not.
std::vector<std::string> executors_of(std::string_view problem);

}  // namespace dwell::app
