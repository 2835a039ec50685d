// SPDX-License-Identifier: MIT
// A command is taken apart first and filled in then: a value never becomes two words.
#include "compare/peers/command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"

namespace dwell::app {

namespace {

constexpr std::string_view in_both[] = {"precision", "threads", "device"};

/// Calls take(name) for each {name}, and text(char) for what is between. Throws input_error.
template <class Take, class Text>
void each_placeholder(const std::string& word, Take&& take, Text&& text) {
  const auto refuse = [&](const char* found) {
    throw input_error(fmt::format(
        "--peer: expected {{name}}, or {{{{ and }}}} for braces, found '{}' with {}", word, found));
  };
  for (std::size_t at = 0; at < word.size(); ++at) {
    const char c = word[at];
    if ((c == '{' || c == '}') && at + 1 < word.size() && word[at + 1] == c) {
      text(c);
      ++at;
    } else if (c == '{') {
      const auto end = word.find('}', at);
      if (end == std::string::npos) refuse("a { that is not closed");
      take(word.substr(at + 1, end - at - 1));
      at = end;
    } else if (c == '}') {
      refuse("a } that nothing opened");
    } else {
      text(c);
    }
  }
}

[[noreturn]] void refuse_placeholder(const std::string& name,
                                     const std::vector<std::string>& known) {
  throw input_error(fmt::format(
      "--peer: expected one of {{{}}}, found {{{}}}{}", fmt::join(known, "}, {"), name,
      suggestion(nearest(name, std::vector<std::string_view>(known.begin(), known.end())))));
}

peer_command parse_peer(const std::string& text) {
  const auto equals = text.find('=');
  peer_command out;
  out.name = text.substr(0, equals);
  const bool is_name =
      !out.name.empty() && std::all_of(out.name.begin(), out.name.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '-' || c == '_' || c == '.';
      });
  if (equals == std::string::npos || !is_name)
    throw input_error(fmt::format(
        "--peer: expected NAME=COMMAND, a name of letters, digits, -, _ and ., found '{}'", text));
  out.words = split_words(text.substr(equals + 1));
  if (out.words.empty() || out.words.front().empty())
    throw input_error(fmt::format("--peer: expected a command behind '{}=', found none", out.name));
  return out;
}

}  // namespace

std::vector<std::string> split_words(const std::string& command) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;
  for (std::size_t at = 0; at < command.size(); ++at) {
    const char c = command[at];
    const bool last = at + 1 == command.size();
    if (quote) {
      if (c == quote)
        quote = 0;
      else if (c == '\\' && quote == '"' && !last &&
               (command[at + 1] == '"' || command[at + 1] == '\\'))
        *word += command[++at];
      else
        *word += c;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
    } else {
      if (!word) word.emplace();
      if (c == '"' || c == '\'')
        quote = c;
      else if (c == '\\' && !last)
        *word += command[++at];
      else
        *word += c;
    }
  }
  if (quote)
    throw input_error(
        fmt::format("--peer: expected a closing {}, found none in '{}'", quote, command));
  if (word) words.push_back(*word);
  return words;
}

std::string fill_in(const std::string& word, const std::map<std::string, std::string>& values) {
  std::string out;
  each_placeholder(
      word,
      [&](const std::string& name) {
        const auto found = values.find(name);
        if (found == values.end()) {
          std::vector<std::string> known;
          for (const auto& value : values) known.push_back(value.first);
          refuse_placeholder(name, known);
        }
        out += found->second;
      },
      [&](char c) { out += c; });
  return out;
}

bool peer_command::names(std::string_view placeholder) const {
  bool found = false;
  for (const auto& word : words)
    each_placeholder(
        word, [&](const std::string& name) { found = found || name == placeholder; }, [](char) {});
  return found;
}

std::vector<std::string> peer_placeholders(std::string_view problem) {
  std::vector<std::string> all;
  if (problem == "stencil")
    all = {"shape",       "size",         "width",       "height", "depth",
           "inner_width", "inner_height", "inner_depth", "steps"};
  else if (problem == "convolve")
    all = {"shape", "taps", "size", "width", "height", "depth", "images", "border"};
  else
    all = {"matrix", "rhs", "matrix_ij", "rhs_ij", "rows", "rtol", "iterations"};
  all.insert(all.end(), std::begin(in_both), std::end(in_both));
  return all;
}

std::vector<peer_command> read_peers(const peer_options& options, std::string_view problem) {
  std::vector<peer_command> all;
  const auto known = peer_placeholders(problem);
  for (const auto& text : options.commands) {
    auto peer = parse_peer(text);
    if (std::any_of(all.begin(), all.end(), [&](const auto& p) { return p.name == peer.name; }))
      throw input_error(
          fmt::format("--peer: expected each name once, found '{}' twice", peer.name));
    for (const auto& word : peer.words)
      each_placeholder(
          word,
          [&](const std::string& name) {
            if (std::find(known.begin(), known.end(), name) == known.end())
              refuse_placeholder(name, known);
          },
          [](char) {});
    all.push_back(std::move(peer));
  }
  const auto rules = options.rules.size();
  if (rules > 1 && rules != all.size())
    throw input_error(fmt::format(
        "--peer-rules: expected one for all of --peer, or one for each, found {} and {} peers",
        rules, all.size()));
  if (rules > 0 && all.empty()) throw input_error("--peer-rules: expected --peer with it");
  for (std::size_t k = 0; k < all.size(); ++k) {
    auto& peer = all[k];
    if (rules > 0) {
      peer.rule = read_peer_rule(options.rules[rules == 1 ? 0 : k]);
      continue;
    }
    const auto shipped = shipped_rules();
    if (std::ranges::find(shipped, peer.name, &shipped_rule::name) == shipped.end())
      throw input_error(
          fmt::format("--peer: expected --peer-rules for '{}', or the name of one that is there "
                      "({}), found none",
                      peer.name, shipped_rule_names()));
    peer.rule = read_peer_rule(peer.name);
  }
  return all;
}

}  // namespace dwell::app
