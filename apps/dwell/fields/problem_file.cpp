// SPDX-License-Identifier: MIT
// From the file to the problem, table by table. Keys that nobody asked for are refused.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/file_options.hpp"
#include "cli/toml_file.hpp"
#include "cli/toml_section.hpp"
#include "fields/problem.hpp"
#include "report/units.hpp"
#include "stencil/field.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/stencil/formulas.hpp"

namespace dwell::app {
namespace {

/// The lines of a text in the file begin after its quotes.
int first_line(const std::string& text, const toml::node& node) {
  const auto line = node.source().begin.line;
  std::size_t at = 0;
  for (unsigned k = 1; k < line && at < text.size(); ++k) at = text.find('\n', at) + 1;
  at += node.source().begin.column - 1;
  const auto three = text.substr(at, 3);
  const bool on_the_next =
      (three == "\"\"\"" || three == "'''") &&
      (text.compare(at + 3, 1, "\n") == 0 || text.compare(at + 3, 2, "\r\n") == 0);
  return static_cast<int>(line) + (on_the_next ? 1 : 0);
}

/// Asks for all keys of the file: a slip in one is said as such, not by what is missing without it.
void require_keys(toml_section& all) {
  for (const char* key :
       {"name", "dims", "fields", "coefficients", "parameters", "step", "stages", "boundary",
        "sources", "receivers", "reductions", "until", "values", "run", "outputs"})
    all.find(key);
  all.finish();
}

stencil_definition definition_of(toml_section& all, const std::string& text,
                                 const std::string& file) {
  stencil_formulas formulas;
  const std::string stem = std::filesystem::path(file).stem().string();
  formulas.name = all.text("name").value_or([&] {
    std::string name = stem;
    for (char& c : name)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ? "stencil" : name;
  }());
  formulas.dims = all.whole("dims", 1).value_or(0);
  formulas.fields = all.names("fields");
  formulas.coefficients = all.names("coefficients");
  formulas.parameters = all.names("parameters");
  const auto* step = all.find("step");
  const auto* stages = all.find("stages");
  if ((step == nullptr) == (stages == nullptr))
    throw input_error(
        fmt::format("{}: expected step, the formulas of a step, or stages, an array "
                    "of them, found {}",
                    file, step ? "both" : "none"));
  std::vector<const toml::node*> nodes;
  if (step) nodes.push_back(step);
  if (stages && !stages->is_array())
    all.refuse(*stages, "stages", "expected an array of texts, found " + found_kind(*stages));
  for (std::size_t k = 0; stages && k < stages->as_array()->size(); ++k)
    nodes.push_back(stages->as_array()->get(k));
  for (const auto* node : nodes) {
    if (!node->is_string())
      all.refuse(*node, step ? "step" : "stages", "expected text, found " + found_kind(*node));
    formulas.stages.push_back(node->as_string()->get());
  }
  try {
    return parse_formulas(formulas);
  } catch (const formula_error& e) {
    const auto& node = *nodes[static_cast<std::size_t>(e.stage)];
    throw input_error(
        fmt::format("{}:{}: {}", file, first_line(text, node) + e.line - 1, e.what_is_wrong));
  } catch (const input_error& e) {
    throw input_error(fmt::format("{}: {}", file, e.what()));
  }
}

int field_named(const toml_section& in, const toml::node& at, const std::string& key,
                const stencil_definition& d, std::string_view name) {
  const auto& fields = d.tape().fields;
  const auto found = std::ranges::find(fields, name);
  if (found == fields.end())
    in.refuse(at, key, "expected a field, found " + found_word(name, fields));
  return static_cast<int>(found - fields.begin());
}

field_side side_of(const toml_section& all, const toml::node& node) {
  if (!node.is_string())
    all.refuse(node, "boundary", "expected a word such as reflect, found " + found_kind(node));
  try {
    return parse_field_side(node.as_string()->get());
  } catch (const input_error& e) {
    throw input_error(all.place(node, e.what()));  // which begins with "boundary: "
  }
}

/// A word; or an array with a word, or a pair of words, for each axis.
field_boundary boundary_of(const toml_section& all, const toml::node& node, int dims) {
  if (!node.is_array()) return field_boundary::all(side_of(all, node));
  const auto& axes = *node.as_array();
  if (axes.size() != static_cast<std::size_t>(dims))
    all.refuse(node, "boundary",
               fmt::format("expected an entry for each of {} axes, found {}", dims, axes.size()));
  field_boundary b;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const auto* pair = axes[a].as_array();
    if (pair && pair->size() != 2)
      all.refuse(axes[a], "boundary", "expected a word or a pair of words for an axis");
    for (std::size_t side = 0; side < 2; ++side)
      b.sides[a][side] = side_of(all, pair ? *pair->get(side) : axes[a]);
  }
  return b;
}

void take_boundary(toml_section& all, fields_problem& p) {
  const auto* node = all.find("boundary");
  const int dims = p.definition.dims();
  if (!node) {
    p.boundaries = {field_boundary{}};
  } else if (const auto* table = node->as_table()) {
    p.boundaries.assign(static_cast<std::size_t>(p.definition.fields()), {});
    std::set<int> seen;
    for (const auto& [key, value] : *table) {
      const int f = field_named(all, value, "boundary", p.definition, key.str());
      p.boundaries[static_cast<std::size_t>(f)] = boundary_of(all, value, dims);
      seen.insert(f);
    }
    for (int f = 0; f < p.definition.fields(); ++f)
      if (!seen.contains(f))
        all.refuse(*node, "boundary",
                   fmt::format("expected every field, found none of {}",
                               p.definition.tape().fields[static_cast<std::size_t>(f)]));
  } else {
    p.boundaries = {boundary_of(all, *node, dims)};
  }
}

double number_of(const toml_section& in, const toml::node& node, const std::string& key) {
  const auto number = node.value<double>();
  if (!number || node.is_boolean() || node.is_string() || !std::isfinite(*number))
    in.refuse(node, key, "expected a finite number, found " + found_kind(node));
  return *number;
}

given_value value_of(const toml_section& in, const toml::node& node, const std::string& key) {
  given_value v{in.place(node, key), 0.0};
  if (const auto* text = node.as_string()) {
    v.value = text->get();
  } else if (const auto* array = node.as_array()) {
    std::vector<double> numbers;
    for (const auto& one : *array) numbers.push_back(number_of(in, one, key));
    v.value = std::move(numbers);
  } else {
    v.value = number_of(in, node, key);
  }
  return v;
}

std::vector<std::int64_t> cells_of(toml_section& in, int dims) {
  const auto* node = in.find("cells");
  const auto* list = node ? node->as_array() : nullptr;
  if (!list || list->empty())
    in.refuse(node ? *node : in.table(), "cells",
              fmt::format("expected an array of cells, each with {} indices", dims));
  std::vector<std::int64_t> all;
  for (const auto& one : *list) {
    const auto* cell = one.as_array();
    if (!cell || cell->size() != static_cast<std::size_t>(dims))
      in.refuse(one, "cells", fmt::format("expected {} indices for each cell", dims));
    for (const auto& index : *cell) {
      if (!index.is_integer())
        in.refuse(index, "cells", "expected whole numbers, found " + found_kind(index));
      all.push_back(index.as_integer()->get());
    }
  }
  return all;
}

void take_points(toml_section& all, fields_problem& p) {
  const auto field_of = [&](toml_section& one) {
    const std::string name = one.required_text("field");
    return field_named(one, *one.find("field"), "field", p.definition, name);
  };
  for (toml_section& one : all.sections("sources")) {
    given_source s{
        one.place(one.table(), "series"), field_of(one), cells_of(one, p.definition.dims()), {}};
    const auto* series = one.find("series");
    if (!series) one.refuse(one.table(), "series", "expected numbers or a .npy file, found none");
    s.series = value_of(one, *series, "series");
    one.finish();
    p.sources.push_back(std::move(s));
  }
  for (toml_section& one : all.sections("receivers")) {
    given_receiver r{one.place(one.table(), "output"), field_of(one),
                     cells_of(one, p.definition.dims()), one.required_text("output")};
    if (!r.output.ends_with(".npy"))
      throw input_error(r.place + ": expected a name that ends in .npy, found '" + r.output + "'");
    one.finish();
    p.receivers.push_back(std::move(r));
  }
}

field_quantity quantity_of(const toml_section& in, const toml::node& at, std::string_view text) {
  try {
    return parse_field_quantity(text);
  } catch (const input_error& e) {
    in.refuse(at, std::string(text), e.what());
  }
}

void take_reductions(toml_section& all, fields_problem& p) {
  const auto& fields = p.definition.tape().fields;
  if (auto in = all.section("reductions")) {
    p.reduce_every = in->whole("every", 1).value_or(p.reduce_every);
    for (int f = 0; f < p.definition.fields(); ++f) {
      const std::string& name = fields[static_cast<std::size_t>(f)];
      for (const std::string& word : in->names(name))
        p.reductions.push_back({f, quantity_of(*in, *in->find(name), word), std::nullopt});
    }
    in->finish();
  }
  if (auto in = all.section("until")) {
    for (int f = 0; f < p.definition.fields(); ++f) {
      const std::string& name = fields[static_cast<std::size_t>(f)];
      const auto* node = in->find(name);
      if (!node) continue;
      if (!node->is_table())
        in->refuse(*node, name, "expected {quantity = number}, found " + found_kind(*node));
      for (const auto& [key, value] : *node->as_table()) {
        const field_quantity q = quantity_of(*in, value, key.str());
        const auto there = std::ranges::find_if(p.reductions, [&](const field_reduction& r) {
          return r.field == f && r.quantity == q;
        });
        field_reduction& r = there != p.reductions.end()
                                 ? *there
                                 : p.reductions.emplace_back(field_reduction{f, q, std::nullopt});
        r.until = number_of(*in, value, std::string(key.str()));
      }
    }
    in->finish();
  }
}

/// "60x80", which may also be an array, [60, 80].
std::string size_text(const toml_section& in, const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  const auto* axes = node.as_array();
  if (!axes)
    in.refuse(node, "size",
              "expected a text such as '60x80', or an array, found " + found_kind(node));
  std::string text;
  for (const auto& axis : *axes) {
    if (!axis.is_integer())
      in.refuse(axis, "size", "expected whole numbers, found " + found_kind(axis));
    text += fmt::format("{}{}", text.empty() ? "" : "x", axis.as_integer()->get());
  }
  return text;
}

void take_rest(toml_section& all, fields_problem& p) {
  const cell_tape& tape = p.definition.tape();
  if (auto in = all.section("values")) {
    for (const auto* list : {&tape.fields, &tape.coefficients, &tape.parameters})
      for (const std::string& name : *list)
        if (const auto* node = in->find(name))
          p.values.insert_or_assign(name, value_of(*in, *node, name));
    in->finish();
  }
  if (auto in = all.section("run")) {
    if (const auto* node = in->find("size"))
      p.size = parse_size(in->place(*node, "size"), size_text(*in, *node), 1);
    p.steps = in->whole("steps", 0);
    in->finish();
  }
  if (auto in = all.section("outputs")) {
    for (int f = 0; f < p.definition.fields(); ++f) {
      const std::string& name = tape.fields[static_cast<std::size_t>(f)];
      for (const std::string& file : in->names(name))
        p.outputs.push_back({in->place(*in->find(name), name), f, file});
    }
    in->finish();
  }
}

}  // namespace

