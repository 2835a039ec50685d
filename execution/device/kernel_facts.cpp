// SPDX-License-Identifier: MIT
// A file of facts is a line of numbers and one with the device's name. Its own name is the kernel's
// key and a hash of the place.
#include "dwell/execution/device/kernel_facts.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "dwell/base/cache_files.hpp"
#include "dwell/base/error.hpp"
#include "dwell/base/sha256.hpp"
#include "dwell/execution/device/kernel_store.hpp"

namespace dwell {
namespace {

constexpr std::string_view suffix = ".facts";
constexpr std::size_t key_length = 64;

std::string name_of(const std::string& key, const kernel_place& place) {
  sha256_hash all;
  all.add_part(place.device).add_part(fmt::format("{} {}", place.lanes, place.scratch));
  return key + '.' + hexadecimal(all.digest()).substr(0, 16) + std::string(suffix);
}

std::string text_of(const kernel_place& place, const kernel_facts& f) {
  return fmt::format("1 {} {} {} {} {} {}\n{}\n", place.lanes, place.scratch, f.registers,
                     f.spill_bytes, f.shared_bytes, f.teams_per_unit, place.device);
}

std::optional<kept_kernel_facts> facts_of_text(const std::string& text) {
  kept_kernel_facts f;
  int version = 0, end = 0;
  if (std::sscanf(text.c_str(), "%d %d %zu %d %d %zu %d%n", &version, &f.place.lanes,
                  &f.place.scratch, &f.facts.registers, &f.facts.spill_bytes, &f.facts.shared_bytes,
                  &f.facts.teams_per_unit, &end) != 7 ||
      version != 1 || f.facts.registers < 1 || f.facts.teams_per_unit < 0)
    return std::nullopt;
  const auto at = static_cast<std::size_t>(end);
  if (at + 2 > text.size() || text[at] != '\n' || text.back() != '\n') return std::nullopt;
  f.place.device = text.substr(at + 1, text.size() - at - 2);
  return f;
}

}  // namespace

std::optional<kernel_facts> kept_facts(const kernel_source& source, const kernel_target& target,
                                       const kernel_place& place) {
  const file_cache cache;
  if (cache.folder().empty()) return std::nullopt;
  std::string key;
  try {
    key = key_of(source, target);
  } catch (const unsupported_error&) {
    return std::nullopt;
  }
  const auto text = find_in(cache, name_of(key, place));
  if (!text) return std::nullopt;
  const auto kept = facts_of_text(*text);
  return kept ? std::optional(kept->facts) : std::nullopt;
}

void keep_facts(const compiled_kernel& code, const kernel_place& place, const kernel_facts& facts) {
  const file_cache cache;
  if (cache.folder().empty()) return;
  const std::string text = text_of(place, facts), name = name_of(code.key, place);
  if (find_in(cache, name) == text) return;
  put_in(cache, name, {code.origin.what, place.device}, text);
}

std::optional<kept_kernel_facts> facts_in(const file_cache& cache, const cache_entry& entry) {
  const std::string name = entry.file.filename();
  if (!name.ends_with(suffix)) return std::nullopt;
  const auto text = find_in(cache, name, false);
  if (!text) return std::nullopt;
  auto kept = facts_of_text(*text);
  if (kept) kept->key = name.substr(0, key_length);
  return kept;
}

std::vector<kept_kernel_facts> facts_of_key(const std::string& key) {
  std::vector<kept_kernel_facts> all;
  const file_cache cache;
  std::error_code failed;
  if (cache.folder().empty()) return all;
  for (const auto& file : std::filesystem::directory_iterator(cache.folder(), failed)) {
    const std::string name = file.path().filename();
    if (!name.starts_with(key)) continue;
    if (auto one = facts_in(cache, {file.path(), 0, {}, {}})) all.push_back(std::move(*one));
  }
  return all;
}

}  // namespace dwell
