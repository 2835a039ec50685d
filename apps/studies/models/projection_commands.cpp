// SPDX-License-Identifier: MIT
// Parameters by the documents' names; rates of the devices that Dwell knows, or given ones.
#include "studies/models/projection_commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "stencil/choices.hpp"
#include "stencil/field.hpp"
#include "studies/models/projections.hpp"
#include "studies/models/shared_accesses.hpp"

#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell::app {

namespace {

struct projection_options {
  std::vector<std::string> devices;
  double memory = 0, shared = 0, flops = 0;  ///< GB/s, GB/s, Gflop/s
  std::string precision = "f64";
  destination json_target, csv_target;
};

/// "N", or "NxN...": the product. Throws input_error.
double parse_amount(const std::string& option, const std::string& text) {
  double product = 1;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find('x', begin), text.size());
    long long factor = 0;
    const auto [stop, failed] = std::from_chars(text.data() + begin, text.data() + end, factor);
    if (failed != std::errc{} || stop != text.data() + end || factor < 0 || product > 1e15)
      throw input_error(fmt::format(
          "{}: expected cells, a whole number or a product such as 3072x1512, found '{}'", option,
          text));
    product *= static_cast<double>(factor);
    begin = end + 1;
  }
  return product;
}

CLI::Option* add_amount(CLI::App& app, const std::string& name, double& value,
                        const std::string& help) {
  return app
      .add_option_function<std::string>(
          name, [name, &value](const std::string& text) { value = parse_amount(name, text); }, help)
      ->type_name("N[xN...]");
}

std::vector<std::string> names_of_devices() {
  return {known_devices().begin(), known_devices().end()};
}

void add_projection(CLI::App& app, projection_options& args, bool flops) {
  add_choices(app, "--on", args.devices, names_of_devices(),
              fmt::format("Rates of these devices; some of {} (default: all)",
                          fmt::join(names_of_devices(), ", ")));
  add_tolerance(app, "--memory-rate", args.memory,
                "Instead: device memory, GB/s, with --shared-rate" +
                    std::string(flops ? " and --flop-rate" : ""));
  add_tolerance(app, "--shared-rate", args.shared, "All shared memories together, GB/s");
  if (flops) add_tolerance(app, "--flop-rate", args.flops, "Arithmetic of the precision, Gflop/s");
  add_choice(app, "--precision", args.precision, {"f64", "f32"}, "Of the cells");
  add_json(app, args.json_target, "all this");
  add_destination(app, "--csv", args.csv_target,
                  "Write the rows as CSV; on standard output (-) in place of the table");
}

/// Throws input_error where rates are given in part, or beside devices.
std::vector<rates_of_device> rates_asked(const projection_options& args, bool flops) {
  const bool given = args.memory > 0 || args.shared > 0 || args.flops > 0;
  if (!given) return known_rates(args.devices, args.precision);
  if (!args.devices.empty()) throw input_error("--on: expected it or rates, found both");
  if (!(args.memory > 0 && args.shared > 0) || (flops && !(args.flops > 0)))
    throw input_error(fmt::format("--memory-rate: expected {}, all above 0",
                                  flops ? "--memory-rate, --shared-rate and --flop-rate"
                                        : "--memory-rate and --shared-rate"));
  return {{"given", args.memory * 1e9, args.shared * 1e9, args.flops * 1e9}};
}

template <class Table>
exit_code hand_out(const projection_options& args, const Table& table) {
  output_files outputs;
  for (const auto& to : {args.json_target, args.csv_target}) outputs.add(to);
  if (!outputs.standard()) write_stdout(to_text(table));
  if (args.json_target) args.json_target.write(json_text(to_json(table)));
  if (args.csv_target) args.csv_target.write(to_csv(table));
  return exit_code::done;
}

double bytes_of_cell(const projection_options& args) { return args.precision == "f64" ? 8 : 4; }

struct perks_arguments : projection_options {
  double cells = 0, cached = 0, in_shared = 0, halo = 0, kernel = 0;
  double parallelism = 0, concurrency = 0;
  int steps = 1000;
};

exit_code run_perks(const perks_arguments& args) {
  const auto refuse = [](const char* option, const std::string& expected, double found) {
    throw input_error(fmt::format("{}: expected {}, found {}", option, expected, found));
  };
  if (!(args.cells > 0)) refuse("--size", "a cell at least", args.cells);
  if (args.cached > args.cells)
    refuse("--cached", fmt::format("at most the {} cells of --size", args.cells), args.cached);
  if (args.in_shared > args.cached)
    refuse("--cached-shared", fmt::format("at most the {} cells of --cached", args.cached),
           args.in_shared);
  if ((args.parallelism > 0) != (args.concurrency > 0))
    throw input_error("--parallelism: expected it and --concurrency, both above 0");
  perks_request q;
  q.asked = {args.cells,          args.cached, args.in_shared, static_cast<double>(args.steps),
             bytes_of_cell(args), args.kernel, args.halo};
  q.precision = args.precision;
  q.parallelism = args.parallelism;
  q.concurrency = args.concurrency;
  q.devices = rates_asked(args, false);
  return hand_out(args, project(q));
}

