// SPDX-License-Identifier: MIT
// Fields and columns of an execution.
#include "report/execution.hpp"

#include <fmt/format.h>

namespace dwell::app {

namespace {

json positive_or_null(int n) { return n > 0 ? json(n) : json(nullptr); }

/// A choice: as requested, for programs only, and what ran, with its head.
columns<execution> choice_columns(const std::string& name, std::string execution::choices::*which) {
  return {
      {"requested." + name, "", unit::word,
       [which](const execution& e) { return text_or_null(e.requested.*which); }},
      {name, name, unit::word, [which](const execution& e) { return text_or_null(e.ran.*which); },
       [which](const execution& e) { return choice_cell(e.requested.*which, e.ran.*which); }}};
}

}  // namespace

std::string choice_cell(const std::string& requested, const std::string& ran) {
  if (requested.empty()) return "-";
  return ran.empty() || ran == requested ? requested : fmt::format("{} ({})", requested, ran);
}

columns<execution> execution_columns(bool variants) {
  columns<execution> all = {
      {"device.name", "", unit::word, [](const execution& e) { return text_or_null(e.device); }},
      {"device.backend", "", unit::word,
       [](const execution& e) { return text_or_null(e.backend); }}};
  append(all, choice_columns("executor", &execution::choices::executor));
  if (variants) append(all, choice_columns("variant", &execution::choices::variant));
  append(all, choice_columns("policy", &execution::choices::policy));
  append(all, columns<execution>{{"reason", "", unit::word,
                                  [](const execution& e) { return text_or_null(e.reason); }},
                                 {"plan.teams", "", unit::count,
                                  [](const execution& e) { return positive_or_null(e.teams); }},
                                 {"plan.lanes", "", unit::count,
                                  [](const execution& e) { return positive_or_null(e.lanes); }}});
  return all;
}

}  // namespace dwell::app
