// SPDX-License-Identifier: MIT
// Repetitions of a run, and the columns of a row.
#include "compare/measured_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "report/units.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell::app {

measured_run::measured_run(const std::string& executor, const std::string& variant,
                           const std::string& policy) {
  how.requested = {executor, variant, policy};
  how.ran.executor = executor;
}

double measured_run::median_us() const {
  if (us.empty()) return 0;
  const std::size_t half = us.size() / 2;
  return us.size() % 2 ? us[half] : 0.5 * (us[half - 1] + us[half]);
}

const char* to_string(measured_run::state s) {
  using state = measured_run::state;
  return s == state::measured ? "measured" : s == state::unsupported ? "unsupported" : "failed";
}

bool repeat(const repetition& how, measured_run& run, const std::function<double()>& once) {
  const auto fails = [&](measured_run::state outcome, const char* why) {
    run.outcome = outcome;
    run.why = why;
    run.us.clear();
  };
  try {
    const interruption_scope scope([&] { return how.interrupt->load(); });
    for (int k = 0; k <= how.count; ++k) {
      how.say(fmt::format("{}, run {} of {}", label(run), k + 1, how.count + 1));
      if (*how.interrupt) return false;
      const double us = once();
      if (how.between) how.between();
      if (*how.interrupt) return false;
      if (k > 0) run.us.push_back(us);
    }
  } catch (const interrupted_error&) {
    return false;
  } catch (const unsupported_error& e) {
    fails(measured_run::state::unsupported, e.what());
  } catch (const device_error& e) {
    fails(measured_run::state::failed, e.what());
  } catch (const std::bad_alloc&) {
    fails(measured_run::state::failed, "too little memory");
  }
  std::sort(run.us.begin(), run.us.end());
  return true;
}

bool repeat_on_ranks(const repetition& how, measured_run& run,
                     const std::function<double()>& once) {
  try {
    return repeat(how, run, once);
  } catch (const input_error& e) {
    run.outcome = measured_run::state::unsupported;
    run.why = e.what();
    run.us.clear();
    return true;
  }
}

double speed_up_over(const measured_run& base, const measured_run& run) {
  const double a = base.median_us(), b = run.median_us();
  return a > 0 && b > 0 ? a / b : 0;
}

std::string label(const measured_run& r) {
  const auto& asked = r.how.requested;
  std::string text = asked.policy.empty() ? r.executor() : r.executor() + " " + asked.policy;
  const std::string usual = asked.policy.empty() ? variants_of("cg").front() : automatic;
  if (!asked.variant.empty() && asked.variant != usual) text += ", " + asked.variant;
  if (!asked.order.empty() && asked.order != automatic) text += ", " + asked.order;
  if (r.ranks > 0) text += ", " + format_plural(r.ranks, "rank");
  return text;
}

columns<measured_run> run_columns(bool variants) {
  using row = measured_run;
  columns<row> all = columns_of_part<row>(execution_columns(variants),
                                          [](const row& r) -> const execution& { return r.how; });
  append(all, columns<row>{
                  {"peer", "", unit::yes, [](const row& r) { return r.peer; }},
                  {"outcome", "", unit::word, [](const row& r) { return to_string(r.outcome); }},
                  {"why", "", unit::word, [](const row& r) { return text_or_null(r.why); }}});
  append(all, peer_columns());
  return all;
}

columns<measured_run> peer_columns() {
  using row = measured_run;
  return {
      {"command", "", unit::word, [](const row& r) { return text_or_null(r.said.command); }},
      {"printed.value", "", unit::number,
       [](const row& r) { return number_or_null(r.said.figure); }},
      {"printed.unit", "", unit::word, [](const row& r) { return text_or_null(r.said.unit); }},
      {"printed.cells", "", unit::count, [](const row& r) { return number_or_null(r.said.cells); }},
      {"printed.residual", "", unit::residual,
       [](const row& r) { return r.said.residual ? json(*r.said.residual) : json(nullptr); }}};
}

std::string peer_remark(const measured_run& r) {
  const auto& said = r.said;
  if (said.command.empty() || !r.measured()) return {};
  std::string text = fmt::format("{}: {}; printed {} {}", r.executor(), r.how.reason,
                                 number_cell(said.figure), said.unit);
  if (said.cells > 0)
    text += fmt::format(" of {} cells", format_count(static_cast<std::int64_t>(said.cells)));
  if (said.residual) text += fmt::format(", a residual of {:.2e}", *said.residual);
  return fmt::format("{}; {}; {}", text, r.how.device, said.command);
}

columns<measured_run> ranks_column(bool shown) {
  return {{"ranks", shown ? "ranks" : "", unit::count,
           [](const measured_run& r) { return r.ranks > 0 ? json(r.ranks) : json(nullptr); }}};
}

columns<measured_run> scaled_time_columns(const std::string& head,
                                          std::function<double(const measured_run&)> scale) {
  using row = measured_run;
  const auto cell = [scale](const row& r) {
    return r.measured() ? number_cell(r.median_us() * scale(r)) : to_string(r.outcome);
  };
  const auto spread = [scale](const row& r) {
    return r.us.empty() ? std::string("-")
                        : fmt::format("{}..{}", number_cell(r.us.front() * scale(r)),
                                      number_cell(r.us.back() * scale(r)));
  };
  return {{"", head, unit::number, {}, cell}, {"", "min..max", unit::range, {}, spread}};
}

columns<measured_run> time_columns(const std::string& time, const std::string& head) {
  using row = measured_run;
  const auto of = [](double (*pick)(const row&)) {
    return [pick](const row& r) { return r.us.empty() ? json(nullptr) : json(pick(r)); };
  };
  columns<row> all;
  if (!head.empty()) all = scaled_time_columns(head, [](const row&) { return 1.0; });
  append(all,
         columns<row>{
             {time + ".median", "", unit::number, of([](const row& r) { return r.median_us(); })},
             {time + ".min", "", unit::number, of([](const row& r) { return r.us.front(); })},
             {time + ".max", "", unit::number, of([](const row& r) { return r.us.back(); })},
             {time + ".all", "", unit::range, [](const row& r) { return json(r.us); }}});
  return all;
}

}  // namespace dwell::app
