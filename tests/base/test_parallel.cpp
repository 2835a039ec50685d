// SPDX-License-Identifier: MIT
// Parts of work where the system starts no threads.
#include "dwell/base/parallel.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace dwell::test {
namespace {

/// While it lives, stacks are asked for that no machine has room for.
class no_threads {
 public:
  no_threads() {
    ::pthread_getattr_default_np(&before_);
    pthread_attr_t huge = before_;
    ::pthread_attr_setstacksize(&huge, std::size_t{1} << 47);
    ::pthread_setattr_default_np(&huge);
  }
  ~no_threads() { ::pthread_setattr_default_np(&before_); }
  no_threads(const no_threads&) = delete;
  no_threads& operator=(const no_threads&) = delete;

 private:
  pthread_attr_t before_;
};

TEST(parallel, parts_without_a_thread_run_all_the_same) {
#if defined(DWELL_SANITIZED_THREADS)
  GTEST_SKIP() << "ThreadSanitizer ends the program if a thread does not start";
#endif
  const no_threads here;
  ASSERT_THROW(std::jthread([] {}), std::system_error) << "nothing would be tested";
  std::atomic<int> sum = 0;
  const auto caller = std::this_thread::get_id();
  for_parts(4, [&](int part) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    sum += 1 << 4 * part;
  });
  EXPECT_EQ(sum, 0x1111);
  EXPECT_THROW(for_parts(3,
                         [&](int part) {
                           ++sum;
                           if (part > 0) throw std::runtime_error("part");
                         }),
               std::runtime_error);
  EXPECT_EQ(sum, 0x1114) << "the others are done";
  for_parts(0, [](int) { FAIL(); });
}

}  // namespace
}  // namespace dwell::test
