// SPDX-License-Identifier: MIT
// Tells standard output from files, and writes to either.
#include "cli/destination.hpp"

#include <utility>

#include "cli/output.hpp"
#include "dwell/formats/descriptor.hpp"

namespace dwell::app {

destination::destination(std::string option, std::string name)
    : option_(std::move(option)), name_(std::move(name)) {
  standard_ = descriptor_to_write(path()) == 1;
}

void destination::write(std::string_view text) const {
  if (standard_)
    write_stdout(text);
  else
    write_file(path(), text);
}

}  // namespace dwell::app
