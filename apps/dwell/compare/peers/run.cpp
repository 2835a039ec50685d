// SPDX-License-Identifier: MIT
// From a command to a figure, and from a figure to a time.
#include "compare/peers/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "compare/peers/child_process.hpp"
#include "compare/peers/number.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/printable.hpp"

namespace dwell::app {

namespace {

/// The GPU of this ordinal, as its only one. What is visible to us is what it counts.
std::string visible_gpu(int ordinal) {
  const char* ours = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!ours || !*ours) return std::to_string(ordinal);
  std::string rest = ours;
  for (int k = 0; k < ordinal; ++k) {
    const auto comma = rest.find(',');
    if (comma == std::string::npos) return std::to_string(ordinal);
    rest.erase(0, comma + 1);
  }
  return rest.substr(0, rest.find(','));
}

/// The last line of a text that says something, cut short.
std::string last_words(const std::string& text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const auto begin = text.find_last_of("\r\n", end);
  return printable(text.substr(begin + 1, std::min<std::size_t>(end - begin, 200)));
}

/// Words as a shell would take them: quotes around what has blanks.
std::string shell_text(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) {
    const bool plain =
        !word.empty() && word.find_first_of(" \t\n'\"\\$`*?;&|<>(){}[]#~!") == std::string::npos;
    std::string quoted = word;
    for (std::size_t at = 0; (at = quoted.find('\'', at)) != std::string::npos; at += 4)
      quoted.replace(at, 1, "'\\''");
    text += (text.empty() ? "" : " ") + (plain ? word : "'" + quoted + "'");
  }
  return printable(text);
}

/// Why a run gave no figure. Throws device_error.
[[noreturn]] void lose(const std::string& why) { throw device_error(why); }

/// The number where the rule finds one.
double number_of_peer(const printed_value& what, const char* which, const child_outcome& said) {
  const auto text = find_printed(what, said.out, said.err);
  if (!text) {
    const auto words = last_words(said.err.empty() ? said.out : said.err);
    lose(fmt::format("expected a line with '{}' for {}, found {}", what.pattern, which,
                     words.empty() ? "no output" : "none; the last one is: " + words));
  }
  const auto number = printed_number(*text);
  if (!number) lose(fmt::format("expected a number for {}, found '{}'", which, printable(*text)));
  return *number;
}

void require_ended_well(const child_outcome& said, const child_limits& limits) {
  if (said.too_long) lose(fmt::format("took more than the {} s of its rule", limits.seconds));
  if (said.too_large) lose(fmt::format("wrote more than {} MiB", limits.bytes >> 20));
  if (said.code == 0) return;
  const auto words = last_words(said.err.empty() ? said.out : said.err);
  const auto how = said.code < 0 ? fmt::format("was ended by signal {}", -said.code)
                                 : fmt::format("ended with {}", said.code);
  lose(words.empty() ? how : how + ": " + words);
}

}  // namespace

void add_field_values(peer_problem& p, int radius) {
  const extents& s = p.size;
  p.values["size"] = to_string(s);
  p.values["width"] = std::to_string(s.x);
  p.values["height"] = std::to_string(s.y);
  p.values["depth"] = std::to_string(s.z);
  if (p.problem != "stencil") return;
  const auto inner = [&](int side) { return std::to_string(std::max(0, side - 2 * radius)); };
  p.values["inner_width"] = inner(s.x);
  p.values["inner_height"] = inner(s.y);
  p.values["inner_depth"] = s.dims == 3 ? inner(s.z) : "1";
}

peer_runs::peer_runs(const std::vector<peer_command>& peers, peer_problem problem,
                     const device& where, const repetition& runs, std::size_t ours)
    : peers_(peers),
      problem_(std::move(problem)),
      where_(where),
      runs_(runs),
      ours_(std::max<std::size_t>(1, ours)) {
  problem_.values["precision"] = problem_.precision;
  problem_.values["threads"] = std::to_string(where.threads());
  problem_.values["device"] = "0";
  for (const auto& peer : peers_) {
    peer_row row;
    row.run = measured_run(peer.name, "", "");
    row.run.peer = true;
    if (const auto why = obstacle(peer); !why.empty()) {
      row.run.outcome = measured_run::state::unsupported;
      row.run.why = why;
    }
    rows_.push_back(std::move(row));
  }
}

std::string peer_runs::obstacle(const peer_command& peer) const {
  const auto& rule = peer.rule;
  const auto lacks = [](const std::vector<std::string>& some, const std::string& one) {
    return !some.empty() && std::find(some.begin(), some.end(), one) == some.end();
  };
  if (lacks(rule.problems, problem_.problem))
    return fmt::format("by its rule it is for {}, not for {}", fmt::join(rule.problems, ", "),
                       problem_.problem);
  if (lacks(rule.precisions, problem_.precision))
    return fmt::format("by its rule it knows {}, not {}", fmt::join(rule.precisions, ", "),
                       problem_.precision);
  const bool on_gpu = where_.on() == backend::cuda;
  if (rule.runs_on == peer_rule::place::gpu && !on_gpu) return "by its rule it runs on GPUs only";
  if (rule.runs_on == peer_rule::place::cpu && on_gpu) return "by its rule it runs on CPUs only";
  if (!problem_.shape.empty() && !rule.shapes.empty() && !rule.shapes.contains(problem_.shape))
    return fmt::format("by its rule it has no {}", problem_.shape);
  const extents& s = problem_.size;
  if (rule.square && (s.x != s.y || (s.dims == 3 && s.z != s.x)))
    return fmt::format("by its rule all sides must be equal, found {}", to_string(s));
  if (rule.unit.rate && problem_.cells == 0)
    return fmt::format("by its rule its figure is in {}, and a system has no cells",
                       rule.unit.name);
  if (problem_.rtol > 0 && !rule.iterations)
    return "its rule has no [iterations], which a tolerance needs";
  return {};
}

