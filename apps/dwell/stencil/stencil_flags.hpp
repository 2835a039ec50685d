// SPDX-License-Identifier: MIT
// Flags of the options of stencils, made of their table (solvers/stencil/api/options_table.hpp).
// Those that say when a run ends are of `dwell stencil` alone, whose defaults depend on each other.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "dwell/solvers/stencil/api/options_table.hpp"

namespace dwell::app {

/// The flag of an option on this surface. help: instead of the table's, where a command means it
/// otherwise. Throws std::logic_error if the surface does not have it.
CLI::Option* add_stencil_flag(CLI::App& app, stencil_surface here, std::string_view option,
                              stencil_options& to, const std::string& help = {});
/// Adds --boundary for commands that take stencils of several fields, too, which know more words:
/// the word is read by take_edge(), or by boundary_of_option().
CLI::Option* add_boundary_word(CLI::App& app, stencil_surface here,
                               std::optional<std::string>& word, const std::string& help);
/// The boundary of a stencil of one field, if one was given. Throws input_error for a word that is
/// none.
void take_edge(const std::optional<std::string>& word, stencil_options& to);
/// Adds --blocking, --depth, --engine and --traversal: how perks lays out its tiles.
void add_tiling(CLI::App& app, stencil_surface here, stencil_options& to);

}  // namespace dwell::app