struct ebisu_arguments : projection_options {
  std::string shape, tile, tiling = "overlapped";
  double shared = -1, memory_accesses = 2, flops_of_cell = 0;
  double barrier_us = 1.2, tiles = 0;
  int barriers = 1;
  bool plain = false;
  std::vector<int> depths = {1, 2, 4, 8};
};

/// "WIDTHxHEIGHT". Throws input_error.
std::pair<double, double> parse_tile(const std::string& text) {
  const auto cross = text.find('x');
  double width = 0, height = 0;
  if (cross != std::string::npos && text.find('x', cross + 1) == std::string::npos) {
    width = parse_amount("--tile", text.substr(0, cross));
    height = parse_amount("--tile", text.substr(cross + 1));
  }
  if (!(width > 0 && height > 0))
    throw input_error(
        fmt::format("--tile: expected WIDTHxHEIGHT in cells, such as 256x4, found '{}'", text));
  return {width, height};
}

exit_code run_ebisu(const ebisu_arguments& args) {
  const auto shape = find_stencil_shape(args.shape);
  const auto* known = std::ranges::find(model::shared_accesses_of_stencils, shape.name,
                                        &model::shared_accesses::stencil);
  const bool in_table = known != std::end(model::shared_accesses_of_stencils);
  ebisu_request q;
  q.stencil = shape.name;
  q.precision = args.precision;
  q.dims = shape.dims;
  q.radius = shape.radius;
  if (args.shared < 0 && !in_table)
    throw input_error(
        fmt::format("--shared-accesses: expected a number, for {} is not in table 5.3 "
                    "of Zhang 2023, found none",
                    shape.name));
  q.cell.memory = args.memory_accesses;
  q.cell.shared = args.shared >= 0 ? args.shared : args.plain ? known->plain : known->streamed;
  q.cell.flops = args.flops_of_cell > 0 ? args.flops_of_cell
                 : in_table             ? known->flops
                                        : shape.flops;
  q.cell.bytes = bytes_of_cell(args);
  if (!(q.cell.memory > 0 && q.cell.shared > 0))
    throw input_error("--memory-accesses, --shared-accesses: expected numbers above 0");
  q.tile_x = shape.dims == 2 ? 256 : 32;
  q.tile_y = shape.dims == 2 ? 4 : 32;
  if (!args.tile.empty()) {
    std::tie(q.tile_x, q.tile_y) = parse_tile(args.tile);
  }
  if (args.tiling != "both")
    q.tilings = {args.tiling == "device" ? tiling::device : tiling::overlapped};
  else
    q.tilings = {tiling::overlapped, tiling::device};
  q.barrier = args.barrier_us * 1e-6;
  q.barriers = args.barriers;
  q.tiles = args.tiles;
  q.depths = args.depths;
  q.devices = rates_asked(args, true);
  const bool given = q.devices.front().units == 0;
  if (given && q.tilings.back() == tiling::device && !(args.tiles > 0))
    throw input_error("--tiles: expected how many device tiles are computed at once, found none");
  return hand_out(args, project(q));
}

struct roofline_arguments : projection_options {
  std::string shape;
  std::vector<int> steps = {1, 2, 4, 8, 16};
  std::vector<int> removed = {100};
};

exit_code run_roofline(const roofline_arguments& args) {
  const auto shape = find_stencil_shape(args.shape);
  const auto* known = std::ranges::find(model::shared_accesses_of_stencils, shape.name,
                                        &model::shared_accesses::stencil);
  roofline_request q;
  q.stencil = shape.name;
  q.precision = args.precision;
  q.flops = known != std::end(model::shared_accesses_of_stencils) ? known->flops : shape.flops;
  q.bytes = 2 * bytes_of_cell(args);
  q.steps = args.steps;
  q.removed = args.removed;
  q.devices = rates_asked(args, true);
  return hand_out(args, project(q));
}

void add_stencil_name(CLI::App& app, std::string& value) {
  set_stencil_completions(app.add_option("STENCIL", value, "A name: see 'dwell stencil --help'")
                              ->required()
                              ->type_name(""));
}

}  // namespace

