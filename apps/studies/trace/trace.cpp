// SPDX-License-Identifier: MIT
// dwell trace: the addresses of a stencil's step, or of a product of matrices, in several orders,
// through simulated caches; what the models say; and, if asked for, what the orders take.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/completions.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "report/units.hpp"
#include "stencil/choices.hpp"
#include "stencil/field.hpp"
#include "studies/trace/diagram.hpp"
#include "studies/trace/timed_orders.hpp"
#include "studies/trace/trace_result.hpp"

#include "dwell/base/cpu_cache.hpp"
#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/stencil/plan/column_width.hpp"

namespace dwell::app {

namespace {

constexpr const char* product = "product";

struct trace_arguments {
  std::string subject, size, precision = "f64", replacement = "lru";
  int inner = 0, threads = 1, line = 0, seed = 0, runs = 0;
  std::vector<std::string> caches, orders = {"rows", automatic};
  bool writes = false;
  destination json_target, csv_target, diagram;
};

/// "32KiB:8", "2MiB", "4096:4": bytes and ways.
trace::cache_shape parse_cache(const std::string& text, const trace_arguments& args, int line) {
  const auto refuse = [&] {
    throw input_error(fmt::format(
        "--cache: expected SIZE[:WAYS] with SIZE in bytes, KiB or MiB, found '{}'", text));
  };
  trace::cache_shape c;
  c.line = line;
  c.seed = static_cast<std::uint64_t>(args.seed > 0 ? args.seed : 1);
  c.replaces = args.replacement == "lru" ? trace::replacement::lru : trace::replacement::random4;
  const char* end = text.data() + text.size();
  auto [stop, failed] = std::from_chars(text.data(), end, c.bytes);
  if (failed != std::errc{} || c.bytes < 1 || c.bytes > std::int64_t{1} << 40) refuse();
  const std::string rest(stop, end);
  const auto colon = std::min(rest.find(':'), rest.size());
  const std::string unit = rest.substr(0, colon);
  if (unit == "KiB" || unit == "K")
    c.bytes <<= 10;
  else if (unit == "MiB" || unit == "M")
    c.bytes <<= 20;
  else if (!unit.empty())
    refuse();
  if (colon < rest.size()) {
    const auto ways = std::from_chars(stop + colon + 1, end, c.ways);
    if (ways.ec != std::errc{} || ways.ptr != end || c.ways < 1) refuse();
  }
  trace::check_cache("--cache", c);
  return c;
}

/// Those that were asked for, or the first two levels of a core of this machine.
std::vector<trace::cache_shape> caches_of(const trace_arguments& args) {
  const cpu_cache first = first_level_cache(), second = second_level_cache();
  const int line = args.line > 0 ? args.line : first.line;
  std::vector<std::string> texts = args.caches;
  if (texts.empty())
    texts = {fmt::format("{}:{}", first.bytes, first.ways),
             fmt::format("{}:{}", second.bytes, second.ways)};
  std::vector<trace::cache_shape> all;
  for (const auto& text : texts) all.push_back(parse_cache(text, args, line));
  return all;
}

trace::traced_problem problem_of(const trace_arguments& args, const extents& size, int line) {
  const int unit = args.precision == "f64" ? 8 : 4;
  if (args.subject == product)
    return trace::traced_product(size, args.inner > 0 ? args.inner : size.x, unit, line,
                                 args.writes);
  if (args.inner > 0) throw input_error("--inner: is for product, found " + args.subject);
  const stencil_shape shape = find_stencil_shape(args.subject);
  if (shape.dims != size.dims)
    throw input_error(fmt::format("--size: {} works on {} dimensions, found {}", shape.name,
                                  shape.dims, to_string(size)));
  std::vector<grid_cell> taps;
  for (const tap& t : shape.taps) taps.push_back({t.dz, t.dy, t.dx});
  return trace::traced_stencil(shape.name, taps, size, unit, line, args.writes);
}

/// "auto": columns of the width that the document gives for the last cache, for products less two;
/// rows where those fit.
cell_order order_for_cache(const trace::traced_problem& p, int threads,
                           const trace::cache_shape& cache) {
  if (p.tasks.dims == 3)
    throw input_error(
        "--orders: expected orders other than auto in three dimensions, for which the "
        "document has no width of columns");
  const auto bytes = static_cast<double>(cache.bytes);
  double c = 0;
  if (p.is_product()) {
    c = model::column_width_beside_rows(p.unit, p.inner, bytes);
  } else {
    grid_cell reach;
    for (const grid_cell& t : p.taps) reach = {0, std::max(reach.y, t.y), std::max(reach.x, t.x)};
    c = model::column_width(
        {static_cast<double>(p.unit), reach.y + 1.0, reach.x + 1.0, static_cast<double>(threads)},
        bytes);
  }
  if (c >= p.tasks.x) return {};
  const int cells_of_line = std::max(p.line / p.unit, 1);
  const int width = std::max(static_cast<int>(c) / cells_of_line, 1) * cells_of_line;
  return *parse_cell_order("columns:" + std::to_string(width), 2);
}

/// A diagram has a mark for each group of threads and line.
void require_drawable(const trace::traced_problem& p, int threads) {
  const auto tasks = static_cast<std::int64_t>(p.tasks.cells());
  const std::int64_t times = (tasks + threads - 1) / threads;
  if (times > most_times || p.lines() > most_lines)
    throw input_error(fmt::format(
        "--diagram: expected at most {} groups of threads and {} lines, found {} and {}",
        most_times, most_lines, times, p.lines()));
}

/// Times of the orders that have been traced.
void add_times(const trace_arguments& args, progress_line& progress, trace_result& r) {
  progress.show(fmt::format("running, {} each", format_plural(args.runs, "time")));
  std::vector<cell_order> orders;
  for (const traced_order& o : r.orders) orders.push_back(*parse_cell_order(o.order, r.size.dims));
  const auto seconds = trace::seconds_by_order(
      {r.problem.name, r.size, r.problem.inner, r.precision}, orders, args.runs);
  for (std::size_t k = 0; k < seconds.size(); ++k) r.orders[k].seconds = seconds[k];
}

std::string title_of(const trace_result& r) {
  const auto& c = r.caches.front();
  return fmt::format("{}, {} cells of {} bytes: a cache of {} lines of {} bytes", r.problem.name,
                     to_string(r.size), r.problem.unit, format_count(c.lines()), c.line);
}

exit_code run(const trace_arguments& args) {
  output_files outputs;
  for (const auto& to : {args.json_target, args.csv_target, args.diagram}) outputs.add(to);
  if (args.seed > 0 && args.replacement == "lru")
    throw input_error("--seed: is for --replacement random4, found lru");
  trace_result r;
  r.size = parse_size("--size", args.size);
  r.precision = args.precision;
  r.threads = args.threads;
  r.caches = caches_of(args);
  r.problem = problem_of(args, r.size, r.caches.front().line);
  if (args.diagram) require_drawable(r.problem, args.threads);
  std::vector<std::optional<cell_order>> asked;
  for (const auto& text : args.orders) asked.push_back(parse_cell_order(text, r.size.dims));
  progress_line progress(true);
  std::vector<diagram_panel> panels;
  const auto tasks = static_cast<std::int64_t>(r.problem.tasks.cells());
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const cell_order order =
        asked[k] ? *asked[k] : order_for_cache(r.problem, args.threads, r.caches.back());
    progress.show(fmt::format("{} ({} of {})", to_string(order), k + 1, asked.size()));
    traced_order out{args.orders[k], to_string(order), {}, {}, {}};
    access_record record(args.diagram ? r.problem.lines() : 0,
                         (tasks + args.threads - 1) / args.threads);
    trace::access_watcher watch;
    if (args.diagram)
      watch = [&](std::int64_t time, std::int64_t line, bool hit, const auto& replaced) {
        record.note(time, line, hit, replaced);
      };
    out.simulated = trace::simulate(r.problem, order, args.threads, r.caches, watch);
    out.model = trace::model_fetches(r.problem, order, r.caches.back());
    if (args.diagram) {
      record.finish();
      const auto& first = out.simulated.levels.front();
      panels.push_back({fmt::format("{}: {} fetches, {:.1f} % hits", out.order,
                                    format_count(first.fetches()), 100 * first.hit_rate()),
                        std::move(record)});
    }
    r.orders.push_back(std::move(out));
  }
  if (args.runs > 0) add_times(args, progress, r);
  progress.erase();
  if (args.diagram) {
    args.diagram.write(diagram_svg(title_of(r), r.problem, args.threads, panels));
    r.diagram = args.diagram.label();
  }
  if (args.json_target) args.json_target.write(json_text(to_json(r)));
  if (args.csv_target) args.csv_target.write(to_csv(r));
  if (!outputs.standard()) write_stdout(to_text(r));
  return exit_code::done;
}

void add_what(CLI::App& app, trace_arguments& args) {
  app.option_defaults()->group("What to trace");
  std::vector<std::string> names{product};
  for (const auto& s : stencil_shapes()) names.push_back(s.name);
  set_completions(
      app.add_option("SUBJECT", args.subject,
                     "A step of a stencil, by its name (see 'dwell stencil --help'), or product: C "
                     "= A B, each cell of C a scalar product")
          ->required()
          ->type_name(""),
      {names});
  app.add_option("--size", args.size,
                 "Cells of the field, whose border is fixed, or of C: rows x columns, or planes x "
                 "rows x columns")
      ->required()
      ->type_name("NxN[xN]");
  add_positive(app, "--inner", args.inner,
               "product: columns of A, rows of B (default: the columns of C)")
      ->default_str("");
  add_orders(
      app, args.orders,
      "Orders in which cells are taken, as of 'dwell stencil --order'; auto is columns of "
      "the width that Prasetya 2022 gives for the last cache (products: less two), or rows where "
      "they fit");
  add_positive(app, "--threads", args.threads,
               "Threads side by side, which take consecutive cells of the order and make each "
               "access together, as a warp does");
  add_choice(app, "--precision", args.precision, {"f64", "f32"}, "Of the cells");
  add_positive(app, "--runs", args.runs,
               "Also run the step, or the product, on one thread of this CPU, so many times each; "
               "the least time counts")
      ->default_str("");
  app.add_flag("--writes", args.writes, "Also the store of each cell, which brings its line");
}

void add_caches(CLI::App& app, trace_arguments& args) {
  app.option_defaults()->group("Caches");
  app.add_option("--cache", args.caches,
                 "A cache, and how many lines a set has (default: all); again for the next level, "
                 "which gets what misses this one (default: the first two of a core here)")
      ->type_name("SIZE[:WAYS]")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_positive(app, "--line", args.line, "Bytes of a line (default: as here)")->default_str("");
  add_choice(app, "--replacement", args.replacement, {"lru", "random4"},
             "Whose place a line takes: the least recently used one's, or four neighbouring lines' "
             "at random");
  add_positive(app, "--seed", args.seed, "Of random4 (default: 1)")->default_str("");
}

}  // namespace

