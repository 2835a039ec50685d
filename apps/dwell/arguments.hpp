// SPDX-License-Identifier: MIT
// Options whose values are checked strictly: all of the text must be a value in range. The message
// names the option, what was expected and what was found.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "dwell/execution/core/device.hpp"

namespace dwell::app {

/// A finite number >= 0.
CLI::Option* add_tolerance(CLI::App& app, const std::string& name, double& value,
                           const std::string& help);
/// A whole number >= 1 that fits an int.
CLI::Option* add_positive(CLI::App& app, const std::string& name, int& value,
                          const std::string& help);
/// One of a few words.
CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string& value,
                        const std::vector<std::string>& choices, const std::string& help);
/// Several of a few words, with commas between them, each at most once.
CLI::Option* add_choices(CLI::App& app, const std::string& name, std::vector<std::string>& value,
                         const std::vector<std::string>& choices, const std::string& help);
/// The name of a file, not empty.
CLI::Option* add_file(CLI::App& app, const std::string& name, std::string& value,
                      const std::string& help, const std::string& type = "FILE");

/// auto, cpu, cuda or cuda:N, as the user wrote it.
struct device_choice {
  enum class kind { automatic, cpu, cuda };
  kind what = kind::automatic;
  int ordinal = 0;
  bool given = false;  ///< was there a --device at all?
};
CLI::Option* add_device(CLI::App& app, device_choice& value, const std::string& help);

/// The device itself. Throws device_error if it is not there.
device resolve(const device_choice& choice, int threads);

/// Names of executors of conjugate gradients: `first`, then what else this build has.
std::vector<std::string> cg_executors(std::vector<std::string> first);

/// "a, b or c".
std::string or_list(const std::vector<std::string>& words);

}  // namespace dwell::app
