// SPDX-License-Identifier: MIT
// What is kept of kernels that were loaded, without a GPU: by kernel, device and launch; damaged
// files; plans that go by it. NVRTC compiles nothing here, but its version is part of a key.
#include "dwell/execution/device/kernel_facts.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/device/kernel_store.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/execution/stencil/plan/planning.hpp"
#include "scratch.hpp"

namespace dwell::test {
namespace {

class kernel_facts_test : public testing::Test {
 protected:
  void SetUp() override {
    setenv("DWELL_CACHE_DIR", (folder_ / "cache").c_str(), 1);
    try {
      nvrtc::library();
    } catch (const unsupported_error& e) {
      GTEST_SKIP() << e.what();
    }
  }
  ~kernel_facts_test() override {
    unsetenv("DWELL_CACHE_DIR");
    asked_.empty() ? unsetenv("DWELL_NVRTC") : setenv("DWELL_NVRTC", asked_.c_str(), 1);
  }
  static std::string given(const char* name) {
    const char* const text = std::getenv(name);
    return text ? text : "";
  }
  /// Stands for machine code.
  static compiled_kernel made(const kernel_source& source, const kernel_target& target) {
    compiled_kernel code;
    code.key = key_of(source, target);
    code.origin = {"a kernel", "sm_90a"};
    return code;
  }
  static std::vector<cache_entry> files() { return file_cache().entries(); }