command add_perks_model(CLI::App& app) {
  const auto args = std::make_shared<perks_arguments>();
  add_amount(app, "--size", args->cells, "Cells of the domain, D")->required();
  add_amount(app, "--cached", args->cached, "Those that stay on the chip, D_cache")->required();
  add_amount(app, "--cached-shared", args->in_shared,
             "Those of them in shared memory (default: 0)");
  add_amount(app, "--halo", args->halo,
             "Accesses of device memory for halos of the cached part, in all steps (default: 0)");
  add_amount(
      app, "--kernel-shared", args->kernel,
      "Accesses of shared memory that the kernel makes by itself, in all steps (default: 0)");
  add_positive(app, "--steps", args->steps, "Steps of the kernel, N");
  add_tolerance(app, "--parallelism", args->parallelism,
                "What a multiprocessor has under way, C_sw: bytes or operations");
  add_tolerance(app, "--concurrency", args->concurrency,
                "What it needs to be busy, C_hw, in the same unit: latency times throughput");
  add_projection(app, *args, false);
  app.footer(
      "Projected peak of PERKS after Zhang 2023, equations 4.1 to 4.9.\n\n"
      "Examples:\n"
      "  dwell model perks --size 3072x3072 --cached 3072x1512 --halo 1000x2x108x848\n"
      "  dwell model perks --size 3072x3072 --cached 0 --parallelism 2048 --concurrency 8192 \\\n"
      "    --on a100,h100");
  return [args] { return run_perks(*args); };
}

command add_ebisu_model(CLI::App& app) {
  const auto args = std::make_shared<ebisu_arguments>();
  add_stencil_name(app, args->shape);
  add_positives(app, "--depth", args->depths, "Steps of a pass, t; a row for each");
  app.add_option("--tile", args->tile,
                 "Cells of a tile (default: 256x4 in two dimensions, 32x32 in three)")
      ->type_name("WIDTHxHEIGHT");
  add_choice(app, "--tiling", args->tiling, {"overlapped", "device", "both"},
             "overlapped: each tile computes its halo; device: tiles exchange it, with barriers; "
             "both: rows of each, the best marked");
  add_tolerance(app, "--memory-accesses", args->memory_accesses,
                "Accesses of device memory of a cell and pass, a_gm");
  app.add_option_function<double>(
         "--shared-accesses",
         [args](double value) {
           if (!(value > 0))
             throw input_error(
                 fmt::format("--shared-accesses: expected a number above 0, found {}", value));
           args->shared = value;
         },
         "Accesses of shared memory of a cell and step, a_sm (default: of table 5.3)")
      ->type_name("X");
  app.add_flag("--plain", args->plain,
               "a_sm of table 5.3 without redundant register streaming, in place of with it");
  add_tolerance(app, "--flops", args->flops_of_cell,
                "Flop of a cell and step, a_cmp (default: of table 5.3, else of the stencil)");
  app.add_option_function<std::string>(
         "--tiles",
         [args](const std::string& text) {
           args->tiles = parse_amount("--tiles", text);
           if (!(args->tiles > 0)) throw input_error("--tiles: expected a tile at least, found 0");
         },
         "Device tiles that are computed at once (default: one a multiprocessor)")
      ->type_name("N[xN...]");
  add_tolerance(app, "--barrier-us", args->barrier_us, "A barrier of the device, T_Dsync");
  add_positive(app, "--barriers", args->barriers, "Barriers of a pass, n");
  add_projection(app, *args, true);
  app.footer(
      "Practical attainable performance of temporal blocking after Zhang 2023, equations\n"
      "5.1 to 5.15.\n\n"
      "Examples:\n"
      "  dwell model ebisu 2d5pt --depth 7,12 --on a100\n"
      "  dwell model ebisu 2d5pt --tiling device --tile 256x5 --depth 15 --on a100\n"
      "  dwell model ebisu 3d7pt --tiling both --depth 3,4,8,12 --on a100");
  return [args] { return run_ebisu(*args); };
}

command add_roofline_model(CLI::App& app) {
  const auto args = std::make_shared<roofline_arguments>();
  add_stencil_name(app, args->shape);
  add_positives(app, "--steps", args->steps, "Steps that are combined, t; a row for each");
  add_percents(app, "--removed", args->removed,
               "Percent of the traffic between two of them that is gone, R; rows for each");
  add_projection(app, *args, true);
  app.footer(
      "Machine balance, operational intensity and the roof after Zhang 2023, equations 2.1\n"
      "to 2.4 and figures 3.6 and 4.1.\n\n"
      "Examples:\n"
      "  dwell model roofline 2d5pt --steps 1,4,20 --removed 50,75,100 --on a100,h100");
  return [args] { return run_roofline(*args); };
}

}  // namespace dwell::app
