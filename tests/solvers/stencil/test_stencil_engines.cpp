// SPDX-License-Identifier: MIT
// Which engine runs where (data/engines_golden.tsv), and that it has the bits of plain loops: tiles
// in registers at every side of the grid, blocks and strips that are fully cached, by one team and
// by several, under every border.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/stencil/explain.hpp"
#include "engine_table.hpp"
#include "stencil_oracle.hpp"
#include "stencil_place.hpp"

namespace dwell::test {
namespace {

class stencil_engines : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(GetParam(), "perks"); !why.empty())
      GTEST_SKIP() << why;
  }

  /// Runs the rows of this shape: the engines, which on a GPU are those that explain names.
  static void expect_rows(const std::string& kind) {
    int runs = 0;
    for (const engine_row_asked& row : table().rows) {
      if (row.kind != kind || row.shape != GetParam()) continue;
      SCOPED_TRACE(row.shape + ' ' + to_string(row.size) + ' ' + to_string(row.edge));
      for (const int steps : row.steps) {
        if (row.type == precision::f64)
          expect_row<double>(row, steps);
        else
          expect_row<float>(row, steps);
      }
      ++runs;
    }
    if (runs == 0) GTEST_SKIP() << "no such kernel";
  }

 private:
  static const engine_table& table() {
    static const engine_table all = engine_table::read();
    return all;
  }

  template <class T>
  static void expect_row(const engine_row_asked& row, int steps) {
    const device where = stencil_place::where();
    const bool on_cpu = where.on() == backend::cpu;
    const auto start = random_field<T>(row.size, 3);
    const auto weights = uneven_weights(row.shape);
    const auto expected = stencil_by_loops(row.shape, start, steps, row.edge, weights);
    std::vector<std::string> ran, planned;
    for (std::size_t k = 0; k < row.teams.size(); ++k) {
      stencil_options o = row.options(k);
      o.weights = weights;
      o.steps = steps;
      o.reverse_lanes = on_cpu && k % 2 == 1;
      planned.push_back(on_cpu ? "" : explained(row, o));
      grid<T> u = start;
      try {
        const auto report = solve(where, u, o);
        ran.push_back(engine_answer(report.engine, report.cached_registers == row.size.cells()));
        EXPECT_EQ(difference(u, expected), "")
            << steps << " steps, " << o.teams << " teams, " << report.reason;
      } catch (const unsupported_error&) {  // so few teams cannot have the field
        ran.emplace_back("-");
      }
    }
    EXPECT_EQ(joined(ran), on_cpu ? row.on_cpu : joined(planned));
  }

  static std::string explained(const engine_row_asked& row, const stencil_options& o) {
    try {
      const auto type = row.type == precision::f64 ? "f64" : "f32";
      const auto e = explain(row.size, type, stencil_place::where().facts(), o);
      return engine_answer(e.plan().engine,
                           e.plan().cached_rows == 1 && e.plan().scratch_rows == 0);
    } catch (const unsupported_error&) {
      return "-";
    }
  }
};

/// Tiles in registers begin or end where a fixed border does if they can: in corners, beside one
/// side, as wide as the grid, and where they reach a border without being next to it.
TEST_P(stencil_engines, tiles_at_every_side_of_the_grid) { expect_rows("tiles"); }

/// Blocks of whole register tiles, none of whose planes stream: as many as planes in registers
/// allow and more, one team and several along every axis, of subdomains that differ.
TEST_P(stencil_engines, blocks_that_are_fully_cached) { expect_rows("blocks"); }

/// Subdomains of warps, cached but for their last rows: one and many along either axis, teams with
/// few subdomains and with eight, of subdomains that differ, whose last column begins earlier or
/// does not, and which are their own neighbours. One size is one column of subdomains, whose
/// neighbours above and below are other teams'.
TEST_P(stencil_engines, strips_that_are_fully_cached) { expect_rows("strips"); }

INSTANTIATE_TEST_SUITE_P(shapes, stencil_engines, testing::ValuesIn(shape_names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace dwell::test
