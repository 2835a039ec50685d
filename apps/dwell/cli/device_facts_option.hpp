// SPDX-License-Identifier: MIT
// --device-facts: the facts of a device by name, of those that Dwell knows, or from a JSON file, as
// `dwell measure --save` writes it (docs/reference/json.md).
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/output.hpp"
#include "report/json.hpp"

#include "dwell/device/device.hpp"

namespace dwell::app {

class device_facts_choice {
 public:
  bool given() const { return !word_.empty(); }
  /// The name of the file, empty if the word is that of a known device.
  std::string file() const;
  /// Throws input_error if an output is that file.
  void protect_from(const output_files& outputs) const;

  /// Throws input_error: "FILE: expected ..., found ...".
  device_facts read() const;
  /// `where`, planned for with these facts if they were given. Throws input_error if they are those
  /// of another device.
  device plan(const device& where) const;

 private:
  friend CLI::Option* add_device_facts(CLI::App&, device_facts_choice&, const std::string&, bool);
  std::string word_;
};

/// `help` says what they are for.
/// needs_kernels: GPUs by name are of use to a build that has kernels for them.
CLI::Option* add_device_facts(CLI::App& app, device_facts_choice& value, const std::string& help,
                              bool needs_kernels = true);
/// --device and --threads, or --device-facts instead of both: what a plan is explained for.
void add_explained_device(CLI::App& app, device_choice& device, int& threads,
                          device_facts_choice& facts);
/// For commands that run.
inline constexpr const char* planned_with_help =
    "Plan with these rates of the device, not with those that Dwell has of it: a file that 'dwell "
    "measure --save' wrote";

/// The document of a file. `sources`: where the numbers come from, a line each.
json device_facts_json(const device_facts& facts, const std::vector<std::string>& sources);

}  // namespace dwell::app
