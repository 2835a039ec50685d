// SPDX-License-Identifier: MIT
// Suggestions for words that are not known: the known ones from which one is at most a few slips
// away. All messages about a word of a list have theirs from here.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dwell {

/// The known words that are the fewest slips away from `word`: a letter too many, missing, other,
/// or two that changed places; upper and lower case are the same. Up to one slip for every three
/// letters, at least one, at most three; a single letter resembles nothing. Where there are none,
/// those that begin or end with `word`, if that has three letters or more. At most three, in their
/// order.
std::vector<std::string> nearest(std::string_view word, std::span<const std::string_view> known);

/// "a, b or c".
std::string or_list(std::span<const std::string> words);

/// "; did you mean 'a', 'b' or 'c'?", or nothing.
std::string suggestion(std::vector<std::string> words);

/// For the end of a message, "expected ..., found ": the word in quotes and what was perhaps meant.
/// `known` is a range of anything that becomes a string_view.
template <class Range>
std::string found_word(std::string_view word, const Range& known) {
  const std::vector<std::string_view> words(std::begin(known), std::end(known));
  std::string found = "'";
  found += word;
  found += '\'';
  return found + suggestion(nearest(word, words));
}

}  // namespace dwell
