// SPDX-License-Identifier: MIT
// The forms in which every comparison is handed over: subjects, each with its runs, as CSV and as
// JSON, and how many rows there are.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "compare/layout.hpp"
#include "report/columns.hpp"
#include "report/json.hpp"

namespace dwell::app {

/// Runs of all subjects.
template <class Subject>
std::size_t count_runs(const std::vector<Subject>& subjects) {
  std::size_t runs = 0;
  for (const auto& s : subjects) runs += s.runs.size();
  return runs;
}

/// What a layout says of a comparison that ended early; else empty.
template <class Comparison>
std::string interrupted_note(const Comparison& c) {
  return c.interrupted ? fmt::format("The comparison was {}.", interrupted_words(rows_of(c)))
                       : std::string();
}

/// A line of CSV: fields of a subject, then those of a run.
inline std::string line_of(std::vector<std::string> subject, const std::vector<std::string>& run) {
  subject.insert(subject.end(), run.begin(), run.end());
  return csv_line(subject);
}

/// A line for each run, under a line of heads; a subject that was refused has a line without a run.
/// prefix: of the heads of a subject. rows(subject): what run columns take.
template <class Subject, class Row, class Rows>
std::string csv_of(const std::string& prefix, const columns<Subject>& of_subject,
                   const std::vector<Subject>& subjects, const columns<Row>& of_run, Rows&& rows) {
  const auto heads = csv_heads(of_run);
  std::string out = line_of(csv_heads(of_subject, prefix), heads);
  for (const auto& s : subjects) {
    const auto subject = csv_fields(of_subject, s);
    if (!s.refusal.empty()) out += line_of(subject, std::vector<std::string>(heads.size()));
    for (const auto& row : rows(s)) out += line_of(subject, csv_fields(of_run, row));
  }
  return out;
}

/// An object for each subject, with its "runs".
template <class Subject, class Row, class Rows>
json json_of(const columns<Subject>& of_subject, const std::vector<Subject>& subjects,
             const columns<Row>& of_run, Rows&& rows) {
  json out = array_of(of_subject, subjects);
  for (std::size_t i = 0; i < subjects.size(); ++i)
    out[i]["runs"] = array_of(of_run, rows(subjects[i]));
  return out;
}

}  // namespace dwell::app