void peer_runs::run_once(std::size_t k) {
  const peer_command& peer = peers_[k];
  const peer_rule& rule = peer.rule;
  peer_row& row = rows_[k];
  auto values = problem_.values;
  if (!problem_.shape.empty()) {
    const auto theirs = rule.shapes.find(problem_.shape);
    values["shape"] = theirs == rule.shapes.end() ? problem_.shape : theirs->second;
  }
  std::vector<std::string> words;
  for (const auto& word : peer.words) words.push_back(fill_in(word, values));
  child_limits limits;
  limits.seconds = rule.limit_s;
  if (where_.on() == backend::cuda)
    limits.environment = {{"CUDA_VISIBLE_DEVICES", visible_gpu(where_.ordinal())}};
  else
    limits.environment = {{"OMP_NUM_THREADS", std::to_string(where_.threads())}};
  auto& said_by = row.run.said;
  said_by.command = shell_text(words);
  const auto said = run_command(words, limits, *runs_.interrupt);
  if (*runs_.interrupt) return;
  require_ended_well(said, limits);

  const double figure = number_of_peer(rule.figure, "its figure", said);
  if (!(figure > 0)) lose(fmt::format("expected a figure above 0, found {}", figure));
  peer_result result;
  result.iterations = problem_.count;
  if (rule.iterations) {
    const double made = number_of_peer(*rule.iterations, "its iterations", said);
    if (!(made >= 1 && made <= 1e9 && made == std::floor(made)))
      lose(fmt::format("expected a number of iterations from 1 on, found {}", made));
    result.iterations = static_cast<int>(made);
  }
  if (rule.residual) result.residual = number_of_peer(*rule.residual, "its residual", said);
  if (rule.setup)
    result.setup_us = number_of_peer(*rule.setup, "its set-up", said) * rule.unit.scale;
  said_by.figure = figure;
  said_by.unit = rule.unit.name;
  said_by.residual = result.residual;
  const bool whole = problem_.problem == "solve";
  if (rule.unit.rate) {
    said_by.cells = rule.all_cells ? problem_.cells : problem_.changing;
    result.us = said_by.cells / (figure * rule.unit.scale) * 1e6;
  } else {
    result.us = figure * rule.unit.scale;
    if (whole && rule.of_one) result.us *= result.iterations;
    if (!whole && !rule.of_one) result.us /= result.iterations;
  }
  auto& how = row.run.how;
  how.backend = to_string(where_.on());
  how.device = where_.facts().name;
  if (rule.device)
    if (const auto name = find_printed(*rule.device, said.out, said.err))
      how.device = printable(*name);
  how.reason = rule.title.empty() ? peer.name : rule.title;
  if (rounds_ > 0) row.results.push_back(result);
}

void peer_runs::run_round() {
  for (std::size_t k = 0; k < peers_.size() && !*runs_.interrupt; ++k) {
    auto& run = rows_[k].run;
    if (!run.measured()) continue;
    runs_.say(fmt::format("{}, run {} of {}", peers_[k].name, rounds_ + 1, runs_.count + 1));
    const auto fails = [&](const std::string& why) {
      run.outcome = measured_run::state::failed;
      run.why = why;
      rows_[k].results.clear();
    };
    try {
      run_once(k);
    } catch (const device_error& e) {
      fails(e.what());
    } catch (const std::system_error& e) {
      fails(printable(e.what()));
    }
  }
  ++rounds_;
}

void peer_runs::between() {
  ++made_;
  const auto rounds = static_cast<std::size_t>(runs_.count) + 1;
  while (!*runs_.interrupt && rounds_ < runs_.count + 1 &&
         static_cast<std::size_t>(rounds_) * ours_ < made_ * rounds)
    run_round();
}

std::optional<std::vector<peer_row>> peer_runs::finish() {
  while (!*runs_.interrupt && rounds_ < runs_.count + 1) run_round();
  if (*runs_.interrupt) return std::nullopt;
  for (auto& row : rows_) {
    for (const auto& result : row.results) row.run.us.push_back(result.us);
    std::sort(row.run.us.begin(), row.run.us.end());
  }
  return rows_;
}

repetition with_peers(const repetition& runs, peer_runs& peers) {
  repetition out = runs;
  out.between = [&peers] { peers.between(); };
  return out;
}

}  // namespace dwell::app
