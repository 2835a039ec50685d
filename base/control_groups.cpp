// SPDX-License-Identifier: MIT
// Reads the files of control groups, from the process's own group upwards.
#include "dwell/base/control_groups.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <vector>

namespace dwell {
namespace {

/// The first word, which goes from the front of `text`.
std::string_view next_word(std::string_view& text) {
  constexpr std::string_view gaps = " \t\n";
  const auto begin = std::min(text.find_first_not_of(gaps), text.size());
  const auto end = std::min(text.find_first_of(gaps, begin), text.size());
  const auto word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

/// Nothing if it is not a positive whole number.
std::optional<double> positive(std::string_view word) {
  long long v = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), v);
  if (failed != std::errc() || end != word.data() + word.size() || v <= 0) return {};
  return static_cast<double>(v);
}

std::optional<double> ratio(std::string_view quota, std::string_view period) {
  const auto q = positive(quota), p = positive(period);
  if (!q || !p) return {};
  return *q / *p;
}

void lower(std::optional<double>& least, std::optional<double> other) {
  if (other && (!least || *other < *least)) least = other;
}

/// quota(folder) of group `path` and of all above it, up to the mount point.
template <class F>
void lower_upwards(std::optional<double>& least, const std::string& mount, std::string_view path,
                   F&& quota) {
  while (true) {
    while (path.ends_with('/')) path.remove_suffix(1);
    lower(least, quota(mount + std::string(path)));
    if (path.empty()) return;
    const auto slash = path.rfind('/');
    path = path.substr(0, slash == path.npos ? 0 : slash);
  }
}

bool lists(std::string_view controllers, std::string_view name) {
  while (!controllers.empty()) {
    const auto end = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, end) == name) return true;
    controllers.remove_prefix(std::min(end + 1, controllers.size()));
  }
  return false;
}

/// The least of what these say of the folders of all groups around the process: unified(folder) of
/// version 2, legacy(folder) of the controller `name` of version 1.
template <class Unified, class Legacy>
std::optional<double> least_of_groups(std::string_view membership, const std::string& name,
                                      Unified&& unified, Legacy&& legacy) {
  const std::string root = "/sys/fs/cgroup";
  // Lines are "number:controllers:path"; version 2 has number 0 and no controllers.
  std::optional<double> least;
  while (!membership.empty()) {
    const auto end = std::min(membership.find('\n'), membership.size());
    std::string_view line = membership.substr(0, end);
    membership.remove_prefix(std::min(end + 1, membership.size()));
    const auto first = line.find(':');
    const auto second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const auto path = line.substr(second + 1);
    if (controllers.empty()) {
      lower_upwards(least, root, path, unified);
      lower_upwards(least, root + "/unified", path, unified);
    } else if (lists(controllers, name)) {
      lower_upwards(least, root + "/" + name, path, legacy);
      if (controllers != name)
        lower_upwards(least, root + "/" + std::string(controllers), path, legacy);
    }
  }
  return least;
}

/// The number behind a word of a file of lines "word number"; 0 if it is not there.
double number_after(std::string_view text, std::string_view wanted) {
  while (!text.empty()) {
    const auto word = next_word(text);
    const auto number = next_word(text);
    if (word == wanted) return positive(number).value_or(0.0);
  }
  return 0.0;
}

std::optional<std::string> content(const std::string& path) {
  std::ifstream in(path);
  if (!in) return {};
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

std::optional<double> quota_of_cpu_max(std::string_view text) {
  const auto quota = next_word(text), period = next_word(text);
  return ratio(quota, period);
}

std::optional<double> quota_of_cfs(std::string_view quota_us, std::string_view period_us) {
  return ratio(next_word(quota_us), next_word(period_us));
}

std::optional<double> least_quota(std::string_view membership, const file_reader& read) {
  return least_of_groups(
      membership, "cpu",
      [&](const std::string& folder) -> std::optional<double> {
        const auto text = read(folder + "/cpu.max");
        return text ? quota_of_cpu_max(*text) : std::nullopt;
      },
      [&](const std::string& folder) -> std::optional<double> {
        const auto quota = read(folder + "/cpu.cfs_quota_us");
        const auto period = quota ? read(folder + "/cpu.cfs_period_us") : std::nullopt;
        return period ? quota_of_cfs(*quota, *period) : std::nullopt;
      });
}

std::optional<double> least_memory_left(std::string_view membership, const file_reader& read) {
  const auto left = [&](const std::string& limit_file, const std::string& usage_file,
                        const std::string& stat_file,
                        std::string_view inactive) -> std::optional<double> {
    const auto limit_text = read(limit_file);
    if (!limit_text) return {};
    std::string_view word = *limit_text;
    const auto limit = positive(next_word(word));  // "max" is none, of version 1 a huge number
    if (!limit || *limit >= 0x1p62) return {};
    const auto usage_text = read(usage_file);
    std::string_view used = usage_text ? *usage_text : std::string_view();
    const double usage = positive(next_word(used)).value_or(0.0);
    const auto stat = read(stat_file);
    const double files = stat ? number_after(*stat, inactive) : 0.0;
    return std::max(1.0, *limit - std::max(0.0, usage - files));
  };
  return least_of_groups(
      membership, "memory",
      [&](const std::string& folder) {
        return left(folder + "/memory.max", folder + "/memory.current", folder + "/memory.stat",
                    "inactive_file");
      },
      [&](const std::string& folder) {
        return left(folder + "/memory.limit_in_bytes", folder + "/memory.usage_in_bytes",
                    folder + "/memory.stat", "total_inactive_file");
      });
}

int threads_within(int cpus, std::optional<double> quota) {
  if (!quota || *quota >= cpus) return std::max(1, cpus);
  return std::max(1, static_cast<int>(*quota));
}

std::optional<double> cpu_quota() {
  static const std::optional<double> found =
      least_quota(content("/proc/self/cgroup").value_or(""), content);
  return found;
}

std::optional<double> group_memory_left() {
  return least_memory_left(content("/proc/self/cgroup").value_or(""), content);
}

}  // namespace dwell
