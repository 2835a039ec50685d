// SPDX-License-Identifier: MIT
// Names of quantities.
#include <fmt/format.h>

#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/stencil/field_reduction.hpp"

namespace dwell {
namespace {

constexpr reduction operations[] = {reduction::sum,   reduction::min,   reduction::max,
                                    reduction::norm1, reduction::norm2, reduction::norm_max};

}  // namespace

std::string to_string(const field_quantity& q) {
  return (q.of_change ? "change-" : "") + to_string(q.operation);
}

field_quantity parse_field_quantity(std::string_view text) {
  std::vector<std::string> names;
  std::string known;
  for (const bool of_change : {false, true})
    for (const reduction operation : operations) {
      const field_quantity q{operation, of_change};
      names.push_back(to_string(q));
      if (text == names.back()) return q;
      if (!of_change) known += names.back() + ", ";
    }
  throw input_error(fmt::format("quantity: expected {}or one of these behind change-, found {}",
                                known, found_word(text, names)));
}

}  // namespace dwell