command add_trace(CLI::App& app) {
  const auto args = std::make_shared<trace_arguments>();
  add_what(app, *args);
  add_caches(app, *args);
  app.option_defaults()->group("Results");
  add_json(app, args->json_target, "all this");
  add_destination(
      app, "--csv", args->csv_target,
      "Write a line for each order as CSV; on standard output (-) in place of the table");
  add_destination(
      app, "--diagram", args->diagram,
      "Draw which lines are fetched, used and in the first cache, over time, a panel for "
      "each order",
      "FILE.svg|-");
  std::string forms;
  for (const auto& one : cell_order_helps())
    forms += fmt::format("  {:<20} {}\n", one.form, one.about);
  app.footer("Orders:\n" + forms +
             "\nRows of arrays begin with a line. Caches are simulated: what a processor fetches\n"
             "ahead, and translation of addresses, are not.\n\n"
             "Examples:\n"
             "  dwell trace 2d9pt --size 64x256 --cache 4KiB --orders rows,columns:32\n"
             "  dwell trace 2d9pt --size 20x40 --cache 1KiB --line 32 --orders rows,columns:16 "
             "--diagram 2d9pt.svg\n"
             "  dwell trace product --size 512x512 --cache 32KiB:8 --cache 1MiB:16\n"
             "  dwell trace product --size 1032x1032 --orders rows,columns:64 --runs 3");
  return [args] { return run(*args); };
}

}  // namespace dwell::app