bool given_value::is_file() const {
  const auto* text = std::get_if<std::string>(&value);
  return text && (text->ends_with(".npy") || text->ends_with(".vti"));
}

bool has_fields(const std::string& stencil) {
  return stencil.ends_with(".toml") ||
         std::ranges::find(ready_stencils(), stencil, &ready_stencil::name) !=
             ready_stencils().end();
}

fields_problem read_problem(const std::string& stencil) {
  const auto ready = std::ranges::find(ready_stencils(), stencil, &ready_stencil::name);
  const bool is_file = ready == ready_stencils().end();
  std::string text;
  if (is_file) {
    std::ifstream in(stencil);
    if (std::error_code e; !in)
      throw input_error(fmt::format("{}: {}", stencil,
                                    std::filesystem::exists(stencil, e)
                                        ? "expected a readable file, this one cannot be read"
                                        : "no such file; expected a stencil as a TOML file"));
    text = toml_text(in, stencil, "a file of a stencil");
  } else {
    text = ready->text;
  }
  const toml::table table = parse_toml(text, stencil);
  toml_section all(stencil, table, "");
  require_keys(all);
  fields_problem p{stencil, is_file, text, definition_of(all, text, stencil)};
  take_boundary(all, p);
  take_points(all, p);
  take_reductions(all, p);
  take_rest(all, p);
  return p;
}

