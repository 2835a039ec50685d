// SPDX-License-Identifier: MIT
// dwell kernels: what was compiled while programs ran and is kept on this machine (list.cpp);
// compiles ahead what a stencil needs, one of several fields or a built-in one on a GPU, what a
// method for linear systems or systems on grids need there, small kernels (small.cpp), or a
// convolution (convolution.cpp).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/device_facts_option.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "fields/problem.hpp"
#include "kernels/warmed.hpp"
#include "stencil/field.hpp"
#include "stencil/stencil_flags.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/file_cache.hpp"
#include "dwell/base/precision.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/small_kernels.hpp"
#include "dwell/execution/stencil/fields/device_kernels.hpp"
#include "dwell/execution/stencil/fields/hoisting.hpp"
#include "dwell/execution/stencil/fields/kernel_choice.hpp"
#include "dwell/solvers/complex/needed.hpp"
#include "dwell/solvers/grid/device/needed.hpp"
#include "dwell/solvers/linear/api/needed.hpp"
#include "dwell/solvers/stencil/api/needed.hpp"
#include "dwell/solvers/stencil/fields/hoisting_choice.hpp"

namespace dwell::app {
namespace {

constexpr const char* grid_name = "grid";  ///< systems on grids, beside methods

struct kernels_arguments {
  std::string name, precision = "f64", boundary;  ///< name: of a stencil or a method
  std::vector<std::string> targets;
  device_facts_choice device_facts;
  std::optional<extents> size;
  stencil_options options;
  bool complex = false;
  destination json_target;
};

template <class T>
warmed_kernel warm_cpu(const stencil_definition& definition) {
  const chosen_kernel<T> made = choose_kernel<T>(definition, "compiled");
  require_kept(made.not_kept);
  return {made.origin.what, made.origin.target, made.compile_seconds};
}

std::vector<std::string> names_of_shapes() {
  std::vector<std::string> names;
  for (const stencil_shape& shape : stencil_shapes()) names.push_back(shape.name);
  return names;
}

/// Those of a known device of this compute capability, else of an H200 with it: where no size is
/// given, all that matters is which kernels there are.
device_facts facts_for(int capability) {
  device_facts facts = facts_of("h200");
  for (const std::string_view name : known_devices())
    if (const device_facts one = facts_of(name); one.compute_capability == capability) facts = one;
  facts.compute_capability = capability;
  return facts;
}

/// The GPUs that were asked for. of: whose kernels, "built-in stencils".
std::vector<device_facts> gpus_of(const kernels_arguments& args, const char* of) {
  std::vector<device_facts> devices;
  if (args.device_facts.given()) devices.push_back(args.device_facts.read());
  for (const std::string& target : args.targets)
    if (target != "cpu") devices.push_back(facts_for(capability_of(target)));
  if (devices.empty() || std::ranges::count(args.targets, "cpu") > 0 ||
      std::ranges::any_of(devices, [](const auto& d) { return d.on != backend::cuda; }))
    throw input_error(fmt::format(
        "kernels warm {}: expected a GPU, by --device-facts or --arch: kernels of {} for "
        "CPUs are in the library",
        args.name, of));
  return devices;
}

/// What is compiled for the GPUs that were asked for, of a built-in stencil.
std::vector<warmed_kernel> warm_built_in(const kernels_arguments& args, precision type) {
  const std::vector<device_facts> devices = gpus_of(args, "built-in stencils");
  if (args.size && !args.device_facts.given())
    throw input_error("--size: expected --device-facts with it, for which plans are made");
  if (is_compiled_ahead(args.name)) return {};
  stencil_options options = args.options;
  options.shape = args.name;
  if (!args.boundary.empty()) options.edge = parse_boundary(args.boundary);
  std::vector<warmed_kernel> all;
  for (const device_facts& on : devices)
    warm_kernels(needed_sources(on, type, options, args.size), on.compute_capability, all);
  return all;
}

/// And of a method.
std::vector<warmed_kernel> warm_method(const kernels_arguments& args, precision type) {
  const std::vector<device_facts> devices = gpus_of(args, "methods");
  if (args.size || !args.boundary.empty())
    throw input_error("--size, --boundary: of stencils alone");
  const auto sources = args.complex ? needed_complex_sources(args.name, args.options.executor, type)
                                    : needed_sources(args.name, args.options.executor, type);
  std::vector<warmed_kernel> all;
  for (const device_facts& on : devices) warm_kernels(sources, on.compute_capability, all);
  return all;
}

/// And of systems on grids, or small ones.
std::vector<warmed_kernel> warm_others(const kernels_arguments& args, const char* of,
                                       std::vector<kernel_source> (*sources)(std::string_view,
                                                                             precision),
                                       precision type) {
  const std::vector<device_facts> devices = gpus_of(args, of);
  if (args.size || !args.boundary.empty() || args.options.executor != automatic)
    throw input_error(fmt::format("--size, --boundary, --executor: not of {}", args.name));
  std::vector<warmed_kernel> all;
  for (const device_facts& on : devices)
    warm_kernels(sources(args.name, type), on.compute_capability, all);
  return all;
}

/// What steps of a problem have besides its stencil.
pass_demands demands_of(const fields_problem& p) {
  pass_demands demands;
  demands.points = !p.sources.empty() || !p.receivers.empty();
  for (const std::string& name : p.definition.tape().parameters) {
    const auto value = p.values.find(name);
    if (value != p.values.end() && !std::holds_alternative<double>(value->second.value))
      demands.parameters_change = true;
  }
  return demands;
}

/// What a GPU compiles for a problem: for large fields, where values of coefficients alone may be
/// computed once, as it is projected for the device.
std::vector<kernel_source> sources_of(const fields_problem& p, precision type,
                                      const device_facts& device) {
  const std::vector<std::int64_t> axes(static_cast<std::size_t>(p.definition.dims()),
                                       p.definition.dims() == 3 ? 512 : 8192);
  const field_size size = checked_field_size(p.definition.dims(), axes);
  const std::size_t value = type == precision::f64 ? sizeof(double) : sizeof(float);
  field_options options;
  options.boundaries = p.boundaries;
  const hoisting_choice choice = choose_hoisting(p.definition, size, value, options, device, false);
  const field_domain domain(choice.steps(p.definition), size, p.boundaries);
  const bool changes =
      std::ranges::any_of(p.reductions, [](const auto& r) { return r.quantity.of_change; });
  std::vector<kernel_source> all =
      field_sources(domain, type, device.compute_capability, demands_of(p), changes);
  if (!choice.made) return all;
  for (const hoisted_values_definition& v : choice.made->values) {
    const field_domain once(v.definition, size, {boundary_of_values(domain)});
    all.push_back(type == precision::f64 ? field_kernel_sources<double>(once).stage(0)
                                         : field_kernel_sources<float>(once).stage(0));
  }
  return all;
}

/// The first device of this compute capability that there are facts of, or one without.
device_facts facts_with(int compute_capability) {
  for (const char* name : known_devices())
    if (device_facts known = facts_of(name); known.compute_capability == compute_capability)
      return known;
  device_facts facts;
  facts.on = backend::cuda;
  facts.compute_capability = compute_capability;
  return facts;
}

exit_code warm(kernels_arguments args) {
  const file_cache cache = usable_cache();
  output_files outputs;
  outputs.add(args.json_target);
  const precision type = args.precision == "f32" ? precision::f32 : precision::f64;
  progress_line progress(true);
  const auto done = [&](const std::vector<warmed_kernel>& all, bool of_method = false) {
    progress.erase();
    return hand_over_warmed(args.json_target, cache, args.name,
                            {{"stencil", of_method ? json(nullptr) : json(args.name)},
                             {"method", of_method ? json(args.name) : json(nullptr)},
                             {"filter", nullptr},
                             {"cells", nullptr}},
                            all);
  };
  const std::vector<std::string> methods = methods_with_kernels();
  const bool is_method = std::ranges::find(methods, args.name) != methods.end();
  if (args.complex && !is_method) throw input_error("--complex: of methods alone");
  if (is_method) return done(warm_method(args, type), true);
  if (args.name == grid_name)
    return done(warm_others(
                    args, "systems on grids",
                    [](std::string_view, precision p) { return grids::needed_sources(p); }, type),
                true);
  if (is_small_name(args.name))
    return done(warm_others(args, "such passes", &small_sources, type), true);
  const std::vector<std::string> shapes = names_of_shapes();
  if (std::ranges::find(shapes, args.name) != shapes.end()) return done(warm_built_in(args, type));
  if (args.size || args.options.executor != automatic)
    throw input_error("--size, --executor: of built-in stencils and methods alone");
  if (args.device_facts.given())
    args.targets.push_back(fmt::format("sm_{}", args.device_facts.read().compute_capability));
  if (args.targets.empty()) args.targets = {"cpu"};
  fields_problem p = read_problem(args.name);
  if (!args.boundary.empty()) p.boundaries = {boundary_of_option(args.boundary)};
  std::vector<warmed_kernel> all;
  for (const std::string& target : args.targets) {
    if (target == "cpu") {
      all.push_back(type == precision::f32 ? warm_cpu<float>(p.definition)
                                           : warm_cpu<double>(p.definition));
      continue;
    }
    const int capability = capability_of(target);
    device_facts device = facts_with(capability);
    if (args.device_facts.given() && args.device_facts.read().compute_capability == capability)
      device = args.device_facts.read();
    for (const kernel_source& source : sources_of(p, type, device)) {
      const auto made = compile_kernel(source, {capability, 0});
      require_kept(made->why_not_kept);
      all.push_back({made->origin.what, made->origin.target, made->seconds});
    }
  }
  return done(all);
}

}  // namespace

command add_kernels(CLI::App& app) {
  const auto args = std::make_shared<kernels_arguments>();
  app.require_subcommand(1);
  app.footer(
      "Kernels are kept in $DWELL_CACHE_DIR/kernels, else $XDG_CACHE_HOME/dwell/kernels, else\n"
      "~/.cache/dwell/kernels; those used longest ago are removed beyond the limit.\n"
      "\nExamples:\n"
      "  dwell kernels list\n"
      "  dwell kernels warm wave2d --arch cpu,sm_90\n"
      "  dwell kernels warm 2d25pt --device-facts h200 --size 8192x8192\n"
      "  dwell kernels warm convolve --arch sm_90\n"
      "  dwell kernels warm minres --device-facts h200 --executor perks\n"
      "  dwell kernels warm gmres --complex --arch sm_90\n"
      "  dwell kernels warm 'set-up of amg' --device-facts h200\n"
      "  dwell kernels clear");
  auto* listing =
      app.add_subcommand("list", "What is kept: for which machine, how large, used when");
  auto* clearing = app.add_subcommand("clear", "Remove all that is kept");
  auto* warming = app.add_subcommand(
      "warm",
      "Compile what a stencil needs, if it is not there: of several "
      "fields, or a built-in one on a GPU; or a method there, systems on grids, reductions, scans, "
      "or set-ups of preconditioners");
  for (auto* sub : {listing, clearing}) add_json(*sub, args->json_target, "all this");
  std::vector<std::string> names = names_of_shapes();
  for (const ready_stencil& one : ready_stencils()) names.emplace_back(one.name);
  for (const std::string& method : methods_with_kernels()) names.push_back(method);
  names.emplace_back(grid_name);
  names.insert(names.end(), std::begin(small_kernel_families), std::end(small_kernel_families));
  set_completions(
      warming
          ->add_option("NAME", args->name,
                       "FILE.toml, a name of 'dwell stencil --help', a method for linear systems: "
                       "cg (with batches and blocks of right-hand sides), minres, ..., grid, "
                       "for systems on grids, or small kernels: reductions, scans, products, "
                       "'tables of sums', set-up, 'set-up of amg', or as the list has them")
          ->type_name(""),
      {names});
  warming
      ->add_option("--arch", args->targets,
                   "What to compile for, with commas between: cpu, by the system's compiler; sm_90 "
                   "and others by NVRTC, which needs no GPU (default, of several fields: cpu)")
      ->delimiter(',')
      ->type_name("NAMES")
      ->default_str("");
  add_device_facts(
      *warming, args->device_facts,
      "Compile for this GPU, which need not be here, by name or from a file that 'dwell "
      "measure --save' wrote",
      false);
  warming
      ->add_option_function<std::string>(
          "--size", [args](const std::string& text) { args->size = parse_size("--size", text, 1); },
          "Of a built-in stencil: what a run on so many cells takes (default: all of its kernels)")
      ->type_name("NxN[xN]");
  add_stencil_flag(*warming, stencil_surface::run, "executor", args->options,
                   "Of a built-in stencil or a method: its kernels alone; auto is all of them, or "
                   "with --size the one that a run takes");
  add_choice(*warming, "--precision", args->precision, {"f64", "f32"},
             "Of the fields, or of a method's vectors");
  warming->add_flag("--complex", args->complex,
                    "Of a method: what it needs for complex matrices, in place of real ones");
  warming
      ->add_option(
          "--boundary", args->boundary,
          "Kind of all sides, which kernels of GPUs are compiled for (default: as the file "
          "has it)")
      ->type_name("KIND");
  add_json(*warming, args->json_target, "all this");
  auto* convolving = warming->add_subcommand("convolve", "Compile what convolutions need on a GPU");
  const command warm_convolutions = add_warm_convolve(*convolving);
  warming->require_subcommand(0, 1);
  warming->callback([=] {
    if (!convolving->parsed() && args->name.empty()) throw CLI::RequiredError("NAME");
  });
  return [=] {
    if (convolving->parsed()) return warm_convolutions();
    return listing->parsed()    ? list_kernels(args->json_target)
           : clearing->parsed() ? clear_kernels(args->json_target)
                                : warm(*args);
  };
}

}  // namespace dwell::app
