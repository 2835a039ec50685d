// SPDX-License-Identifier: MIT
// dwell explain stencil: what perks would do with a stencil on a device, be it here or not, and
// why.
#include <array>
#include <optional>
#include <string_view>

#include "explain/part.hpp"
#include "fields/explanation.hpp"
#include "fields/problem.hpp"
#include "fields/run.hpp"
#include "stencil/choices.hpp"
#include "stencil/commands.hpp"
#include "stencil/explanation.hpp"
#include "stencil/field.hpp"
#include "stencil/stencil_flags.hpp"

#include "dwell/execution/stencil/plan/policy.hpp"

namespace dwell::app {

namespace {

struct stencil_part : explain_part {
  static constexpr stencil_surface here = stencil_surface::explain;
  std::string size, source, precision = "f64", executor = "auto", hoist = "auto";
  std::optional<std::string> boundary;
  stencil_options options;
  extents cells;
  const CLI::App* command_line = nullptr;
  std::optional<fields_problem> fields;  ///< the problem, of several fields

  void add(CLI::App& app) {
    command_line = &app;
    set_stencil_completions(
        app.add_option("STENCIL", options.shape,
                       "A name: see 'dwell stencil --help'; or FILE.toml, of several fields")
            ->required()
            ->type_name(""));
    app.add_option(
           "--size", size,
           "Cells: rows x columns, or planes x rows x columns; of several fields in one dimension "
           "a number (default: as FILE.toml has it)")
        ->type_name("NxN[xN]");
    add_input(app, "--source", source, "As of 'dwell stencil': not all kernels take one",
              "f.npy|-");
    add_boundary_word(app, here, boundary, "Of the run, as of 'dwell stencil'");
    add_explained_device(app, device, threads, asked_facts);
    add_stencil_flag(app, here, "policy", options, "The policy whose plan is shown in full");
    add_tiling(app, here, options);
    add_stencil_flag(app, here, "order", options);
    add_choice(app, "--executor", executor,
               {"auto", "naive", "host-loop", "graph", "persistent", "perks", "temporal"},
               "Of several fields: in which loop the steps run");
    add_hoist(app, hoist);
    add_choice(app, "--precision", precision, {"f64", "f32"}, "Of the field");
    app.footer(
        "Examples:\n"
        "  dwell explain stencil 2d5pt --size 1320x1200 --device-facts h200\n"
        "  dwell explain stencil wave2d --size 4096x4096\n"
        "  dwell explain stencil 2d9pt --size 4096x4096 --policy both --json -");
  }
  input_list inputs() const { return {{"--source", source}}; }
  void check() {
    if (has_fields(options.shape)) {
      check_fields();
      return;
    }
    static constexpr std::array<std::string_view, 2> only{"--executor", "--hoist"};
    refuse_options_of_fields(*command_line, only);
    take_edge(boundary, options);
    if (size.empty()) throw input_error("--size: expected cells such as 4096x4096, found none");
    cells = parse_size("--size", size);
    if (!source.empty()) require_source(source, cells, precision);
  }
  void check_fields() {
    static constexpr std::array<std::string_view, 12> known{
        "STENCIL",        "--size",      "--boundary", "--device", "--threads", "--executor",
        "--device-facts", "--precision", "--depth",    "--hoist",  "--json",    "--help"};
    require_options_of_fields(*command_line, known);
    fields = read_problem(options.shape);
    if (boundary) fields->boundaries = {boundary_of_option(*boundary)};
    cells = size_of(*fields,
                    size.empty() ? std::nullopt : std::optional(parse_size("--size", size, 1)));
  }
  explanation explain(const device_facts& facts) const {
    if (fields) {
      field_options asked;
      asked.boundaries = fields->boundaries;
      asked.executor = executor;
      asked.depth = options.depth;
      asked.hoist = hoist;
      const auto found =
          dwell::explain(fields->definition, axes_of(cells), precision, facts, asked);
      return {app::to_text(found, fields->file), app::to_json(found, fields->file)};
    }
    const auto found = dwell::explain(cells, precision, facts, options, !source.empty());
    warn_of_leaving("--policy", options.policy);
    return {app::to_text(found), app::to_json(found, source)};
  }
};

}  // namespace

command add_explain_stencil(CLI::App& app) { return add_part<stencil_part>(app); }

}  // namespace dwell::app
