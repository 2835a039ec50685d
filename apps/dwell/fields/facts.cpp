// SPDX-License-Identifier: MIT
// Facts of a stencil of several fields as text and JSON.
#include "fields/facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/table.hpp"
#include "report/units.hpp"

namespace dwell::app {

std::string to_text(const fields_problem& p) {
  const stencil_definition& d = p.definition;
  const cell_tape& tape = d.tape();
  table out;
  out.row("stencil",
          fmt::format("{}, {}, radius {}, {}", d.name(), format_plural(d.dims(), "dimension"),
                      d.radius(), format_plural(static_cast<int>(d.stages().size()), "stage")));
  out.row("arithmetic", format_plural(d.flops(), "operation") + " per cell and step");
  out.row("fields", fmt::format("{}", fmt::join(tape.fields, ", ")));
  if (!tape.coefficients.empty())
    out.row("coefficients",
            fmt::format("{} (a value per cell)", fmt::join(tape.coefficients, ", ")));
  if (!tape.parameters.empty())
    out.row("parameters", fmt::format("{}", fmt::join(tape.parameters, ", ")));
  out.row("file", p.is_file ? p.file : "the text below, which 'dwell stencil FILE.toml' takes");
  return out.text() + "\n" + p.text;
}

json to_json(const fields_problem& p) {
  const stencil_definition& d = p.definition;
  const cell_tape& tape = d.tape();
  json out = document("info stencil fields");
  out["stencil"] = {{"name", d.name()},
                    {"file", p.file},
                    {"dimensions", d.dims()},
                    {"radius", d.radius()},
                    {"stages", d.stages().size()},
                    {"operations_per_cell", d.flops()},
                    {"fields", tape.fields},
                    {"coefficients", tape.coefficients},
                    {"parameters", tape.parameters},
                    {"text", p.text}};
  return out;
}

}  // namespace dwell::app