extents size_of(const fields_problem& p, const std::optional<extents>& asked) {
  const int dims = p.definition.dims();
  std::optional<extents> size = asked ? asked : p.size;
  std::string place = asked ? "--size" : p.file + ": [run] size";
  if (!size)
    for (const auto& [name, v] : p.values)
      if (!size && v.is_file()) {
        size = field_input(v.file(), dims, name).size();
        place = v.place;
      }
  if (!size)
    throw input_error(
        fmt::format("{}: expected --size, {}a .npy or a .vti file, found no size of the fields",
                    p.file, p.is_file ? "size in [run], " : ""));
  if (size->dims != dims)
    throw input_error(fmt::format("{}: {} works on {}, found {}", place, p.definition.name(),
                                  format_plural(dims, "dimension"), to_string(*size)));
  return *size;
}

std::vector<std::int64_t> axes_of(const extents& size) {
  std::vector<std::int64_t> axes;
  for (int axis = 3 - size.dims; axis < 3; ++axis) axes.push_back(size[axis]);
  return axes;
}

int find_field(const stencil_definition& definition, const std::string& option,
               const std::string& name) {
  const auto& fields = definition.tape().fields;
  const auto found = std::ranges::find(fields, name);
  if (found == fields.end())
    throw input_error(option + ": expected a field, found " + found_word(name, fields));
  return static_cast<int>(found - fields.begin());
}

