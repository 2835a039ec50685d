// SPDX-License-Identifier: MIT
// Programs that are started: what they leave behind, and their environment.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>

#include "cli_runner.hpp"
#include "compare/peers/child_process.hpp"

namespace dwell::test {
namespace {

TEST(peer_child, what_it_started_ends_with_it) {
  const scratch_folder folder;
  const auto pid = folder("pid");
  const std::atomic<bool> never = false;
  app::child_limits limits;
  limits.seconds = 60;
  const auto r =
      app::run_command({"sh", "-c", "sleep 100 & echo $! > " + pid + "; echo done"}, limits, never);
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out, "done\n");
  EXPECT_FALSE(r.too_long);
  // Ended, or a zombie of init's for a moment.
  const auto state = [&] {
    std::ifstream stat("/proc/" + std::to_string(std::stoi(read_text(pid))) + "/stat");
    std::string number, name, letter;
    stat >> number >> name >> letter;
    return letter;
  };
  for (int k = 0; k < 200 && !(state().empty() || state() == "Z"); ++k) ::usleep(10000);
  EXPECT_TRUE(state().empty() || state() == "Z") << state();
}

TEST(peer_child, variables_of_its_environment) {
  const std::atomic<bool> never = false;
  app::child_limits limits;
  limits.environment = {{"CUDA_VISIBLE_DEVICES", "7"}, {"DWELL_NEW", "a b"}};
  const auto r = app::run_command(
      {"sh", "-c", "echo $CUDA_VISIBLE_DEVICES, $DWELL_NEW, ${HOME:+home}"}, limits, never);
  EXPECT_EQ(r.out, std::getenv("HOME") ? "7, a b, home\n" : "7, a b, \n");
}

}  // namespace
}  // namespace dwell::test
