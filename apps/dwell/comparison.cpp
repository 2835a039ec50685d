// SPDX-License-Identifier: MIT
// One table per matrix.
#include "comparison.hpp"

#include <fmt/format.h>

#include "comparison_layout.hpp"
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
      cells.push_back(to_string(r.outcome));
      cells.insert(cells.end(), c.fixed ? 7 : 8, "-");
    } else {
      cells.push_back(number_cell(r.median_us()));
      cells.push_back(number_cell(r.us.front()) + ".." + number_cell(r.us.back()));
      if (!c.fixed) cells.push_back(number_cell(r.solve_us() * 1e-3));
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
      out.push_back(fmt::format("{}: {}: {}", label(r), to_string(r.outcome), r.why));
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

comparison_layout layout_of(const comparison& c) {
  comparison_layout out{caption(c), {}, legend(c)};
  for (const auto& m : c.matrices)
    out.sections.push_back(
        {m.refusal.empty() ? heading(m) : m.name, m.refusal, table_of(c, m), remarks(m)});
  return out;
}

json to_json(const comparison& c, const compared_matrix& m, const compared_run& r) {
  const auto if_measured = [&](const json& value) { return r.measured() ? value : json(nullptr); };
  json j = json_of_run(r, "per_iteration_us");
  j.update({{"solve_us", if_measured(r.solve_us())},
            {"speed_up", number_or_null(speed_up(c, m, r))},
            {"bandwidth_bytes_per_s", number_or_null(bandwidth(m, r))},
            {"floor_us", number_or_null(r.floor_us)},
            {"fraction_of_floor", number_or_null(of_floor(r))},
            {"iterations", if_measured(r.iterations)},
            {"stop_reason", if_measured(r.stopped)},
            {"residual_relative_true", if_measured(r.residual)}});
  return j;
}

}  // namespace

double speed_up(const comparison& c, const compared_matrix& m, const compared_run& run) {
  const auto* base = baseline(m);
  if (!base || run.median_us() <= 0) return 0;
  return c.fixed ? base->median_us() / run.median_us() : base->solve_us() / run.solve_us();
}

std::string to_text(const comparison& c) { return layout_of(c).text(); }
std::string to_markdown(const comparison& c) { return layout_of(c).markdown(); }

std::string to_csv(const comparison& c) {
  std::string out =
      "matrix,rows,nonzeros,device,executor,policy,plan_policy,outcome,median_us,min_us,max_us,"
      "solve_us,speed_up,bandwidth_bytes_per_s,floor_us,fraction_of_floor,iterations,stop_reason,"
      "residual_relative_true,remark\n";
  for (const auto& m : c.matrices) {
    if (!m.refusal.empty())
      out += fmt::format("{},,,,,,,refused,,,,,,,,,,,,{}\n", csv_text(m.name), csv_text(m.refusal));
    for (const auto& r : m.runs) {
      const bool measured = r.outcome == state::measured;
      out += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_text(m.name), m.rows,
          m.nonzeros, csv_text(r.device), r.executor, r.policy, r.plan_policy, to_string(r.outcome),
          csv_number(r.median_us()), measured ? csv_number(r.us.front()) : "",
          measured ? csv_number(r.us.back()) : "", csv_number(r.solve_us()),
          csv_number(speed_up(c, m, r)), csv_number(bandwidth(m, r)), csv_number(r.floor_us),
          csv_number(of_floor(r)), measured ? std::to_string(r.iterations) : "", r.stopped,
          measured ? fmt::format("{}", r.residual) : "", csv_text(measured ? r.detail : r.why));
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
