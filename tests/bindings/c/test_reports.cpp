// SPDX-License-Identifier: MIT
// The tables of reports: a row for every member, a reason for every surface that lacks one, and
// values that C reads. The command's JSON and printed reports are read in
// tests/apps/test_cli_reports.cpp, Python's classes in tests/bindings/python/test_reports.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "c_handles.hpp"
#include "dwell/base/report_table.hpp"
#include "dwell/bindings/c/report.hpp"
#include "dwell/solvers/arrays/convolution/report_table.hpp"
#include "dwell/solvers/grid/report_table.hpp"
#include "dwell/solvers/linear/api/report_table.hpp"
#include "dwell/solvers/stencil/api/report_table.hpp"
#include "members.hpp"
#include "report_runs.hpp"

namespace dwell::test {
namespace {

template <class Report>
void expect_sound(std::span<const report_field<Report>> table) {
  std::set<std::string_view> names, attributes, paths;
  for (const auto& row : table) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " twice";
    EXPECT_TRUE(attributes.insert(row.attribute()).second) << row.attribute() << " twice";
    if (row.json) {
      EXPECT_TRUE(paths.insert(row.json).second) << row.json << " twice";
    }
    EXPECT_GT(std::string(row.help).size(), 3u) << row.name;
    EXPECT_FALSE(std::string_view(row.help).ends_with(".")) << row.name;
    EXPECT_EQ(row.json != nullptr, row.is_on(report_surface::json)) << row.name;
    for (const report_surface there : all_report_surfaces)
      if (!row.is_on(there)) {
        EXPECT_GT(std::string(row.why_not(there)).size(), 8u) << row.name;
      }
    if (!row.is_on(report_surface::python)) {
      EXPECT_FALSE(row.is_on(report_surface::repr)) << row.name;
    }
    const auto kind = row.is.kind;
    EXPECT_EQ(row.says && kind != report_kind::flag, false) << row.name;
    // A flag is printed by what it says.
    if (kind == report_kind::flag && row.is_on(report_surface::text)) {
      EXPECT_NE(row.says, nullptr) << row.name;
    }
  }
}

TEST(report_tables, are_sound) {
  expect_sound(solve_report_table());
  expect_sound(stencil_report_table());
  expect_sound(convolution_report_table());
  expect_sound(grid_report_table());
}

TEST(report_tables, have_a_row_for_every_member) {
  // A set-up has rows of its own.
  EXPECT_EQ(solve_report_table().size(),
            members_of<solve_report>() - 2 + members_of<solve_setup>());
  EXPECT_EQ(stencil_report_table().size(),
            members_of<stencil_report>() - 1 + members_of<stencil_setup>());
  EXPECT_EQ(convolution_report_table().size(), members_of<convolution_report>());
  EXPECT_EQ(grid_report_table().size(), members_of<grid_report>());
}

TEST(report_tables, have_words_that_are_found) {
  for (const solve_report& r : solves_for_reports())
    for (const auto& row : solve_report_table())
      if (row.words) {
        const auto words = row.words();
        EXPECT_NE(std::find(words.begin(), words.end(), std::get<std::string>(row.value(r))),
                  words.end())
            << row.name;
      }
}

/// Expects of all runs what C reads by the function of the field's type.
template <class Report>
void expect_read_by_c(std::span<const report_field<Report>> table,
                      const std::vector<Report>& runs) {
  for (const Report& of : runs) {
    const owned<dwell_report> report(c_api::new_report(table, of));
    int listed = 0;
    while (dwell_report_name(report.get(), listed)) ++listed;
    int expected = 0;
    for (const auto& row : table) {
      SCOPED_TRACE(row.name);
      const report_value want = row.value(of);
      long long whole = -7;
      double number = -7;
      const char* text = nullptr;
      if (!row.is_on(report_surface::c)) {
        EXPECT_EQ(dwell_report_int(report.get(), row.name, &whole), DWELL_INPUT_ERROR);
        continue;
      }
      if (row.is.kind != report_kind::numbers) ++expected;
      switch (row.is.kind) {
        case report_kind::flag:
          ASSERT_EQ(dwell_report_int(report.get(), row.name, &whole), DWELL_SUCCESS);
          EXPECT_EQ(whole, std::get<bool>(want));
          break;
        case report_kind::integer:
          ASSERT_EQ(dwell_report_int(report.get(), row.name, &whole), DWELL_SUCCESS);
          EXPECT_EQ(whole, std::get<long long>(want));
          break;
        case report_kind::number:
          ASSERT_EQ(dwell_report_double(report.get(), row.name, &number), DWELL_SUCCESS);
          if (const auto* v = std::get_if<double>(&want); v && !std::isnan(*v))
            EXPECT_EQ(number, *v);
          else
            EXPECT_TRUE(std::isnan(number));
          break;
        case report_kind::text:
          ASSERT_EQ(dwell_report_text(report.get(), row.name, &text), DWELL_SUCCESS);
          EXPECT_EQ(text, std::get<std::string>(want));
          break;
        case report_kind::sizes:
          ASSERT_EQ(dwell_report_text(report.get(), row.name, &text), DWELL_SUCCESS);
          EXPECT_EQ(text, sizes_text(std::get<std::vector<long long>>(want)));
          break;
        case report_kind::numbers: {
          const double* found = nullptr;
          std::size_t count = 0;
          ASSERT_EQ(dwell_report_history(report.get(), &found, &count), DWELL_SUCCESS);
          EXPECT_EQ(std::vector<double>(found, found + count), std::get<std::vector<double>>(want));
          break;
        }
      }
    }
    EXPECT_EQ(listed, expected);
  }
}

using strings = std::vector<std::string>;

TEST(c_reports, of_solves_have_every_field) {
  const auto runs = solves_for_reports();
  EXPECT_EQ(without_a_value(solve_report_table(), runs),
            (strings{"on", "policy", "compiler", "policy_chosen", "context_s", "compile_s"}))
      << "a GPU caches, has a context, and compiles kernels when they are needed";
  expect_read_by_c(solve_report_table(), runs);
}

TEST(c_reports, of_stencils_have_every_field) {
  const auto runs = stencils_for_reports();
  for (const auto& name : without_a_value(stencil_report_table(), runs))
    EXPECT_TRUE((std::set<std::string>{"on", "policy", "alternates", "subdomains", "subdomain_of",
                                       "pass_steps", "depth", "traversal", "cached_registers",
                                       "cached_scratch", "compiler", "compile_s", "context_s"}
                     .contains(name)))
        << name;
  expect_read_by_c(stencil_report_table(), runs);
}

TEST(c_reports, of_convolutions_have_every_field) {
  const auto runs = convolutions_for_reports();
  EXPECT_EQ(without_a_value(convolution_report_table(), runs),
            (strings{"on", "compiler", "passes", "compile_s"}));
  expect_read_by_c(convolution_report_table(), runs);
}

TEST(c_reports, of_grids_have_every_field) {
  const auto runs = grids_for_reports();
  EXPECT_EQ(without_a_value(grid_report_table(), runs), strings{"on"}) << "of a GPU";
  expect_read_by_c(grid_report_table(), runs);
}

}  // namespace
}  // namespace dwell::test
