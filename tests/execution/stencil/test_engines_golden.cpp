// SPDX-License-Identifier: MIT
// The engines that the planner takes, against data/engines_golden.tsv: of all shapes, for two
// threads of a CPU and for an H200, neither of which need be here. With DWELL_GOLDEN_WRITE=1 the
// answers are written anew, to be read as a difference before they are believed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "engine_table.hpp"
#include "planning_table.hpp"

namespace dwell::test {
namespace {

std::string planned_engines(const engine_row_asked& row, const std::string& device) {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < row.teams.size(); ++k) {
    planning_question q{row.size, row.type, false, device, row.options(k)};
    try {
      const stencil_decision d = plan_without_device(q);
      const stencil_choice& c = d.plans.front();
      all.push_back(engine_answer(kernel_of(d, c).name(), c.plan.subdomains_x > 0 &&
                                                              c.plan.scratch_rows == 0 &&
                                                              c.plan.streamed_rows == 0));
    } catch (const unsupported_error&) {  // so few teams cannot have the field
      all.emplace_back("-");
    }
  }
  return joined(all);
}

TEST(engines_golden, engines_are_those_written_down) {
  engine_table table = engine_table::read();
  const bool write = std::getenv("DWELL_GOLDEN_WRITE") != nullptr;
  for (engine_row_asked& row : table.rows) {
    const std::string cpu = planned_engines(row, "cpu:2"), gpu = planned_engines(row, "h200");
    if (!write) {
      EXPECT_EQ(cpu, row.on_cpu) << row.shape << ' ' << to_string(row.size) << ' ' << row.policy;
      EXPECT_EQ(gpu, row.on_h200) << row.shape << ' ' << to_string(row.size) << ' ' << row.policy;
    }
    row.on_cpu = cpu;
    row.on_h200 = gpu;
  }
  if (write) table.write();
  EXPECT_EQ(table.rows.size(), 586u);
}

}  // namespace
}  // namespace dwell::test
