// SPDX-License-Identifier: MIT
// What rows of tables of options share: ranges of numbers, reasons, and what they say.
#pragma once
#include <limits>
#include <string>

namespace dwell {

/// The numbers that are allowed: from least to most.
struct option_range {
  double least = std::numeric_limits<double>::lowest();
  double most = std::numeric_limits<double>::max();
  const char* words = nullptr;        ///< for messages; null: made of the numbers
  bool (*further)(double) = nullptr;  ///< what must hold besides, or null
  /// For messages: "1 to 500".
  std::string text() const;
  bool allows(double v) const { return v >= least && v <= most && (!further || further(v)); }
};

/// Why an option does not exist on some surfaces.
template <class Surface>
struct option_absence {
  Surface surfaces;
  const char* why;
};

/// Throws input_error, which names the option, unless the range allows the number.
void check_number(const char* option, const option_range& range, double found);
/// `help` with the range's most in place of "{most}".
std::string help_with_range(const char* help, const option_range* range);

}  // namespace dwell
