// SPDX-License-Identifier: MIT
// dwell model: what the models of the literature say, without a run.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "stencil/choices.hpp"
#include "studies/models/projection_commands.hpp"
#include "studies/models/scaling_command.hpp"
#include "studies/models/sweep.hpp"
#include "studies/models/tensor_command.hpp"

#include "dwell/base/error.hpp"

namespace dwell::app {

namespace {

struct sweep_arguments {
  std::string shape, precision = "f64";
  geometric_range balance = {1, 128, 8}, shared = {64, 1024, 5};  // the latter in KiB
  double cost = 0;
  destination json_target, csv_target;
};

/// "A:B" or "A:B:N". Throws input_error.
geometric_range parse_range(const std::string& option, const std::string& text, int count) {
  constexpr int most = 1000;
  const auto refuse = [&] {
    throw input_error(fmt::format(
        "{}: expected A:B or A:B:N, two numbers 0 < A < B <= 1e9 and how many values, 2 to {}, "
        "found '{}'",
        option, most, text));
  };
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(':', begin), text.size());
    double value = 0;
    const auto [stop, failed] = std::from_chars(text.data() + begin, text.data() + end, value);
    if (failed != std::errc{} || stop != text.data() + end) refuse();
    numbers.push_back(value);
    begin = end + 1;
  }
  if (numbers.size() != 2 && numbers.size() != 3) refuse();
  geometric_range range = {numbers[0], numbers[1], count};
  if (!(range.first > 0 && range.last > range.first && range.last <= 1e9)) refuse();
  if (numbers.size() == 3) {
    if (!(numbers[2] >= 2 && numbers[2] <= most && numbers[2] == std::floor(numbers[2]))) refuse();
    range.count = static_cast<int>(numbers[2]);
  }
  return range;
}

void add_range(CLI::App& app, const std::string& name, geometric_range& value,
               const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [name, &value](const std::string& text) { value = parse_range(name, text, value.count); },
         help)
      ->type_name("A:B[:N]")
      ->default_str(fmt::format("{}:{}:{}", value.first, value.last, value.count));
}

exit_code run(const sweep_arguments& args) {
  output_files outputs;
  for (const auto& to : {args.json_target, args.csv_target}) outputs.add(to);
  balance_sweep_request q{find_stencil_shape(args.shape), args.precision, args.balance, args.shared,
                          args.cost};
  q.shared.first *= 1024, q.shared.last *= 1024;
  const auto found = sweep_balance(q);
  if (!outputs.standard()) write_stdout(to_text(found));
  if (args.json_target) args.json_target.write(json_text(to_json(found)));
  if (args.csv_target) args.csv_target.write(to_csv(found));
  return exit_code::done;
}

command add_sweep(CLI::App& app) {
  const auto args = std::make_shared<sweep_arguments>();
  set_stencil_completions(
      app.add_option("STENCIL", args->shape, "A name: see 'dwell stencil --help'")
          ->required()
          ->type_name(""));
  add_range(app, "--balance", args->balance,
            "Machine balances, flop per byte of memory, each the same multiple of the one before");
  add_range(app, "--shared", args->shared,
            "Sizes of the scratch of a multiprocessor or core, KiB, likewise");
  add_tolerance(app, "--cost", args->cost,
                "What a MiB of scratch costs, in parts of what all else of a multiprocessor "
                "costs: the best scratch is that with the most performance for the whole");
  add_choice(app, "--precision", args->precision, {"f64", "f32"}, "Of the field");
  add_json(app, args->json_target, "all this");
  add_destination(app, "--csv", args->csv_target,
                  "Write the rows as CSV; on standard output (-) in place of the table");
  app.footer(
      "Desired depth, tile and capacity after Zhang 2023, section 5.9: in two dimensions\n"
      "overlapped tiles of 256 x 4, in three device tiles of the width that takes the\n"
      "least scratch. Below: the devices that --device-facts knows.\n\n"
      "Examples:\n"
      "  dwell model sweep 2d5pt --balance 1:100 --shared 64:1024\n"
      "  dwell model sweep 3d7pt --balance 1:30:60 --csv 3d7pt.csv");
  return [args] { return run(*args); };
}

}  // namespace

command add_model(CLI::App& app) {
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  dwell model sweep 2d5pt --balance 1:100 --shared 64:1024\n"
      "  dwell model scaling cg --size 1024x1024x1024 --variant pipelined\n"
      "  dwell model perks --size 3072x3072 --cached 3072x1512\n"
      "  dwell model ebisu 2d5pt --depth 7,12 --on a100\n"
      "  dwell model roofline 2d5pt --steps 1,4,20 --removed 50,100\n"
      "  dwell model tensor 2d9pt --steps 1,2,4,8 --on h200");
  auto* sweep = app.add_subcommand(
      "sweep", "Depth and scratch that temporal blocking wants, by the machine balance");
  auto* scaling = app.add_subcommand(
      "scaling", "What an iteration takes on more and more GPUs, and what binds it");
  auto* perks = app.add_subcommand("perks", "Projected peak of PERKS by what is cached");
  auto* ebisu =
      app.add_subcommand("ebisu", "Attainable performance of temporal blocking, by depth and tile");
  auto* roofline =
      app.add_subcommand("roofline", "Machine balance, and the roof of steps that are combined");
  auto* tensor = app.add_subcommand(
      "tensor", "Would tensor cores pay for a stencil, by the steps that are fused");
  const std::pair<CLI::App*, command> all[] = {{sweep, add_sweep(*sweep)},
                                               {scaling, add_scaling(*scaling)},
                                               {perks, add_perks_model(*perks)},
                                               {ebisu, add_ebisu_model(*ebisu)},
                                               {roofline, add_roofline_model(*roofline)},
                                               {tensor, add_tensor_model(*tensor)}};
  return [all = std::vector(std::begin(all), std::end(all))] {
    for (const auto& [app_of, run_it] : all)
      if (app_of->parsed()) return run_it();
    return exit_code::bad_input;
  };
}

}  // namespace dwell::app
