// SPDX-License-Identifier: MIT
// A table from options to completions.
#include "cli/completions.hpp"

#include <map>
#include <utility>

namespace dwell::app {

namespace {

/// The program has one command line, whose options live as long as it.
std::map<const CLI::Option*, value_completions>& all() {
  static std::map<const CLI::Option*, value_completions> of;
  return of;
}

}  // namespace

void set_completions(const CLI::Option* option, value_completions values) {
  all()[option] = std::move(values);
}

value_completions completions_of(const CLI::Option* option) {
  const auto found = all().find(option);
  return found == all().end() ? value_completions{} : found->second;
}

}  // namespace dwell::app
