// SPDX-License-Identifier: MIT
// The distance is that of optimal string alignment (Damerau, "A technique for computer detection
// and correction of spelling errors", 1964): three rows of the table, given up above the bound.
#include "dwell/base/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace dwell {
namespace {

constexpr std::size_t most_suggestions = 3, longest_word = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view s) {
  std::string out;
  for (const char c : s) out += lower(c);
  return out;
}

/// Slips between a and b; bound + 1 if they are more than bound.
std::size_t slips(std::string_view a, std::string_view b, std::size_t bound) {
  if ((a.size() > b.size() ? a.size() - b.size() : b.size() - a.size()) > bound) return bound + 1;
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return std::min(last[b.size()], bound + 1);
}

}  // namespace

std::vector<std::string> nearest(std::string_view word, std::span<const std::string_view> known) {
  std::vector<std::string> out;
  if (word.size() < 2 || word.size() > longest_word) return out;
  const std::string wanted = lower(word);
  std::size_t best = std::clamp<std::size_t>(wanted.size() / 3, 1, 3);
  for (const auto& k : known) {
    const std::size_t n = slips(wanted, lower(k), best);
    if (n > best) continue;
    if (n < best) out.clear(), best = n;
    if (out.size() < most_suggestions) out.emplace_back(k);
  }
  if (!out.empty() || wanted.size() < 3) return out;
  for (const auto& k : known) {
    const std::string whole = lower(k);
    if ((whole.starts_with(wanted) || whole.ends_with(wanted)) && out.size() < most_suggestions)
      out.emplace_back(k);
  }
  return out;
}

std::string or_list(std::span<const std::string> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
  return out;
}

std::string suggestion(std::vector<std::string> words) {
  if (words.empty()) return {};
  for (std::string& word : words) word = "'" + word + "'";
  return "; did you mean " + or_list(words) + "?";
}

}  // namespace dwell
