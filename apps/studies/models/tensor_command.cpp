// SPDX-License-Identifier: MIT
// The criterion of tensor_criterion.hpp for a stencil, by device and fused steps.
#include "studies/models/tensor_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "report/columns.hpp"
#include "stencil/choices.hpp"
#include "studies/models/projections.hpp"
#include "studies/models/tensor_criterion.hpp"

#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"

namespace dwell::app {

namespace {

/// Rates of tensor cores in f64 over those of CUDA cores, by data sheets of NVIDIA; a V100 has none
/// for f64.
constexpr std::pair<const char*, double> tensor_over_cores[] = {
    {"v100", 0}, {"a100", 2}, {"h100", 2}, {"h200", 2}, {"b200", 1}};

struct tensor_arguments {
  std::string shape;
  std::vector<std::string> devices;
  std::vector<int> steps = {1, 2, 4, 8};
  int outputs = 8;
  double ratio = 0;
  destination json_target, csv_target;
};

/// Taps of so many steps at once, and the rows that they lie in.
struct fused_shape {
  double taps = 0, rows = 0;
};

/// The cells that so many steps read, on a grid that holds them all.
fused_shape fuse(const stencil_shape& shape, int steps) {
  const int reach = shape.radius * steps, side = 2 * reach + 1, deep = shape.dims == 3 ? side : 1;
  const auto at = [&](int z, int y, int x) {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(side) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(side) +
           static_cast<std::size_t>(x);
  };
  const int middle_z = deep / 2;
  std::vector<char> read(at(deep - 1, side - 1, side - 1) + 1), next;
  read[at(middle_z, reach, reach)] = 1;
  for (int s = 0; s < steps; ++s) {
    next.assign(read.size(), 0);
    const int here = shape.radius * s, here_z = std::min(here, middle_z);
    for (int z = middle_z - here_z; z <= middle_z + here_z; ++z)
      for (int y = reach - here; y <= reach + here; ++y)
        for (int x = reach - here; x <= reach + here; ++x)
          if (read[at(z, y, x)])
            for (const tap& t : shape.taps) next[at(z + t.dz, y + t.dy, x + t.dx)] = 1;
    read.swap(next);
  }
  fused_shape out;
  for (std::size_t row = 0; row < read.size(); row += static_cast<std::size_t>(side)) {
    const auto first = read.begin() + static_cast<std::ptrdiff_t>(row);
    const auto taps = std::count(first, first + side, 1);
    out.taps += static_cast<double>(taps);
    if (taps > 0) ++out.rows;
  }
  return out;
}

struct tensor_row {
  rates_of_device on;
  double ratio = 0;  ///< rate of tensor cores over that of CUDA cores
  int steps = 1;
  std::int64_t fused = 0;  ///< taps of so many steps at once
  double redundancy = 1, useful = 1, needed = 1;
  double memory = 0, cores = 0, tensor = 0;  ///< cells times steps per second
  bool bound_by_memory() const { return cores >= memory; }
  bool pays() const { return tensor > cores; }
};

columns<tensor_row> tensor_columns() {
  using row = tensor_row;
  return {{"device", "device", unit::word, [](const row& r) { return r.on.name; }},
          {"steps", "steps", unit::count, [](const row& r) { return r.steps; }},
          {"fused_taps", "taps", unit::count, [](const row& r) { return r.fused; }},
          {"redundancy", "alpha", unit::number, [](const row& r) { return r.redundancy; }},
          {"useful_part", "S", unit::percent, [](const row& r) { return r.useful; }},
          {"needed_ratio", "needed", unit::number, [](const row& r) { return r.needed; }},
          {"ratio", "has", unit::number, [](const row& r) { return r.ratio; }},
          {"cuda_core_cells_per_s", "CUDA cores", unit::giga, [](const row& r) { return r.cores; }},
          {"tensor_core_cells_per_s", "tensor cores", unit::giga,
           [](const row& r) { return number_or_null(r.tensor); }},
          {"binds", "binds", unit::word,
           [](const row& r) { return r.bound_by_memory() ? "memory" : "arithmetic"; }},
          {"pays", "pays", unit::yes, [](const row& r) { return r.pays(); }}};
}

std::vector<tensor_row> rows_of(const tensor_arguments& args, const stencil_shape& shape) {
  constexpr double cell = 8;
  std::vector<tensor_row> rows;
  for (const auto& [name, known_ratio] : tensor_over_cores) {
    if (!args.devices.empty() &&
        std::find(args.devices.begin(), args.devices.end(), name) == args.devices.end())
      continue;
    const rates_of_device on = known_rates({name}, "f64").front();
    for (const int steps : args.steps) {
      const fused_shape of = fuse(shape, steps);
      const model::fused_taps s{static_cast<double>(shape.taps.size()), of.taps,
                                static_cast<double>(steps)};
      tensor_row r;
      r.on = on;
      r.ratio = args.ratio > 0 ? args.ratio : known_ratio;
      r.steps = steps;
      r.fused = static_cast<std::int64_t>(of.taps);
      r.redundancy = model::redundancy(s);
      r.useful = model::useful_part(of.taps / of.rows, args.outputs);
      r.needed = model::ratio_that_pays(s, r.useful);
      r.memory = model::rate_of_memory(on.memory, cell, steps);
      r.cores = model::rate_of_cores(s, on.flops, r.memory);
      r.tensor = model::rate_of_tensor_cores(s, r.useful, r.ratio * on.flops, r.memory);
      rows.push_back(r);
    }
  }
  return rows;
}

exit_code run_tensor(const tensor_arguments& args) {
  const stencil_shape shape = find_stencil_shape(args.shape);
  const int most_steps = shape.dims == 2 ? 32 : 16;
  for (const int steps : args.steps)
    if (steps > most_steps)
      throw input_error(
          fmt::format("--steps: expected at most {} fused steps, found {}", most_steps, steps));
  if (!shape.linear)
    throw input_error(fmt::format(
        "STENCIL: expected one that is linear, whose steps can be fused, found {}", shape.name));
  output_files outputs;
  for (const auto& to : {args.json_target, args.csv_target}) outputs.add(to);
  const auto rows = rows_of(args, shape);
  if (!outputs.standard())
    write_stdout(fmt::format(
        "{}, f64: {} taps; products of {} outputs of a row\n\n{}\n"
        "alpha: taps of so many steps at once over those of the steps. S: the part of a product's\n"
        "multiply-adds that are taps. needed: alpha / S, how many times as fast as CUDA cores "
        "tensor\n"
        "cores must be; has: by data sheets. GCells/s: at most, with memory read and written once "
        "in\n"
        "so many steps.\n",
        shape.name, shape.taps.size(), args.outputs, table_of(tensor_columns(), rows).text()));
  if (args.json_target) {
    json out = document("model tensor");
    out["stencil"] = {{"name", shape.name}, {"taps", shape.taps.size()}};
    out["outputs"] = args.outputs;
    out["rows"] = array_of(tensor_columns(), rows);
    args.json_target.write(json_text(out));
  }
  if (args.csv_target) args.csv_target.write(csv_of(tensor_columns(), rows));
  return exit_code::done;
}

}  // namespace

command add_tensor_model(CLI::App& app) {
  const auto args = std::make_shared<tensor_arguments>();
  set_stencil_completions(
      app.add_option("STENCIL", args->shape, "A name: see 'dwell stencil --help'")
          ->required()
          ->type_name(""));
  add_positives(app, "--steps", args->steps, "Steps that are fused, t; a row for each");
  std::vector<std::string> names;
  for (const auto& [name, ratio] : tensor_over_cores) names.emplace_back(name);
  add_choices(app, "--on", args->devices, names,
              fmt::format("Some of the devices {} (default: all)", fmt::join(names, ", ")));
  add_positive(app, "--outputs", args->outputs, "Outputs of a row that a product makes together");
  add_tolerance(app, "--ratio", args->ratio, "Rate of tensor cores over that of CUDA cores")
      ->default_str("by data sheets");
  add_json(app, args->json_target, "all this");
  add_destination(app, "--csv", args->csv_target,
                  "Write the rows as CSV; on standard output (-) in place of the table");
  app.footer(
      "Would tensor cores pay, by the roofline, with the redundancy of fused steps and the\n"
      "zeros of products, after the quantities of Gu et al. 2026.\n\n"
      "Examples:\n"
      "  dwell model tensor 2d9pt --steps 1,2,4,8 --on h200\n"
      "  dwell model tensor 2d49pt --ratio 16");
  return [args] { return run_tensor(*args); };
}

}  // namespace dwell::app
