// SPDX-License-Identifier: MIT
// The options of dwell model scaling; the times are scaling_table.cpp's.
#include "studies/models/scaling_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "cli/device_facts_option.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "stencil/field.hpp"
#include "studies/models/scaling_table.hpp"

#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"

namespace dwell::app {

namespace {

/// Times in microseconds and rates in GB/s, as the user gave them; none: those of link_set.
struct link_arguments {
  std::optional<double> call, host_latency, host_bandwidth, network_latency, network_bandwidth;
};

struct scaling_arguments {
  std::string problem, size, one_gpu_size;
  std::string variant = "textbook", sums = "groups";
  std::optional<double> nonzeros;
  int steps = 0, pass = 0;  ///< 0: not given
  bool strong = false;
  scaling_request asked;
  link_arguments links;
  device_facts_choice device_facts;
  const CLI::Option *variant_option = nullptr, *sums_option = nullptr;
  destination json_target, csv_target;
};

constexpr int most_gpus = 1 << 20;

/// Throws input_error unless each is larger than the one before and at most most_gpus.
void check_gpus(const std::vector<int>& all) {
  const bool ascend = std::is_sorted(all.begin(), all.end());
  if (!ascend || all.back() > most_gpus)
    throw input_error(
        fmt::format("--gpus: expected numbers up to {}, each larger than the one before, found {}",
                    most_gpus, fmt::join(all, ",")));
}

/// A positive number.
CLI::Option* add_positive_number(CLI::App& app, const std::string& name,
                                 std::optional<double>& value, const std::string& type,
                                 const std::string& usual, const std::string& help) {
  return app
      .add_option_function<std::string>(
          name,
          [name, &value](const std::string& text) {
            double number = 0;
            const auto [stop, failed] =
                std::from_chars(text.data(), text.data() + text.size(), number);
            if (failed != std::errc{} || stop != text.data() + text.size() ||
                !(number >= 1e-9 && number <= 1e12))
              throw input_error(
                  fmt::format("{}: expected a number from 1e-9 to 1e12, found '{}'", name, text));
            value = number;
          },
          help)
      ->type_name(type)
      ->default_str(usual);
}

/// Throws input_error where an option belongs to the other kind of problem.
void require_kind(const scaling_arguments& args, bool stencil) {
  const auto refuse = [&](const char* option) {
    throw input_error(fmt::format("{}: expected {}, found {}", option, stencil ? "cg" : "a stencil",
                                  args.problem));
  };
  if (stencil) {
    if (args.variant_option->count() > 0) refuse("--variant");
    if (args.nonzeros) refuse("--nonzeros");
    if (args.sums_option->count() > 0) refuse("--sums");
    if (args.asked.overlap == "all")
      throw input_error(
          "--overlap: expected none or exchange of a stencil, which has no sums, found 'all'");
  } else {
    if (args.steps > 0) refuse("--steps-per-exchange");
    if (args.pass > 0) refuse("--pass");
  }
}

model::link_set links_of(const link_arguments& a, int gpus_of_host) {
  model::link_set l;
  l.ranks_of_host = gpus_of_host;
  const auto us = [](const std::optional<double>& given, auto&... seconds) {
    if (given) ((seconds = *given * 1e-6), ...);
  };
  us(a.call, l.call, l.large_call);
  us(a.host_latency, l.host.latency, l.host.large_latency, l.host.ring_step);
  us(a.network_latency, l.network.latency, l.network.large_latency, l.network.ring_step);
  if (a.host_bandwidth) l.host.bandwidth = *a.host_bandwidth * 1e9;
  if (a.network_bandwidth) l.network.bandwidth = *a.network_bandwidth * 1e9;
  return l;
}

exit_code run(const scaling_arguments& args) {
  output_files outputs;
  for (const auto& to : {args.json_target, args.csv_target}) outputs.add(to);
  args.device_facts.protect_from(outputs);
  scaling_request q = args.asked;
  check_gpus(q.gpus);
  if (args.problem != "cg") q.stencil = find_stencil_shape(args.problem);
  require_kind(args, q.stencil.has_value());
  q.variant = args.variant, q.sums = args.sums, q.nonzeros_per_row = args.nonzeros;
  if (args.steps > 0) q.steps_per_exchange = args.steps;
  q.pass_steps = std::max(1, args.pass);
  q.size = parse_size("--size", args.size);
  if (!args.one_gpu_size.empty()) q.one_gpu_size = parse_size("--one-gpu-size", args.one_gpu_size);
  q.device = args.device_facts.given() ? args.device_facts.read() : facts_of("h100");
  q.links = links_of(args.links, q.links.ranks_of_host);
  const auto found = project_scaling(q);
  if (!outputs.standard()) write_stdout(to_text(found));
  if (args.json_target) args.json_target.write(json_text(to_json(found)));
  if (args.csv_target) args.csv_target.write(to_csv(found));
  return exit_code::done;
}

void add_problem(CLI::App& app, scaling_arguments& args) {
  auto* problem = app.add_option("PROBLEM", args.problem,
                                 "cg, or the name of a stencil: see 'dwell stencil --help'")
                      ->required()
                      ->type_name("");
  std::vector<std::string> names{"cg"};
  for (const auto& s : stencil_shapes()) names.push_back(s.name);
  set_completions(problem, {names});
  app.add_option("--size", args.size,
                 "Cells, or rows of the matrix of a grid: rows x columns, or planes x rows x "
                 "columns; with --weak of each GPU")
      ->required()
      ->type_name("NxN[xN]");
  auto* weak = app.add_flag("--weak", args.asked.weak, "The problem grows with the GPUs");
  app.add_flag("--strong", args.strong, "It does not (the default)")->excludes(weak);
  args.variant_option = add_choice(app, "--variant", args.variant,
                                   {"textbook", "single-reduction", "pipelined"}, "cg: its form");
  add_positive_number(app, "--nonzeros", args.nonzeros, "NUMBER", "",
                      "cg: of a row (default: 7 in three dimensions, 5 in two); with more, corners "
                      "of ghosts are exchanged, too");
  add_positive(app, "--steps-per-exchange", args.steps,
               "Stencils: steps between two exchanges (default: as 'dwell stencil --ranks' on "
               "GPUs)");
  add_positive(app, "--pass", args.pass,
               "Stencils: steps of a pass over device memory (default: 1); needs --one-gpu");
  add_choice(app, "--precision", args.asked.precision, {"f64", "f32"}, "Of all values");
}

void add_machine(CLI::App& app, scaling_arguments& args) {
  args.asked.gpus = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
  add_positives(app, "--gpus", args.asked.gpus, "How many there are, a row for each")
      ->default_str("1,2,4,...,1024");
  add_positive(app, "--per-host", args.asked.links.ranks_of_host, "GPUs of a host");
  add_choice(app, "--division", args.asked.division, {"slabs", "pencils", "blocks"},
             "Axes that are cut: one, two, or all");
  args.sums_option = add_choice(app, "--sums", args.sums, {"groups", "ring", "all-reduce"},
                                "cg: how sums reach all GPUs: groups that exchange theirs, in a "
                                "fixed order (what Dwell does), an all-gather of NCCL, or an "
                                "all-reduce of NCCL, whose order is its own");
  add_choice(app, "--overlap", args.asked.overlap, {"none", "exchange", "all"},
             "What goes on while messages travel: nothing (what Dwell does on GPUs), cells that "
             "need no ghosts, or of pipelined CG also the product");
  add_device_facts(app, args.device_facts, "The GPUs (default: h100)", false);
}

void add_times(CLI::App& app, scaling_arguments& args) {
  const model::link_set l;
  add_tolerance(app, "--one-gpu", args.asked.one_gpu_us,
                "Microseconds that a step or an iteration has been measured to take on one GPU, in "
                "place of bytes over rates; 0: not measured");
  app.add_option("--one-gpu-size", args.one_gpu_size,
                 "Cells it has been measured with (default: --size)")
      ->type_name("NxN[xN]");
  link_arguments& to = args.links;
  const auto us = [](double small, double large) {
    return fmt::format("{:.3g}, of long messages {:.3g}", 1e6 * small, 1e6 * large);
  };
  add_positive_number(app, "--call", to.call, "US", us(l.call, l.large_call),
                      "Of a call of the library that sends messages");
  add_positive_number(app, "--host-latency", to.host_latency, "US",
                      us(l.host.latency, l.host.large_latency), "Of a message within a host");
  add_positive_number(app, "--host-bandwidth", to.host_bandwidth, "GB/S",
                      fmt::format("{:.4g}", l.host.bandwidth / 1e9), "Of a GPU, one direction");
  add_positive_number(app, "--network-latency", to.network_latency, "US",
                      us(l.network.latency, l.network.large_latency),
                      "Of a message between hosts; a step of a ring then takes as long");
  add_positive_number(app, "--network-bandwidth", to.network_bandwidth, "GB/S",
                      fmt::format("{:.4g}", l.network.bandwidth / 1e9),
                      "Of a GPU's part of the network, one direction");
}

}  // namespace

command add_scaling(CLI::App& app) {
  const auto args = std::make_shared<scaling_arguments>();
  add_problem(app, *args);
  add_machine(app, *args);
  add_times(app, *args);
  add_json(app, args->json_target, "all this");
  add_destination(app, "--csv", args->csv_target,
                  "Write the rows as CSV; on standard output (-) in place of the table");
  app.footer(
      "Bytes over rates, launches, one exchange of ghosts, and sums over all GPUs; messages as\n"
      "Hockney 1994 has them, with what NCCL's tuner reckons with for H100 and NDR InfiniBand\n"
      "unless told otherwise (docs/design/scaling.md). No run is made.\n\n"
      "Examples:\n"
      "  dwell model scaling cg --size 1024x1024x1024 --variant pipelined\n"
      "  dwell model scaling cg --size 256x256x256 --weak --division blocks --sums ring\n"
      "  dwell model scaling 3d7pt --size 384x384x384 --weak --pass 4 --one-gpu 145.6");
  return [args] { return run(*args); };
}

}  // namespace dwell::app
