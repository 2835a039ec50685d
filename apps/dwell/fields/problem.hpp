// SPDX-License-Identifier: MIT
// A problem of several fields as a TOML file has it: the definition, values, boundary, points,
// reductions, outputs.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dwell/formats/extents.hpp"
#include "dwell/formats/grid.hpp"
#include "dwell/stencil/definition.hpp"
#include "dwell/stencil/field_boundary.hpp"
#include "dwell/stencil/field_reduction.hpp"

namespace dwell::app {

/// A value that was given, and where: "wave.toml:12: c2", or "--set c2".
struct given_value {
  std::string place;
  /// A number; a kind of --initial or the name of a .npy or .vti file; a number for each step.
  std::variant<double, std::string, std::vector<double>> value;
  bool is_file() const;
  const std::string& file() const { return std::get<std::string>(value); }
};

/// Cells of a field to which a series is added.
struct given_source {
  std::string place;
  int field = 0;
  std::vector<std::int64_t> cells;  ///< an index along each axis for each cell
  given_value series;
};
/// Cells of a field that are recorded.
struct given_receiver {
  std::string place;
  int field = 0;
  std::vector<std::int64_t> cells;
  std::string output;
};
/// A field that is written.
struct given_output {
  std::string place;
  int field = 0;
  std::string file;
};

struct fields_problem {
  std::string file;  ///< or the name of a ready stencil
  bool is_file = true;
  std::string text;  ///< the file
  stencil_definition definition;
  std::vector<field_boundary> boundaries{};
  std::map<std::string, given_value> values{};
  std::optional<extents> size{};
  std::optional<int> steps{};
  std::vector<given_source> sources{};
  std::vector<given_receiver> receivers{};
  std::vector<field_reduction> reductions{};
  int reduce_every = 100;
  std::vector<given_output> outputs{};
};

/// Reads FILE.toml, or the text of a ready stencil. Throws input_error with file and line.
fields_problem read_problem(const std::string& stencil);
/// The size: of the command line, else of the file, else that of the first array that is read.
/// Throws input_error if there is none, or of other dimensions than the definition has.
extents size_of(const fields_problem& problem, const std::optional<extents>& asked);
/// Slowest first.
std::vector<std::int64_t> axes_of(const extents& size);
/// The place of a field. Throws input_error that names `option`.
int find_field(const stencil_definition& definition, const std::string& option,
               const std::string& name);
/// Is this argument of `dwell stencil` FILE.toml or a ready stencil of several fields?
bool has_fields(const std::string& stencil);

/// All sides of all fields by the word of --boundary. Throws input_error.
field_boundary boundary_of_option(const std::string& word);

/// A stencil of several fields that is in the program: its text is that of a file.
struct ready_stencil {
  std::string_view name, text;
};
std::span<const ready_stencil> ready_stencils();
/// "c2=0.3", "u=u.npy": what --set takes, put in place of what the file has.
void set_value(fields_problem& problem, const std::string& text);

/// What a file may have, for --help.
extern const char* const problem_file_help;

}  // namespace dwell::app
