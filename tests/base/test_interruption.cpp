// SPDX-License-Identifier: MIT
// Interrupts of long work: who is asked, which parts end, and what nested scopes say.
#include "dwell/base/interruption.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"

namespace dwell::test {
namespace {

constexpr std::chrono::milliseconds always{0};

TEST(interruption, without_a_scope_nothing_ends) {
  EXPECT_EQ(interruption_scope::current(), nullptr);
  EXPECT_NO_THROW(poll_interruption());
  for_parts(4, [](int) { poll_interruption(); });
}

TEST(interruption, ends_all_parts_and_asks_the_own_thread_only) {
  const auto caller = std::this_thread::get_id();
  for (const int parts : {1, 2, 7}) {
    std::atomic<int> ended{0};
    int calls = 0;
    const interruption_scope scope(
        [&] {
          EXPECT_EQ(std::this_thread::get_id(), caller);
          return ++calls == 100;
        },
        always);
    EXPECT_THROW(for_parts(parts,
                           [&](int) {
                             try {
                               for (;;) poll_interruption();
                             } catch (const interrupted_error&) {
                               ++ended;
                               throw;
                             }
                           }),
                 interrupted_error);
    EXPECT_EQ(ended, parts);
    EXPECT_EQ(calls, 100);
    EXPECT_THROW(poll_interruption(), interrupted_error) << "an end is one";
  }
  EXPECT_NO_THROW(poll_interruption());
}

TEST(interruption, what_the_question_throws_reaches_the_caller_and_ends_the_others) {
  const interruption_scope scope([]() -> bool { throw std::runtime_error("asked"); }, always);
  try {
    for_parts(5, [&](int) {
      for (;;) poll_interruption();
    });
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "asked");
  }
}

TEST(interruption, an_inner_scope_asks_the_outer_one) {
  bool wanted = false;
  const interruption_scope outer([&] { return wanted; }, always);
  {
    const interruption_scope inner([] { return false; }, always);
    EXPECT_NO_THROW(poll_interruption());
    wanted = true;
    EXPECT_THROW(poll_interruption(), interrupted_error);
  }
  EXPECT_THROW(poll_interruption(), interrupted_error);
}

TEST(interruption, a_scope_that_asks_nobody_shuts_the_outer_ones_out) {
  bool wanted = false;
  const interruption_scope outer([&] { return wanted; }, always);
  const interruption_scope shut({});
  EXPECT_FALSE(shut.wanted_outside());
  wanted = true;
  EXPECT_NO_THROW(poll_interruption());
  for_parts(3, [](int) { poll_interruption(); });
  EXPECT_TRUE(shut.wanted_outside());
  const interruption_scope again([&] { return shut.wanted_outside(); }, always);
  EXPECT_THROW(for_parts(3, [](int) { poll_interruption(); }), interrupted_error);
}

TEST(interruption, parts_of_parts_end_too) {
  std::atomic<int> polls{0};
  const interruption_scope scope([&] { return polls > 1000; }, always);
  EXPECT_THROW(for_parts(3,
                         [&](int) {
                           for_parts(2, [&](int) {
                             for (;; ++polls) poll_interruption();
                           });
                         }),
               interrupted_error);
}

}  // namespace
}  // namespace dwell::test
