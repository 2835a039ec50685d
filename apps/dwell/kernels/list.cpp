// SPDX-License-Identifier: MIT
// dwell kernels list and clear: what is kept, and what kernels were found to be on GPUs.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/output.hpp"
#include "kernels/warmed.hpp"
#include "report/columns.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

#include "dwell/base/file_cache.hpp"
#include "dwell/execution/device/kernel_facts.hpp"

namespace dwell::app {
namespace {

std::uintmax_t bytes_of(const std::vector<cache_entry>& entries) {
  std::uintmax_t sum = 0;
  for (const cache_entry& e : entries) sum += e.bytes;
  return sum;
}

double seconds_since(const cache_entry& e) {
  const auto age = std::filesystem::file_time_type::clock::now() - e.used;
  return std::max(0.0, std::chrono::duration<double>(age).count());
}

/// A file, and what is kept of its kernel on a device where it was loaded.
struct listed_kernel : cache_entry {
  std::optional<kept_kernel_facts> found;
};

/// Facts of other places than the one used last are not listed.
std::vector<listed_kernel> listed(const file_cache& cache,
                                  const std::vector<cache_entry>& entries) {
  std::vector<listed_kernel> all;
  std::map<std::string, kept_kernel_facts> facts;
  for (const cache_entry& e : entries) {
    if (auto found = facts_in(cache, e))
      facts.emplace(found->key, std::move(*found));
    else
      all.push_back({e, {}});
  }
  for (listed_kernel& one : all)
    if (const auto at = facts.find(one.file.stem()); at != facts.end()) one.found = at->second;
  return all;
}

columns<listed_kernel> entry_columns() {
  const auto words = [](const std::string& text) { return text.empty() ? "damaged" : text; };
  const auto fact = [](auto&& value) {
    return [value](const listed_kernel& e) { return e.found ? json(value(*e.found)) : json(); };
  };
  return {
      {"what", "kernel", unit::word, [](const auto& e) { return text_or_null(e.origin.what); },
       [words](const auto& e) { return words(e.origin.what); }},
      {"target", "for", unit::word, [](const auto& e) { return text_or_null(e.origin.target); }},
      {"bytes", "size", unit::bytes, [](const auto& e) { return json(e.bytes); }},
      {"registers", "registers", unit::count,
       fact([](const auto& f) { return f.facts.registers; })},
      {"spill_bytes", "spilled", unit::bytes,
       fact([](const auto& f) { return f.facts.spill_bytes; })},
      {"shared_bytes", "shared", unit::bytes,
       fact([](const auto& f) { return f.facts.shared_bytes + f.place.scratch; })},
      {"blocks_per_multiprocessor", "blocks", unit::count,
       fact([](const auto& f) { return f.facts.teams_per_unit; })},
      {"device", "on", unit::word, fact([](const auto& f) { return f.place.device; })},
      {"unused_s", "used", unit::number, [](const auto& e) { return json(seconds_since(e)); },
       [](const auto& e) { return format_seconds(seconds_since(e)) + " ago"; }},
      {"file", "", unit::word, [](const auto& e) { return json(e.file.filename().string()); }}};
}

}  // namespace

exit_code list_kernels(const destination& json_target) {
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
  const std::vector<listed_kernel> kernels = listed(cache, entries);
  if (!kernels.empty()) text += '\n' + table_of(entry_columns(), kernels).text();
  json all = document_of("kernels list", cache);
  all["bytes"] = bytes;
  all["limit_bytes"] = cache.limit();
  all["kernels"] = array_of(entry_columns(), kernels);
  return hand_over(json_target, text, all);
}

exit_code clear_kernels(const destination& json_target) {
  const file_cache cache = usable_cache();
  const std::uintmax_t before = bytes_of(cache.entries());
  const int removed = cache.clear();
  const std::uintmax_t after = bytes_of(cache.entries()), freed = before - std::min(after, before);
  json all = document_of("kernels clear", cache);
  all["removed"] = removed;
  all["bytes"] = freed;
  return hand_over(
      json_target,
      fmt::format("{}: {} removed, {}\n", cache.folder().string(), format_plural(removed, "file"),
                  format_bytes(static_cast<double>(freed))),
      all);
}

}  // namespace dwell::app
