// SPDX-License-Identifier: MIT
// The list of problems and executors is the build's own table of variants, not a list kept here.
#include "info/system_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/krylov/plan/policy.hpp"
#include "dwell/execution/stencil/plan/policies/table.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"
#include "dwell/version.hpp"
#include "report/columns.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

namespace dwell::app {

namespace {

std::string compiler_name() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown compiler";
#endif
}

std::string id(const device_facts& d) {
  return d.on == backend::cpu ? "cpu" : fmt::format("cuda:{}", d.ordinal);
}

std::string size(std::size_t bytes) { return format_bytes(static_cast<double>(bytes)); }

void describe(const device_facts& d, table& out) {
  const bool gpu = d.on == backend::cuda;
  out.row(id(d), d.name);
  if (gpu) {
    out.row("  compute",
            fmt::format("capability {}.{}, {} multiprocessors", d.compute_capability / 10,
                        d.compute_capability % 10, d.units));
  } else {
    out.row("  compute",
            (d.units_at_most && d.units > 1 ? "up to " : "") + format_plural(d.units, "thread"));
  }
  out.row("  memory", fmt::format("{}, {} free", size(d.memory), size(d.memory_free)));
  if (d.l2 > 0) out.row("  cache", size(d.l2) + (gpu ? " L2" : " last level"));
  if (!gpu) return;
  out.row("  scratch", fmt::format("{} per block, {} per multiprocessor", size(d.shared_per_team),
                                   size(d.shared_per_unit)));
  out.row("  registers",
          format_count(static_cast<std::int64_t>(d.registers_per_unit)) + " per multiprocessor");
  out.row("  grid barrier", d.cooperative_launch ? "yes" : "no");
}

void once(std::vector<std::string>& list, const std::string& word) {
  if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
}

std::vector<std::string> shapes_of(const std::vector<kernel_info>& some) {
  std::vector<std::string> shapes;
  for (const auto& v : some)
    if (!v.shape.empty()) once(shapes, v.shape);
  std::sort(shapes.begin(), shapes.end());
  return shapes;
}

/// "cpu (f32, f64)", of an executor; and of how many shapes where not of all.
std::string places(const std::vector<kernel_info>& variants, const std::string& problem,
                   const std::string& executor, std::size_t shapes) {
  std::string text;
  for (const auto on : {backend::cpu, backend::cuda}) {
    std::vector<kernel_info> here;
    std::vector<std::string> precisions;
    for (const auto& v : variants)
      if (v.problem == problem && v.executor == executor && v.on == on) {
        here.push_back(v);
        once(precisions, v.precision);
      }
    if (here.empty()) continue;
    std::sort(precisions.begin(), precisions.end());
    text += fmt::format("{}{} ({}", text.empty() ? "" : ", ", to_string(on),
                        fmt::join(precisions, ", "));
    const auto of_these = shapes_of(here).size();
    if (of_these < shapes) text += fmt::format("; {} of {} shapes", of_these, shapes);
    std::erase_if(here, [](const kernel_info& v) { return v.ahead; });
    if (const auto needed = shapes_of(here).size(); needed > 0)
      text += fmt::format("; {} compiled when needed",
                          format_plural(static_cast<std::int64_t>(needed), "shape"));
    else if (!here.empty())
      text += "; compiled when needed";
    text += ")";
  }
  return text;
}

/// One line per problem and executor, and the shapes of the stencils.
void describe(const std::vector<kernel_info>& variants, table& out) {
  std::vector<std::string> problems;
  for (const auto& v : variants) once(problems, v.problem);
  for (const auto& problem : problems) {
    std::vector<kernel_info> of_it;
    std::vector<std::string> executors;
    for (const auto& v : variants)
      if (v.problem == problem) {
        of_it.push_back(v);
        once(executors, v.executor);
      }
    const auto shapes = shapes_of(of_it);
    out.row("problem", problem);
    for (const auto& executor : executors)
      out.row("  " + executor, places(variants, problem, executor, shapes.size()));
    constexpr std::size_t a_line = 8;
    for (std::size_t i = 0; i < shapes.size(); i += a_line) {
      const auto end = std::min(i + a_line, shapes.size());
      out.row(i == 0 ? "  shapes" : "",
              fmt::format("{}{}", fmt::join(&shapes[i], shapes.data() + end, ", "),
                          end < shapes.size() ? "," : ""));
    }
  }
}

columns<device_facts> device_columns() {
  using row = device_facts;
  return {
      {"id", "", unit::word, [](const row& d) { return id(d); }},
      {"name", "", unit::word, [](const row& d) { return d.name; }},
      {"backend", "", unit::word, [](const row& d) { return to_string(d.on); }},
      {"units", "", unit::count, [](const row& d) { return d.units; }},
      {"compute_capability", "", unit::count, [](const row& d) { return d.compute_capability; }},
      {"memory", "", unit::bytes, [](const row& d) { return d.memory; }},
      {"memory_free", "", unit::bytes, [](const row& d) { return d.memory_free; }},
      {"l2", "", unit::bytes, [](const row& d) { return d.l2; }},
      {"shared_per_team", "", unit::bytes, [](const row& d) { return d.shared_per_team; }},
      {"shared_per_unit", "", unit::bytes, [](const row& d) { return d.shared_per_unit; }},
      {"registers_per_unit", "", unit::count, [](const row& d) { return d.registers_per_unit; }},
      {"cooperative_launch", "", unit::yes, [](const row& d) { return d.cooperative_launch; }}};
}

columns<kernel_info> variant_columns() {
  using row = kernel_info;
  return {{"problem", "", unit::word, [](const row& v) { return v.problem; }},
          {"executor", "", unit::word, [](const row& v) { return v.executor; }},
          {"precision", "", unit::word, [](const row& v) { return v.precision; }},
          {"backend", "", unit::word, [](const row& v) { return to_string(v.on); }},
          {"shape", "", unit::word, [](const row& v) { return text_or_null(v.shape); }},
          {"compiled_ahead", "", unit::yes, [](const row& v) { return v.ahead; }}};
}

/// The rows of a table of names, with their help.
template <class Table>
void add_help(table& out, std::string head, const Table& rows) {
  for (const auto& row : rows) {
    out.row(head, fmt::format("{:<11} {}", row.name, row.what));
    head.clear();
  }
}

}  // namespace

