// SPDX-License-Identifier: MIT
// What a run costs beside its steps: no memory, no copies. The linker puts the function below in
// the place of dwell::memory_of() (--wrap), and operator new is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "each_stencil_way.hpp"
#include "stencil_oracle.hpp"

#include "dwell/execution/device/buffer.hpp"
#include "dwell/stencil/stencil_runner.hpp"

namespace {
std::atomic<long> news{0}, memory_calls{0};

void* counted(std::size_t bytes, std::size_t alignment) {
  ++news;
  const std::size_t rounded = (bytes + alignment) / alignment * alignment;
  if (void* p = std::aligned_alloc(alignment, rounded)) return p;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t n) { return counted(n, alignof(std::max_align_t)); }
void* operator new[](std::size_t n) { return counted(n, alignof(std::max_align_t)); }
// std::stable_sort asks in this way: without it a sanitizer's own would be freed by std::free.
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  try {
    return counted(n, alignof(std::max_align_t));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new(std::size_t n, std::align_val_t a) {
  return counted(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return counted(n, static_cast<std::size_t>(a));
}
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // for what is allocated above
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace dwell {
// Every allocation, release and copy of a buffer asks for its memory space first.
const memory_space& true_memory_of(backend on) asm("__real__ZN5dwell9memory_ofENS_7backendE");
const memory_space& counted_memory_of(backend on) asm("__wrap__ZN5dwell9memory_ofENS_7backendE");
const memory_space& counted_memory_of(backend on) {
  ++memory_calls;
  return true_memory_of(on);
}

namespace test {
namespace {

class stencil_runner_memory : public each_stencil_way {};

TEST_F(stencil_runner_memory, is_made_once) {
  const auto start = random_field<double>({45, 136}, 1);
  each_way([&](const stencil_options& o) {
    const long before = memory_calls;
    stencil_runner<double> runner(stencil_place::where(), start.size(), o);
    runner.set_field(start);
    EXPECT_GT(memory_calls, before) << "they are counted";
    runner.run(1);
    const long news_made = news, calls_made = memory_calls;
    for (const int steps : {1, 2, 70, 1}) {
      runner.run(steps);
      runner.run_async(steps);
    }
    runner.wait();
    runner.run_until(1e-9, 30, 10);
    EXPECT_EQ(news, news_made);
    EXPECT_EQ(memory_calls, calls_made);
  });
}

}  // namespace
}  // namespace test
}  // namespace dwell
