// SPDX-License-Identifier: MIT
#include "kernels/warmed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <thread>

#include "cli/file_options.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

#include "dwell/base/error.hpp"

namespace dwell::app {

file_cache usable_cache() {
  file_cache cache;
  if (cache.folder().empty()) throw input_error("kernels: no folder: " + cache.no_folder());
  return cache;
}

json document_of(const char* kind, const file_cache& cache) {
  json out = document(kind);
  out["folder"] = cache.folder().string();
  return out;
}

exit_code hand_over(const destination& to, const std::string& text, const json& document) {
  output_files outputs;
  outputs.add(to);
  if (to) to.write(json_text(document));
  if (!to.standard()) write_stdout(text);
  return exit_code::done;
}

columns<warmed_kernel> warmed_columns() {
  return {{"what", "kernel", unit::word, [](const auto& k) { return json(k.what); }},
          {"target", "for", unit::word, [](const auto& k) { return json(k.target); }},
          {"compile_s", "", unit::word, [](const auto& k) { return json(k.seconds); }, nullptr},
          {"", "compiled", unit::word, [](const auto& k) { return json(k.seconds); },
           [](const auto& k) {
             return k.seconds > 0 ? "in " + format_seconds(k.seconds) : "it was there";
           }}};
}

exit_code hand_over_warmed(const destination& to, const file_cache& cache, const std::string& what,
                           const json& fields, const std::vector<warmed_kernel>& all) {
  json document = document_of("kernels warm", cache);
  document.update(fields);
  document["kernels"] = array_of(warmed_columns(), all);
  return hand_over(to,
                   all.empty() ? fmt::format("{}: its kernels are in the library\n", what)
                               : table_of(warmed_columns(), all).text(),
                   document);
}

void require_kept(const std::string& why_not) {
  if (!why_not.empty()) throw input_error("kernels: not kept: " + why_not);
}

int capability_of(const std::string& target) {
  int capability = 0;
  const char* const end = target.data() + target.size() - (target.ends_with('a') ? 1 : 0);
  if (!target.starts_with("sm_") ||
      std::from_chars(target.data() + 3, end, capability).ptr != end || capability < 10)
    throw input_error(
        fmt::format("--arch: expected cpu, or an architecture such as sm_90, found '{}'", target));
  return capability;
}

void warm_kernels(std::span<const kernel_source> sources, int capability,
                  std::vector<warmed_kernel>& all) {
  const std::size_t most = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t first = 0; first < sources.size(); first += most) {
    const std::span some = sources.subspan(first, std::min(most, sources.size() - first));
    for (const auto& made : compile_kernels(some, {capability, 0}).codes) {
      require_kept(made->why_not_kept);
      all.push_back({made->origin.what, made->origin.target, made->seconds});
    }
  }
}

}  // namespace dwell::app