system_facts gather_system_facts(const device_choice& choice, int threads) {
  system_facts facts{compiler_name(), find_cuda(),      {},
                     built_kernels(), built_policies(), built_stencil_policies()};
  if (choice.given) {
    facts.devices.push_back(resolve(choice, threads, threads_for::runs).facts());
  } else {
    facts.devices.push_back(device::cpu(threads).facts());
    for (int n = 0; n < facts.cuda.devices; ++n) facts.devices.push_back(device::cuda(n).facts());
  }
  return facts;
}

std::string to_text(const system_facts& facts) {
  table out("dwell " DWELL_VERSION_STRING);
  out.row("build", fmt::format("{}, {}, {} CUDA", DWELL_BUILD_TYPE, facts.compiler,
                               facts.cuda.built_in ? "with" : "without"));
  out.row("GPUs", facts.cuda.devices > 0 ? std::to_string(facts.cuda.devices)
                                         : "none: " + facts.cuda.reason);
  out.gap();
  for (const auto& d : facts.devices) describe(d, out);
  out.gap();
  describe(facts.variants, out);
  add_help(out, "executors", executors::all);
  add_help(out, "policies", program_policies());
  add_help(out, "  stencils", policies::stencil_policies());
  return out.text();
}

json to_json(const system_facts& facts) {
  json out = document("info");
  out.update(
      {{"build",
        {{"type", DWELL_BUILD_TYPE}, {"compiler", facts.compiler}, {"cuda", facts.cuda.built_in}}},
       {"cuda_devices", facts.cuda.devices},
       {"cuda_reason", facts.cuda.devices > 0 ? json(nullptr) : json(facts.cuda.reason)},
       {"devices", array_of(device_columns(), facts.devices)},
       {"variants", array_of(variant_columns(), facts.variants)},
       {"policies", facts.policies},
       {"stencil_policies", facts.stencil_policies}});
  return out;
}

}  // namespace dwell::app
