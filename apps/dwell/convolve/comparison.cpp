// SPDX-License-Identifier: MIT
// One table per filter and size.
#include "convolve/comparison.hpp"

#include <fmt/format.h>

#include "compare/forms.hpp"
#include "compare/layout.hpp"
#include "convolve/result.hpp"
#include "report/columns.hpp"
#include "report/units.hpp"

#include "dwell/base/printable.hpp"
#include "dwell/version.hpp"

namespace dwell::app {
namespace {

/// A run with the convolution that it is of. Both are owned by the comparison.
struct algorithm_row {
  const compared_convolution* of;
  const compared_algorithm* run;

  double per_second(double amount) const {
    const double us = run->in_a_row.median_us();
    return us > 0 ? amount / us * 1e6 : 0;
  }
  double cells() const {
    return static_cast<double>(of->size.cells()) * static_cast<double>(run->report.images);
  }
};

std::vector<algorithm_row> rows_of_subject(const compared_convolution& c) {
  std::vector<algorithm_row> rows;
  for (const auto& r : c.runs) rows.push_back({&c, &r});
  return rows;
}

columns<compared_convolution> subject_columns() {
  using row = compared_convolution;
  return {{"filter", "", unit::word, [](const row& c) { return c.filter; }},
          {"taps", "", unit::word, [](const row& c) { return to_string(c.taps); }},
          {"size", "", unit::word, [](const row& c) { return to_string(c.size); }},
          {"refusal", "", unit::word, [](const row& c) { return text_or_null(c.refusal); }}};
}

/// `value` of a row that was measured, else null.
template <class F>
auto if_measured(F value) {
  return [value](const algorithm_row& r) {
    return r.run->measured() ? json(value(r)) : json(nullptr);
  };
}

/// `value` of a row whose outcome was compared with the baseline's, else null.
template <class F>
auto if_compared(F value) {
  return [value](const algorithm_row& r) {
    return r.run->measured() && !r.run->peer ? json(value(r)) : json(nullptr);
  };
}

columns<algorithm_row> run_columns() {
  using row = algorithm_row;
  columns<row> all = {
      {"requested.algorithm", "", unit::word,
       [](const row& r) { return r.run->how.requested.executor; }},
      {"algorithm", "algorithm", unit::word,
       [](const row& r) { return text_or_null(r.run->how.ran.executor); },
       [](const row& r) {
         return choice_cell(r.run->how.requested.executor, r.run->how.ran.executor);
       }},
      {"reason", "", unit::word, [](const row& r) { return text_or_null(r.run->report.reason); }},
      {"peer", "", unit::yes, [](const row& r) { return r.run->peer; }},
      {"device.name", "", unit::word, [](const row& r) { return text_or_null(r.run->how.device); }},
      {"outcome", "", unit::word, [](const row& r) { return to_string(r.run->outcome); }},
      {"why", "", unit::word, [](const row& r) { return text_or_null(r.run->why); }},
      {"passes", "passes", unit::count,
       if_measured([](const row& r) { return r.run->report.passes; })},
      {"fmas_per_cell", "taps", unit::count,
       if_measured([](const row& r) { return r.run->report.taps; })}};
  append(all, columns_of_part<row>(peer_columns(),
                                   [](const row& r) -> const measured_run& { return *r.run; }));
  append(all, columns_of_part<row>(time_columns("time.us", "us"),
                                   [](const row& r) -> const measured_run& { return *r.run; }));
  append(all,
         columns_of_part<row>(time_columns("in_a_row.us", "in a row"),
                              [](const row& r) -> const measured_run& { return r.run->in_a_row; }));
  append(all, columns<row>{
                  {"speed_up", "speed-up", unit::number,
                   [](const row& r) {
                     return number_or_null(speed_up_over(r.of->runs[0].in_a_row, r.run->in_a_row));
                   }},
                  {"cells_per_s", "GCells/s", unit::giga,
                   [](const row& r) { return number_or_null(r.per_second(r.cells())); }},
                  {"bandwidth_bytes_per_s", "GB/s", unit::giga,
                   [](const row& r) {
                     return number_or_null(r.per_second(static_cast<double>(r.run->report.bytes)));
                   }},
                  {"fmas_per_s", "GFMA/s", unit::giga,
                   [](const row& r) {
                     return number_or_null(r.per_second(r.cells() * r.run->report.taps));
                   }},
                  {"same_bits", "same bits", unit::yes,
                   if_compared([](const row& r) { return r.run->same_bits; })},
                  {"largest_difference", "", unit::number,
                   if_compared([](const row& r) { return r.run->difference; })}});
  return all;
}

std::vector<std::string> remarks(const compared_convolution& c) {
  std::vector<std::string> out;
  for (const auto& r : c.runs) {
    if (!r.measured())
      out.push_back(fmt::format("{}: {}: {}", label(r), to_string(r.outcome), r.why));
    else if (r.how.requested.executor != r.how.ran.executor)
      out.push_back(fmt::format(
          "{}: {}{}", r.how.requested.executor, r.report.reason,
          r.report.passes > 1 ? fmt::format("; differs by up to {:.2g}", r.difference) : ""));
    if (const auto peer = peer_remark(r); !peer.empty()) out.push_back(peer);
  }
  return out;
}

comparison_layout layout_of(const convolution_comparison& c) {
  comparison_layout out{
      fmt::format("{}s on {} ({}), {} of {}, border {}.",
                  c.correlation ? "Correlation" : "Convolution", c.device, c.backend,
                  format_plural(c.images, "image"), cells_text(c.cells, c.precision, c.result),
                  c.border),
      {},
      {fmt::format("us: a call for all images, from its start to its end, median of {}, after one "
                   "that is not counted, without set-up and copies.",
                   format_plural(c.repetitions, "run")),
       fmt::format(
           "in a row: the same of calls that are started one after the other and waited for "
           "at the end, as many as take {} ms one by one.",
           row_us / 1000),
       "speed-up: over direct, a plain loop over cells and taps. taps: multiply-adds per cell.",
       "GB/s: a load and a store of every cell. This and all rates: of calls in a row.",
       "same bits: as direct, in every run; of several passes, which round in between, see below.",
       "Measured by dwell " DWELL_VERSION_STRING "."}};
  out.note = interrupted_note(c);
  for (const auto& s : c.convolutions)
    out.sections.push_back({fmt::format("{}: {} taps, {} cells", printable(s.filter),
                                        to_string(s.taps), to_string(s.size)),
                            s.refusal, table_of(run_columns(), rows_of_subject(s)), remarks(s)});
  return out;
}

}  // namespace

std::size_t rows_of(const convolution_comparison& c) { return count_runs(c.convolutions); }

std::string to_text(const convolution_comparison& c) { return layout_of(c).text(); }
std::string to_markdown(const convolution_comparison& c) { return layout_of(c).markdown(); }

std::string to_csv(const convolution_comparison& c) {
  return csv_of("convolution.", subject_columns(), c.convolutions, run_columns(), rows_of_subject);
}

json to_json(const convolution_comparison& c) {
  json out = document("compare convolve");
  out.update({{"device", {{"name", c.device}, {"backend", c.backend}}},
              {"precision", c.precision},
              {"cells", c.cells},
              {"result", c.result},
              {"border", c.border},
              {"correlation", c.correlation},
              {"images", c.images},
              {"repetitions", c.repetitions},
              {"interrupted", c.interrupted}});
  out["convolutions"] = json_of(subject_columns(), c.convolutions, run_columns(), rows_of_subject);
  return out;
}

}  // namespace dwell::app
