// SPDX-License-Identifier: MIT
// `dwell explain` for GPUs that are not here against data/explain_golden.txt, which has the
// command lines, each with its output. The file is the same for all builds, so a build without CUDA
// says what one with CUDA says. With DWELL_GOLDEN_WRITE=1 the outputs are written anew, to be read
// as a difference before they are believed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "cli_runner.hpp"
#include "no_cache.hpp"

#include "dwell/version.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

constexpr const char* prompt = "$ dwell ";

strings words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

/// What dwell says, without its version.
std::string answer(const std::string& command) {
  const no_cache none;
  const auto r = dwell_cli(words_of(command));
  EXPECT_EQ(r.code, 0) << command << '\n' << r.err;
  std::string out = r.out;
  const std::string version = DWELL_VERSION_STRING;
  for (auto at = out.find(version); at != std::string::npos; at = out.find(version, at))
    out.replace(at, version.size(), "VERSION");
  return out;
}

TEST(cli_explain_golden, a_gpu_that_is_not_here_has_the_same_plans_in_every_build) {
  const std::string file = DWELL_TEST_DATA "/explain_golden.txt";
  const bool write = std::getenv("DWELL_GOLDEN_WRITE") != nullptr;
  std::ifstream in(file);
  ASSERT_TRUE(in) << file;
  std::string rewritten, line;
  int commands = 0;
  bool more = static_cast<bool>(std::getline(in, line));
  while (more && !line.starts_with(prompt)) {
    rewritten += line + '\n';
    more = static_cast<bool>(std::getline(in, line));
  }
  while (more) {
    const std::string command = line.substr(std::string(prompt).size());
    std::string expected;
    while ((more = static_cast<bool>(std::getline(in, line))) && !line.starts_with(prompt))
      expected += line + '\n';
    const std::string found = answer(command) + '\n';
    if (!write) {
      EXPECT_EQ(found, expected) << command;
    }
    rewritten += prompt + command + '\n' + found;
    ++commands;
  }
  in.close();
  if (write) std::ofstream(file) << rewritten;
  EXPECT_EQ(commands, 14);
}

}  // namespace
}  // namespace dwell::test
