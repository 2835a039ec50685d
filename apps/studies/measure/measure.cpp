// SPDX-License-Identifier: MIT
// dwell measure: what this machine can do, by probes (probes.cpp lists them).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/device_facts_option.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/report_target.hpp"
#include "cli/signals.hpp"
#include "compare/layout.hpp"
#include "studies/measure/facts.hpp"
#include "studies/measure/result.hpp"

#include "dwell/base/error.hpp"

namespace dwell::app {

namespace {

struct measure_arguments {
  device_choice device;
  int threads = 0, footprint_mib = 0;
  std::vector<std::string> only;
  std::string barrier_case;
  bool full = false, quiet = false;
  destination json_target, csv_target, save;
};

/// On a CPU four times the last-level cache; without --full 1 GiB at most, since a pass over more
/// takes longer than what it tells is worth. Of a GPU 4 GiB.
double default_footprint(const device_facts& here, bool full) {
  if (here.on == backend::cuda)
    return std::min(4096.0 * (1 << 20), 0.25 * static_cast<double>(here.memory_free));
  constexpr double most = 1 << 30;
  const double beyond = std::max(4.0 * static_cast<double>(here.l2), 64.0 * (1 << 20));
  return std::min({beyond, full ? beyond : most, 0.25 * static_cast<double>(here.memory_free)});
}

/// Refuses a footprint that was asked for and does not fit.
void require_footprint(double bytes, const device_facts& here) {
  if (bytes > 0.5 * static_cast<double>(here.memory_free))
    throw device_error(fmt::format(
        "--footprint: expected at most half of the free memory, {:.0f} MiB, found {:.0f}",
        0.5 * static_cast<double>(here.memory_free) / (1 << 20), bytes / (1 << 20)));
}

std::vector<probe> chosen(const measure_arguments& args, backend on) {
  std::vector<probe> out;
  for (const probe& p : probes())
    if (p.on == on && (args.only.empty() ? args.full || p.group != hanging_group
                                         : std::find(args.only.begin(), args.only.end(), p.group) !=
                                               args.only.end()))
      out.push_back(p);
  if (out.empty())
    throw unsupported_error(on == backend::cuda
                                ? "measure: no probes for GPUs in this build; use --device cpu"
                                : "measure: no such probes for CPUs in this build");
  return out;
}

/// Facts are whole or not written.
void require_whole(const measure_arguments& args) {
  if (!args.save || args.only.empty()) return;
  for (const auto& group : groups_for_facts())
    if (std::find(args.only.begin(), args.only.end(), group) == args.only.end())
      throw input_error(fmt::format("--save: expected groups {} to be measured, found --only {}",
                                    fmt::join(groups_for_facts(), ", "),
                                    fmt::join(args.only, ",")));
}

/// What cannot be written costs nothing else.
exit_code deliver(const measure_arguments& args, const measure_result& result,
                  const output_files& outputs) {
  handover by;
  if (!outputs.standard()) by.attempt("table", [&] { write_stdout(to_text(result)); });
  if (const auto& to = args.json_target)
    by.attempt(to.label(), [&] { to.write(json_text(to_json(result))); });
  if (const auto& to = args.csv_target) by.attempt(to.label(), [&] { to.write(to_csv(result)); });
  if (result.interrupted) {
    say(interrupted_words(result.rows.size()));
    if (args.save) say(fmt::format("{} is not written", args.save.label()));
    return by.finish(exit_code::interrupted);
  }
  if (const auto& to = args.save)
    by.attempt(to.label(), [&] {
      const auto [facts, sources] = facts_from_rows(result.device, result.rows);
      to.write(json_text(device_facts_json(facts, sources)));
    });
  return by.finish(exit_code::done);
}

exit_code run(const measure_arguments& args) {
  output_files outputs;
  for (const auto& to : {args.json_target, args.csv_target, args.save}) outputs.add(to);
  require_whole(args);
  if (args.device.what == device_choice::kind::cuda) chosen(args, backend::cuda);
  const device where = resolve(args.device, args.threads, threads_for::runs);
  if (!args.barrier_case.empty()) answer_barrier_case(args.barrier_case, where.facts());
  const auto todo = chosen(args, where.on());
  measure_result result;
  result.device = where.facts();
  result.full = args.full;
  measure_request request;
  request.here = result.device;
  request.threads = result.device.units;
  request.full = args.full;
  request.most_footprint = args.footprint_mib > 0 ? args.footprint_mib * double(1 << 20)
                                                  : default_footprint(result.device, args.full);
  require_footprint(request.most_footprint, result.device);

  progress_line progress(!args.quiet);
  const graceful_stop on_signal;
  request.interrupt = &graceful_stop::requested();
  std::size_t nth = 0;
  request.say = [&](const std::string& what) {
    progress.show(fmt::format("{} ({} of {}): {}", todo[nth].group, nth + 1, todo.size(), what));
  };
  measuring m(request, result.rows, result.barriers);
  try {
    for (; nth < todo.size(); ++nth) todo[nth].run(m);
  } catch (const measuring::stopped&) {
    result.interrupted = true;
  }
  progress.erase();

  return deliver(args, result, outputs);
}

std::string probe_list(backend on) {
  std::string text, group;
  std::size_t widest = 0;
  for (const probe& p : all_probes())
    if (p.on == on) widest = std::max(widest, p.name.size());
  for (const probe& p : all_probes()) {
    if (p.on != on) continue;
    if (p.group != group) text += fmt::format("  {}\n", p.group);
    group = p.group;
    text += fmt::format("    {:<{}}  {}\n", p.name, widest, p.about);
  }
  return text;
}

}  // namespace

command add_measure(CLI::App& app) {
  const auto args = std::make_shared<measure_arguments>();
  add_device(app, args->device, "What to measure; auto is the first usable GPU, else the CPU");
  add_positive(app, "--threads", args->threads,
               "Most threads of the CPU (default: all that this process may use)");
  add_choices(app, "--only", args->only, probe_groups(),
              fmt::format("Some of the groups {} (default: all, {} with --full only)",
                          fmt::join(probe_groups(), ", "), hanging_group));
  add_positive(
      app, "--footprint", args->footprint_mib,
      "Largest footprint of memory, MiB (default: of a CPU four times the last-level cache, at "
      "most 1 GiB without --full; of a GPU 4 GiB)");
  app.add_flag("--full", args->full, "More and longer samples: many minutes, not one or two");
  add_json(app, args->json_target, "all this");
  add_destination(app, "--csv", args->csv_target,
                  "Write the rows as CSV; on standard output (-) in place of the table");
  add_destination(app, "--save", args->save,
                  "Write device facts that --device-facts reads: of groups " +
                      fmt::format("{}", fmt::join(groups_for_facts(), ", ")));
  app.add_flag("-q,--quiet", args->quiet, "No progress");
  // What this program asks of itself (barrier_cases.hpp).
  app.add_option("--barrier-case", args->barrier_case)->group("");
  app.footer("Probes for CPUs, by group:\n" + probe_list(backend::cpu) +
             "\nProbes for GPUs, by group:\n" + probe_list(backend::cuda) +
             "\nEvery value is measured by the difference of two repeat counts and by the clock,\n"
             "on a GPU that of its multiprocessors (Zhang 2023, section 3.3). Other work on\n"
             "the machine is measured with it. The first Ctrl-C ends the measurement and\n"
             "writes the rows before it, a second one ends the program at once.\n\n"
             "Examples:\n"
             "  dwell measure --only sync\n"
             "  dwell measure --device cuda --only latency,concurrency\n"
             "  dwell measure --save here.json --csv here.csv");
  return [args] { return run(*args); };
}

}  // namespace dwell::app
