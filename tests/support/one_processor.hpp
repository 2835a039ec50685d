// SPDX-License-Identifier: MIT
// Set-ups with one thread: their threads follow the processors that the process may use.
#pragma once
#include <sched.h>

namespace dwell::test {

/// While it lives, the calling thread and what it starts may use one processor only.
class on_one_processor {
 public:
  on_one_processor() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int k = 0; k < CPU_SETSIZE; ++k)
      if (CPU_ISSET(k, &before_)) {
        CPU_SET(k, &one);
        break;
      }
    sched_setaffinity(0, sizeof one, &one);
  }
  on_one_processor(const on_one_processor&) = delete;
  ~on_one_processor() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

}  // namespace dwell::test
