// SPDX-License-Identifier: MIT
// The version: macros, the linked library, the project and CITATION.cff say the same. Between
// releases it ends in .devN.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <regex>
#include <string>

#include "dwell/version.hpp"

namespace {

TEST(version, of_headers_is_the_projects) {
  EXPECT_STREQ(DWELL_VERSION_STRING, DWELL_PROJECT_VERSION);
  const std::array project{DWELL_PROJECT_NUMBERS};
  const std::array header{DWELL_VERSION_MAJOR, DWELL_VERSION_MINOR, DWELL_VERSION_PATCH};
  EXPECT_EQ(header, project);
}

TEST(version, of_headers_is_its_numbers_with_or_without_dev) {
  const auto numbers = std::to_string(DWELL_VERSION_MAJOR) + "." +
                       std::to_string(DWELL_VERSION_MINOR) + "." +
                       std::to_string(DWELL_VERSION_PATCH);
  EXPECT_TRUE(std::regex_match(DWELL_VERSION_STRING, std::regex(numbers + "(\\.dev[0-9]+)?")))
      << DWELL_VERSION_STRING << ", expected " << numbers << " or " << numbers << ".dev0";
}

TEST(version, of_the_library_is_the_headers) {
  EXPECT_STREQ(dwell::version(), DWELL_VERSION_STRING);
  EXPECT_EQ(dwell::version_number(), DWELL_VERSION_NUMBER);
}

TEST(version, numbers_compare_as_versions_do) {
  static_assert(DWELL_VERSION_NUMBER ==
                DWELL_MAKE_VERSION(DWELL_VERSION_MAJOR, DWELL_VERSION_MINOR, DWELL_VERSION_PATCH));
  static_assert(DWELL_MAKE_VERSION(0, 1, 999) < DWELL_MAKE_VERSION(0, 2, 0));
  static_assert(DWELL_MAKE_VERSION(0, 999, 999) < DWELL_MAKE_VERSION(1, 0, 0));
#if DWELL_VERSION_NUMBER < DWELL_MAKE_VERSION(0, 1, 0)
  FAIL() << "the preprocessor compares them too";
#endif
}

TEST(version, of_the_citation_is_the_projects) {
  std::ifstream file(DWELL_CITATION);
  std::string line, found;
  while (std::getline(file, line))
    if (line.rfind("version: ", 0) == 0) found = line.substr(9);
  EXPECT_EQ(found, DWELL_PROJECT_VERSION);
}

}  // namespace
