// SPDX-License-Identifier: MIT
// Names and order of the parts.
#include "linear/timing.hpp"

#include <algorithm>

namespace dwell::app {

std::vector<timed_part> timed_parts(const solve_report& report, bool generated, double read_s,
                                    double write_s, double wall_s) {
  const auto& s = report.setup;
  std::vector<timed_part> parts = {{generated ? "generate" : "read", read_s},
                                   {"check", s.check_s},
                                   {"upload", s.upload_s},
                                   {"plan", s.plan_s},
                                   {"cut", s.cut_s},
                                   {"preconditioner", s.preconditioner_s},
                                   {"load", s.load_s},
                                   {"vectors", std::max(0., report.setup_s - s.total())},
                                   {"solve", report.solve_s},
                                   {"finish", report.finish_s},
                                   {"write", write_s}};
  add_other(parts, wall_s);
  return parts;
}

}  // namespace dwell::app
