// SPDX-License-Identifier: MIT
// Tables are meant to be pasted into a paper: a caption, one table per matrix, and what the columns
// mean below.
#include "comparison.hpp"

#include <fmt/format.h>

#include "columns.hpp"
#include "units.hpp"

namespace dwell::app {

namespace {

using state = compared_run::state;

const compared_run* baseline(const compared_matrix& m) {
  return m.runs.empty() || m.runs[0].median_us() <= 0 ? nullptr : &m.runs[0];
}

double bandwidth(const compared_matrix& m, const compared_run& r) {
  const double us = r.median_us();
  return us > 0 ? static_cast<double>(m.bytes_per_iteration) / us * 1e6 : 0;
}

double of_floor(const compared_run& r) {
  const double us = r.median_us();
  return us > 0 ? r.floor_us / us : 0;
}

const char* word(state s) {
  return s == state::measured ? "measured" : s == state::unsupported ? "unsupported" : "failed";
}

/// Three significant digits at least.
std::string number(double v) {
  return fmt::format("{:.{}f}", v, v < 9.995 ? 2 : v < 99.95 ? 1 : 0);
}
std::string number_or_dash(double v) { return v > 0 ? number(v) : "-"; }

std::string label(const compared_run& r) {
  return r.policy.empty() ? r.executor : r.executor + " " + r.policy;
}

std::string policy_cell(const compared_run& r) {
  if (r.policy.empty()) return "-";
  return r.plan_policy.empty() || r.plan_policy == r.policy
             ? r.policy
             : fmt::format("{} ({})", r.policy, r.plan_policy);
}

columns table_of(const comparison& c, const compared_matrix& m) {
  columns out;
  out.word("executor"), out.word("policy");
  out.number("us/iteration"), out.number("min..max");
  if (!c.fixed) out.number("solve ms");
  out.number("speed-up"), out.number("GB/s"), out.number("of floor");
  out.number("iterations"), out.word("stopped"), out.number("true residual");
  for (const auto& r : m.runs) {
    std::vector<std::string> cells = {r.executor, policy_cell(r)};
    if (r.outcome != state::measured) {
      cells.push_back(word(r.outcome));
      cells.insert(cells.end(), c.fixed ? 7 : 8, "-");
    } else {
      cells.push_back(number(r.median_us()));
      cells.push_back(number(r.us.front()) + ".." + number(r.us.back()));
      if (!c.fixed) cells.push_back(number(r.solve_us() * 1e-3));
      const double floor = of_floor(r);
      cells.insert(cells.end(),
                   {number_or_dash(speed_up(c, m, r)), number_or_dash(bandwidth(m, r) * 1e-9),
                    floor > 0 ? fmt::format("{:.0f} %", 100 * floor) : "-",
                    format_count(r.iterations), r.stopped, format_residual(r.residual)});
    }
    out.row(cells);
  }
  return out;
}

std::string caption(const comparison& c) {
  const auto length = c.fixed ? format_plural(c.iterations, "iteration") + " each"
                              : fmt::format("until the relative residual is {} or after {}", c.rtol,
                                            format_plural(c.iterations, "iteration"));
  return fmt::format("Conjugate gradients on {} ({}), {}:\n{}, preconditioner {}, b = {}, x0 = 0.",
                     c.device, c.backend, length, c.precision, c.preconditioner, c.rhs);
}

std::string heading(const compared_matrix& m) {
  return fmt::format("{}: {} rows, {} nonzeros", m.name, format_count(m.rows),
                     format_count(m.nonzeros));
}

/// Why rows are empty, and what peers are.
std::vector<std::string> remarks(const compared_matrix& m) {
  std::vector<std::string> out;
  for (const auto& r : m.runs) {
    if (r.outcome != state::measured)
      out.push_back(fmt::format("{}: {}: {}", label(r), word(r.outcome), r.why));
    else if (r.peer)
      out.push_back(fmt::format("{}: {}; {}", r.executor, r.detail, r.device));
  }
  return out;
}

std::vector<std::string> legend(const comparison& c) {
  return {fmt::format("us/iteration: median of {}, after one that is not counted, without set-up.",
                      format_plural(c.repetitions, "run")),
          fmt::format("speed-up: over host-loop on the same device, {}.",
                      c.fixed ? "per iteration" : "in time to solution"),
          "GB/s: the bytes of an iteration with nothing cached (the same for all), over its time.",
          "of floor: time of the bytes that the plan leaves to move, at the rates of where they "
          "are, and",
          "of its barriers, over the measured time; - where there is no model.",
          "Measured by dwell " DWELL_VERSION "."};
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string inside;
  for (const char ch : text) inside.append(ch == '"' ? 2 : 1, ch);
  return fmt::format("\"{}\"", inside);
}

std::string csv_number(double v) { return v > 0 ? fmt::format("{}", v) : ""; }

json number_or_null(double v) { return v > 0 ? json(v) : json(nullptr); }
json text_or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json to_json(const comparison& c, const compared_matrix& m, const compared_run& r) {
  const bool measured = r.outcome == state::measured;
  const auto if_measured = [&](const json& value) { return measured ? value : json(nullptr); };
  return {{"executor", r.executor},
          {"policy", text_or_null(r.policy)},
          {"plan_policy", text_or_null(r.plan_policy)},
          {"peer", r.peer},
          {"device", text_or_null(r.device)},
          {"detail", text_or_null(r.detail)},
          {"outcome", word(r.outcome)},
          {"why", text_or_null(r.why)},
          {"per_iteration_us", if_measured({{"median", r.median_us()},
                                            {"min", measured ? r.us.front() : 0},
                                            {"max", measured ? r.us.back() : 0},
                                            {"all", r.us}})},
          {"solve_us", if_measured(r.solve_us())},
          {"speed_up", number_or_null(speed_up(c, m, r))},
          {"bandwidth_bytes_per_s", number_or_null(bandwidth(m, r))},
          {"floor_us", number_or_null(r.floor_us)},
          {"fraction_of_floor", number_or_null(of_floor(r))},
          {"iterations", if_measured(r.iterations)},
          {"stop_reason", if_measured(r.stopped)},
          {"residual_relative_true", if_measured(r.residual)}};
}

}  // namespace

double compared_run::median_us() const {
  if (us.empty()) return 0;
  const std::size_t half = us.size() / 2;
  return us.size() % 2 ? us[half] : 0.5 * (us[half - 1] + us[half]);
}

double speed_up(const comparison& c, const compared_matrix& m, const compared_run& run) {
  const auto* base = baseline(m);
  if (!base || run.median_us() <= 0) return 0;
  return c.fixed ? base->median_us() / run.median_us() : base->solve_us() / run.solve_us();
}

std::string to_text(const comparison& c) {
  std::string out = caption(c) + "\n\n";
  for (const auto& m : c.matrices) {
    if (!m.refusal.empty()) {
      out += fmt::format("{}: refused: {}\n\n", m.name, m.refusal);
      continue;
    }
    out += fmt::format("{}\n{}", heading(m), table_of(c, m).text());
    for (const auto& line : remarks(m)) out += fmt::format("  {}\n", line);
    out += "\n";
  }
  for (const auto& line : legend(c)) out += line + "\n";
  return out;
}

std::string to_markdown(const comparison& c) {
  std::string out = caption(c) + "\n\n";
  for (const auto& m : c.matrices) {
    if (!m.refusal.empty()) {
      out += fmt::format("**{}**: refused: {}\n\n", m.name, m.refusal);
      continue;
    }
    out += fmt::format("**{}**\n\n{}\n", heading(m), table_of(c, m).markdown());
    for (const auto& line : remarks(m)) out += fmt::format("* {}\n", line);
    if (!remarks(m).empty()) out += "\n";
  }
  for (const auto& line : legend(c)) out += line + "\n";
  return out;
}

std::string to_csv(const comparison& c) {
  std::string out =
      "matrix,rows,nonzeros,device,executor,policy,plan_policy,outcome,median_us,min_us,max_us,"
      "solve_us,speed_up,bandwidth_bytes_per_s,floor_us,fraction_of_floor,iterations,stop_reason,"
      "residual_relative_true,remark\n";
  for (const auto& m : c.matrices) {
    if (!m.refusal.empty())
      out += fmt::format("{},,,,,,,refused,,,,,,,,,,,,{}\n", quoted(m.name), quoted(m.refusal));
    for (const auto& r : m.runs) {
      const bool measured = r.outcome == state::measured;
      out += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", quoted(m.name), m.rows,
          m.nonzeros, quoted(r.device), r.executor, r.policy, r.plan_policy, word(r.outcome),
          csv_number(r.median_us()), measured ? csv_number(r.us.front()) : "",
          measured ? csv_number(r.us.back()) : "", csv_number(r.solve_us()),
          csv_number(speed_up(c, m, r)), csv_number(bandwidth(m, r)), csv_number(r.floor_us),
          csv_number(of_floor(r)), measured ? std::to_string(r.iterations) : "", r.stopped,
          measured ? fmt::format("{}", r.residual) : "", quoted(measured ? r.detail : r.why));
    }
  }
  return out;
}

json to_json(const comparison& c) {
  json matrices = json::array();
  for (const auto& m : c.matrices) {
    json runs = json::array();
    for (const auto& r : m.runs) runs.push_back(to_json(c, m, r));
    matrices.push_back({{"name", m.name},
                        {"rows", m.rows},
                        {"nonzeros", m.nonzeros},
                        {"refusal", text_or_null(m.refusal)},
                        {"bytes_per_iteration", m.bytes_per_iteration},
                        {"runs", runs}});
  }
  return {{"version", DWELL_VERSION},
          {"device", {{"name", c.device}, {"backend", c.backend}}},
          {"precision", c.precision},
          {"preconditioner", c.preconditioner},
          {"rhs", c.rhs},
          {"fixed_iterations", c.fixed},
          {"iterations", c.iterations},
          {"rtol", c.fixed ? json(nullptr) : json(c.rtol)},
          {"repetitions", c.repetitions},
          {"interrupted", c.interrupted},
          {"matrices", matrices}};
}

}  // namespace dwell::app