  scratch_folder folder_;
  const std::string asked_ = given("DWELL_NVRTC");
};

const kernel_source some{"__global__ void one() {}\n", "one"};
const kernel_target h200{90, 0};

TEST_F(kernel_facts_test, are_kept_by_kernel_device_and_launch) {
  std::mt19937 chance(20261130);
  const auto below = [&](unsigned n) { return static_cast<int>(chance() % n); };
  const compiled_kernel code = made(some, h200);
  EXPECT_EQ(kept_facts(some, h200, {"NVIDIA H200", 256, 0}), std::nullopt);
  for (int round = 0; round < 20; ++round) {
    const kernel_place place{"a device " + std::to_string(round % 3), 32 * (1 + below(32)),
                             static_cast<std::size_t>(below(230'000))};
    const kernel_facts facts{1 + below(255), 8 * below(100), static_cast<std::size_t>(below(40000)),
                             below(32)};
    keep_facts(code, place, facts);
    EXPECT_EQ(kept_facts(some, h200, place), facts);
    kernel_place other = place;
    other.device += "x";
    EXPECT_EQ(kept_facts(some, h200, other), std::nullopt);
    other = place;
    ++other.lanes;
    EXPECT_EQ(kept_facts(some, h200, other), std::nullopt);
    other = place;
    ++other.scratch;
    EXPECT_EQ(kept_facts(some, h200, other), std::nullopt);
    EXPECT_EQ(kept_facts(some, {80, 0}, place), std::nullopt);
    EXPECT_EQ(kept_facts({some.text + "\n", some.kernel}, h200, place), std::nullopt);
    kernel_facts changed = facts;
    ++changed.registers;
    keep_facts(code, place, changed);
    EXPECT_EQ(kept_facts(some, h200, place), changed);
  }
  for (const cache_entry& e : files()) {
    const auto one = facts_in(file_cache(), e);
    ASSERT_TRUE(one) << e.file;
    EXPECT_EQ(one->key, code.key);
    EXPECT_EQ(kept_facts(some, h200, one->place), one->facts);
    EXPECT_EQ(e.origin.target, one->place.device);
  }
}

/// A list of what is kept, which tells the place that was used last from others, changes nothing.
TEST_F(kernel_facts_test, are_listed_without_a_use) {
  const compiled_kernel code = made(some, h200);
  for (int k = 0; k < 4; ++k) keep_facts(code, {"device " + std::to_string(k), 32, 0}, {k + 1, 0});
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(9);
  for (const cache_entry& e : files()) {
    const int number = facts_in(file_cache(), e)->facts.registers;
    std::filesystem::last_write_time(e.file, long_ago + std::chrono::minutes(number * 7 % 5));
  }
  const std::vector<cache_entry> before = files();
  ASSERT_EQ(before.size(), 4u);
  for (const cache_entry& e : before) EXPECT_TRUE(facts_in(file_cache(), e));
  EXPECT_EQ(facts_of_key(code.key).size(), 4u);
  const std::vector<cache_entry> after = files();
  for (std::size_t k = 0; k < before.size(); ++k) {
    EXPECT_EQ(after[k].file, before[k].file);
    EXPECT_EQ(after[k].used, before[k].used);
  }
  ASSERT_TRUE(kept_facts(some, h200, facts_in(file_cache(), before.back())->place));
  EXPECT_EQ(files().front().file, before.back().file);
}

/// Every byte that is changed, and every length: nothing is taken for facts that is not.
TEST_F(kernel_facts_test, that_are_damaged_are_not_taken) {
  const kernel_place place{"NVIDIA H200", 256, 1024};
  keep_facts(made(some, h200), place, {128, 0, 16, 2});
  ASSERT_EQ(files().size(), 1u);
  const auto file = files()[0].file;
  const std::string whole = bytes_of(file);
  std::mt19937 chance(4);
  for (int round = 0; round < 60; ++round) {
    std::string bytes = whole;
    if (round % 2)
      bytes.resize(chance() % whole.size());
    else
      bytes[chance() % bytes.size()] ^= static_cast<char>(1 + chance() % 255);
    put_bytes(file, bytes);
    EXPECT_EQ(kept_facts(some, h200, place), std::nullopt) << round;
  }
  put_bytes(file, whole);
  EXPECT_TRUE(kept_facts(some, h200, place));
}

TEST_F(kernel_facts_test, are_not_there_without_a_compiler_or_a_folder) {
  const kernel_place place{"NVIDIA H200", 64, 0};
  const compiled_kernel code = made(some, h200);
  keep_facts(code, place, {40, 0, 0, 8});
  setenv("DWELL_NVRTC", (folder_ / "none").c_str(), 1);
  EXPECT_EQ(kept_facts(some, h200, place), std::nullopt);
  asked_.empty() ? unsetenv("DWELL_NVRTC") : setenv("DWELL_NVRTC", asked_.c_str(), 1);
  put_bytes(folder_ / "file", "");
  setenv("DWELL_CACHE_DIR", (folder_ / "file").c_str(), 1);
  keep_facts(code, place, {40, 0, 0, 8});
  EXPECT_EQ(kept_facts(some, h200, place), std::nullopt);
}

/// Every row: kernels as assumed before, as found after, for this device alone.
TEST_F(kernel_facts_test, are_what_plans_go_by) {
  device_facts device = facts_of("h200");
  int plans = 0;
  for (const stencil_kernel& v : planned_stencil_kernels()) {
    const auto before = kernels_of(v, {device, {}});
    for (std::size_t config = plans % 3; config < before.size(); config += 3) {
      if (before[config].max_teams == 0) continue;
      const needed_kernel k = bare_kernel(v, static_cast<int>(config), false);
      const int registers = 20 + plans % 200;
      EXPECT_NE(before[config].registers, registers);
      keep_facts(made(k.sources.back(), {device.compute_capability, 0}),
                 {device.name, k.lanes, k.scratch}, {registers, 16, 0, 3});
      const auto after = kernels_of(v, {device, {}});
      EXPECT_EQ(after[config].registers, registers);
      EXPECT_EQ(after[config].spill_bytes, 16);
      EXPECT_EQ(after[config].max_teams, 3 * device.units);
      EXPECT_EQ(after[config].engine, before[config].engine);
      ++plans;
      break;
    }
    device_facts other = device;
    other.name = "another";
    for (const engine_facts& f : kernels_of(v, {other, {}})) EXPECT_EQ(f.registers, 0);
    file_cache().clear();
    if (plans > 30) break;
  }
  EXPECT_EQ(plans == 0, planned_stencil_kernels().empty());
}

}  // namespace
}  // namespace dwell::test