field_boundary boundary_of_option(const std::string& word) {
  try {
    return field_boundary::all(parse_field_side(word));
  } catch (const input_error& e) {
    throw input_error(std::string("--") + e.what());  // which begins with "boundary: "
  }
}

void set_value(fields_problem& p, const std::string& text) {
  const auto at = text.find('=');
  if (at == std::string::npos || at == 0)
    throw input_error(fmt::format("--set: expected NAME=VALUE, found '{}'", text));
  const std::string name = text.substr(0, at), value = text.substr(at + 1);
  const cell_tape& tape = p.definition.tape();
  std::vector<std::string> names;
  for (const auto* list : {&tape.fields, &tape.coefficients, &tape.parameters})
    names.insert(names.end(), list->begin(), list->end());
  if (std::ranges::find(names, name) == names.end())
    throw input_error(
        fmt::format("--set: expected {}, found {}", or_list(names), found_word(name, names)));
  given_value v{"--set " + name, value};
  double number = 0;
  const auto [end, bad] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (bad == std::errc() && end == value.data() + value.size() && std::isfinite(number))
    v.value = number;
  p.values.insert_or_assign(name, std::move(v));
}

const char* const problem_file_help =
    "FILE.toml has a stencil of several fields of one's own:\n"
    "  fields, coefficients, parameters   names, \"u v\"\n"
    "  step or stages                     formulas of a step, or of its stages, as lines\n"
    "                                     'u = u + r * (u[-1, 0] + u[1, 0] - 2 * u)'\n"
    "  boundary                           fixed, constant:V, reflect, mirror, antisymmetric,\n"
    "                                     nearest or periodic; by axes and sides; by fields\n"
    "  [values]                           NAME = a number, zeros, hot-spot, checker,\n"
    "                                     random:SEED, a .npy or a .vti file; hot-spot:LOW:HIGH\n"
    "                                     and checker:LOW:HIGH in place of 0 and 1; of\n"
    "                                     parameters a number, or an array with one for each\n"
    "                                     step\n"
    "  [run] size, steps                  as --size and --steps, which win\n"
    "  [[sources]] field, cells, series   added after each step\n"
    "  [[receivers]] field, cells, output recorded after each step, into a .npy file\n"
    "  [reductions] every, FIELD          sum, min, max, norm1, norm2, norm-max, change-norm2, "
    "...\n"
    "  [until] FIELD = {QUANTITY = V}     ends the run\n"
    "  [outputs] FIELD                    files, .npy, .vti or .png\n";

}  // namespace dwell::app
