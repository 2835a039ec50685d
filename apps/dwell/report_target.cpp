// SPDX-License-Identifier: MIT
// See report_target.hpp.
#include "report_target.hpp"

#include "arguments.hpp"

namespace dwell::app {

void add_report_target(CLI::App& app, report_target& to) {
  add_file(app, "--json", to.json,
           "Write the report as JSON; - is standard output, which then carries nothing else",
           "FILE|-");
  app.add_flag("-q,--quiet", to.quiet, "No report and no progress; warnings and errors remain");
}

}  // namespace dwell::app
