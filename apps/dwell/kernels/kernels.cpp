// SPDX-License-Identifier: MIT
// dwell kernels: what was compiled while programs ran and is kept on this machine; removes it;
// compiles ahead what a stencil needs: one of several fields, or a built-in one on a GPU.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
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
#include "report/columns.hpp"
#include "report/table.hpp"
#include "report/units.hpp"
#include "stencil/field.hpp"
#include "stencil/stencil_flags.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/file_cache.hpp"
#include "dwell/base/precision.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/stencil/fields/device_kernels.hpp"
#include "dwell/execution/stencil/fields/hoisting.hpp"
#include "dwell/execution/stencil/fields/kernel_choice.hpp"
#include "dwell/solvers/stencil/api/needed.hpp"
#include "dwell/solvers/stencil/fields/hoisting_choice.hpp"

namespace dwell::app {
namespace {

struct kernels_arguments {
  std::string stencil, precision = "f64", boundary;
  std::vector<std::string> targets;
  device_facts_choice device_facts;
  std::optional<extents> size;
  stencil_options options;
  destination json_target;
};

/// Throws input_error where there is no folder that can be used.
file_cache usable_cache() {
  file_cache cache;
  if (cache.folder().empty()) throw input_error("kernels: no folder: " + cache.no_folder());
  return cache;
}

std::uintmax_t bytes_of(const std::vector<cache_entry>& entries) {
  std::uintmax_t sum = 0;
  for (const cache_entry& e : entries) sum += e.bytes;
  return sum;
}

double seconds_since(const cache_entry& e) {
  const auto age = std::filesystem::file_time_type::clock::now() - e.used;
  return std::max(0.0, std::chrono::duration<double>(age).count());
}

columns<cache_entry> entry_columns() {
  const auto words = [](const std::string& text) { return text.empty() ? "damaged" : text; };
  return {
      {"what", "kernel", unit::word, [](const auto& e) { return text_or_null(e.origin.what); },
       [words](const auto& e) { return words(e.origin.what); }},
      {"target", "for", unit::word, [](const auto& e) { return text_or_null(e.origin.target); }},
      {"bytes", "size", unit::bytes, [](const auto& e) { return json(e.bytes); }},
      {"unused_s", "used", unit::number, [](const auto& e) { return json(seconds_since(e)); },
       [](const auto& e) { return format_seconds(seconds_since(e)) + " ago"; }},
      {"file", "", unit::word, [](const auto& e) { return json(e.file.filename().string()); }}};
}

/// Hands over a report for people, or the document.
exit_code hand_over(const destination& to, const std::string& text, const json& document) {
  output_files outputs;
  outputs.add(to);
  if (to) to.write(json_text(document));
  if (!to.standard()) write_stdout(text);
  return exit_code::done;
}

json document_of(const char* kind, const file_cache& cache) {
  json out = document(kind);
  out["folder"] = cache.folder().string();
  return out;
}

exit_code list(const kernels_arguments& args) {
  const file_cache cache = usable_cache();
  const std::vector<cache_entry> entries = cache.entries();
  const std::uintmax_t bytes = bytes_of(entries);
  table out;
  out.row("folder", cache.folder().string());
  out.row("kernels", fmt::format("{}, {} of at most {}",
                                 format_plural(static_cast<std::int64_t>(entries.size()), "file"),
                                 format_bytes(static_cast<double>(bytes)),
                                 format_bytes(static_cast<double>(cache.limit()))));
  std::string text = out.text();
  if (!entries.empty()) text += '\n' + table_of(entry_columns(), entries).text();
  json all = document_of("kernels list", cache);
  all["bytes"] = bytes;
  all["limit_bytes"] = cache.limit();
  all["kernels"] = array_of(entry_columns(), entries);
  return hand_over(args.json_target, text, all);
}

exit_code clear(const kernels_arguments& args) {
  const file_cache cache = usable_cache();
  const std::uintmax_t before = bytes_of(cache.entries());
  const int removed = cache.clear();
  const std::uintmax_t after = bytes_of(cache.entries()), freed = before - std::min(after, before);
  json all = document_of("kernels clear", cache);
  all["removed"] = removed;
  all["bytes"] = freed;
  return hand_over(
      args.json_target,
      fmt::format("{}: {} removed, {}\n", cache.folder().string(), format_plural(removed, "file"),
                  format_bytes(static_cast<double>(freed))),
      all);
}

struct warmed_kernel {
  std::string what, target;
  double seconds = 0;  ///< that compiling took; 0: it was there
};

columns<warmed_kernel> warmed_columns() {
  return {{"what", "kernel", unit::word, [](const auto& k) { return json(k.what); }},
          {"target", "for", unit::word, [](const auto& k) { return json(k.target); }},
          {"compile_s", "", unit::word, [](const auto& k) { return json(k.seconds); }, nullptr},
          {"", "compiled", unit::word, [](const auto& k) { return json(k.seconds); },
           [](const auto& k) {
             return k.seconds > 0 ? "in " + format_seconds(k.seconds) : "it was there";
           }}};
}

void require_kept(const std::string& why_not) {
  if (!why_not.empty()) throw input_error("kernels: not kept: " + why_not);
}

template <class T>
warmed_kernel warm_cpu(const stencil_definition& definition) {
  const chosen_kernel<T> made = choose_kernel<T>(definition, "compiled");
  require_kept(made.not_kept);
  return {made.origin.what, made.origin.target, made.compile_seconds};
}

/// "sm_90" or "sm_90a": 90.
int capability_of(const std::string& target) {
  int capability = 0;
  const char* const end = target.data() + target.size() - (target.ends_with('a') ? 1 : 0);
  if (!target.starts_with("sm_") ||
      std::from_chars(target.data() + 3, end, capability).ptr != end || capability < 10)
    throw input_error(
        fmt::format("--arch: expected cpu, or an architecture such as sm_90, found '{}'", target));
  return capability;
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

/// What is compiled for the GPUs that were asked for, of a built-in stencil.
std::vector<warmed_kernel> warm_built_in(const kernels_arguments& args, precision type) {
  std::vector<device_facts> devices;
  if (args.device_facts.given()) devices.push_back(args.device_facts.read());
  for (const std::string& target : args.targets)
    if (target != "cpu") devices.push_back(facts_for(capability_of(target)));
  if (devices.empty() || std::ranges::count(args.targets, "cpu") > 0 ||
      std::ranges::any_of(devices, [](const auto& d) { return d.on != backend::cuda; }))
    throw input_error(
        fmt::format("kernels warm {}: expected a GPU, by --device-facts or --arch: kernels of "
                    "built-in stencils for CPUs are in the library",
                    args.stencil));
  if (args.size && !args.device_facts.given())
    throw input_error("--size: expected --device-facts with it, for which plans are made");
  if (is_compiled_ahead(args.stencil)) return {};
  stencil_options options = args.options;
  options.shape = args.stencil;
  if (!args.boundary.empty()) options.edge = parse_boundary(args.boundary);
  std::vector<warmed_kernel> all;
  for (const device_facts& on : devices) {
    const auto sources = needed_sources(on, type, options, args.size);
    // Groups of as many as there are processors.
    const std::size_t most = std::max(1u, std::thread::hardware_concurrency());
    for (std::size_t first = 0; first < sources.size(); first += most) {
      const std::span some =
          std::span(sources).subspan(first, std::min(most, sources.size() - first));
      for (const auto& made : compile_kernels(some, {on.compute_capability, 0}).codes) {
        require_kept(made->why_not_kept);
        all.push_back({made->origin.what, made->origin.target, made->seconds});
      }
    }
  }
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
  const making_listener compiling = shows_compiling(progress);
  const auto done = [&](const std::vector<warmed_kernel>& all) {
    progress.erase();
    json document = document_of("kernels warm", cache);
    document["stencil"] = args.stencil;
    document["kernels"] = array_of(warmed_columns(), all);
    return hand_over(args.json_target,
                     all.empty() ? fmt::format("{}: its kernels are in the library\n", args.stencil)
                                 : table_of(warmed_columns(), all).text(),
                     document);
  };
  const std::vector<std::string> shapes = names_of_shapes();
  if (std::ranges::find(shapes, args.stencil) != shapes.end())
    return done(warm_built_in(args, type));
  if (args.size || args.options.executor != automatic)
    throw input_error("--size, --executor: of built-in stencils alone");
  if (args.device_facts.given())
    args.targets.push_back(fmt::format("sm_{}", args.device_facts.read().compute_capability));
  if (args.targets.empty()) args.targets = {"cpu"};
  fields_problem p = read_problem(args.stencil);
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
      "  dwell kernels clear");
  auto* listing =
      app.add_subcommand("list", "What is kept: for which machine, how large, used when");
  auto* clearing = app.add_subcommand("clear", "Remove all that is kept");
  auto* warming = app.add_subcommand("warm",
                                     "Compile what a stencil needs, if it is not there: of several "
                                     "fields, or a built-in one on a GPU");
  for (auto* sub : {listing, clearing}) add_json(*sub, args->json_target, "all this");
  std::vector<std::string> names = names_of_shapes();
  for (const ready_stencil& one : ready_stencils()) names.emplace_back(one.name);
  set_completions(
      warming
          ->add_option("STENCIL", args->stencil, "FILE.toml, or a name of 'dwell stencil --help'")
          ->required()
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
                   "Of a built-in stencil: its kernels alone; auto is all of them, or with --size "
                   "the one that a run takes");
  add_choice(*warming, "--precision", args->precision, {"f64", "f32"}, "Of the fields");
  warming
      ->add_option(
          "--boundary", args->boundary,
          "Kind of all sides, which kernels of GPUs are compiled for (default: as the file "
          "has it)")
      ->type_name("KIND");
  add_json(*warming, args->json_target, "all this");
  return [=] {
    return listing->parsed() ? list(*args) : clearing->parsed() ? clear(*args) : warm(*args);
  };
}

}  // namespace dwell::app
