// SPDX-License-Identifier: MIT
// dwell stencil FILE.toml, or NAME of a ready stencil of several fields.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/destination.hpp"
#include "cli/device_choice.hpp"
#include "cli/exit_code.hpp"
#include "cli/report_target.hpp"

#include "dwell/formats/extents.hpp"
#include "dwell/formats/png.hpp"

namespace dwell::app {

/// What the command line says, beside the file.
struct fields_arguments {
  std::string file;
  std::vector<std::string> set;  ///< NAME=VALUE
  std::optional<extents> size;
  std::optional<int> steps;
  device_choice device;
  int threads = 0;
  std::string precision, executor;
  int depth = 0;                        ///< steps of a pass; 0: as planned
  std::string hoist = "auto";           ///< field_options::hoist
  std::optional<std::string> boundary;  ///< word for all sides of all fields; else as in the file
  std::string field;   ///< that `output` and `animation` show; empty: the first one
  destination output;  ///< file of the field
  destination animation;
  std::optional<int> every;        ///< steps between two frames
  std::optional<png_scale> scale;  ///< common to pictures and the animation
  report_target report;
};

/// Throws input_error for an option that was given and is not for several fields: not among
/// `known`.
void require_options_of_fields(const CLI::App& app, std::span<const std::string_view> known);

/// Throws input_error for one of `only` that was given with a stencil of one field.
void refuse_options_of_fields(const CLI::App& app, std::span<const std::string_view> only);

/// Those of `dwell stencil`.
std::span<const std::string_view> options_of_fields();
/// Adds --hoist: field_options::hoist.
CLI::Option* add_hoist(CLI::App& app, std::string& value);

exit_code run_fields(const fields_arguments& args);

}  // namespace dwell::app
