// SPDX-License-Identifier: MIT
// Kernels that ranks exchange, without a GPU. Ranks are threads here, each with a store of its own
// as processes have: whatever ranks need, have and can compile, each has in the end what it needs,
// every kernel was compiled at most once in all, and what one rank cannot do all throw. And the
// store of a process without a compiler and without a cache takes what it is given.
#include "dwell/execution/comm/kernel_exchange.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/device/kernel_facts.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "scratch.hpp"

namespace dwell::test {
namespace {

const kernel_target target{90, 13};

kernel_source source_of(int number) {
  kernel_source one{fmt::format("text {}", number), fmt::format("kernel<{}>", number)};
  for (int k = 0; k < number % 3; ++k) one.others.push_back(fmt::format("other<{}>", k));
  return one;
}
/// What a compiler makes of it: bytes of all values, of some length.
compiled_kernel code_of(const kernel_source& source) {
  compiled_kernel code;
  std::mt19937 chance(static_cast<unsigned>(std::hash<std::string>()(source.text)));
  code.cubin.resize(chance() % 3000);
  for (char& byte : code.cubin) byte = static_cast<char>(chance());
  code.symbol = "symbol of " + source.kernel;
  code.others = source.others;
  code.compiler = "NVRTC 13.0";
  code.origin = {source.kernel, "sm_90a"};
  code.key = std::string(64, static_cast<char>('a' + source.text.size() % 6));
  return code;
}

class store_of_rank final : public kernel_store {
 public:
  std::shared_ptr<const compiled_kernel> find(const kernel_source& source,
                                              const kernel_target& for_target) override {
    const auto at = all.find(common_name(source, for_target));
    return at == all.end() ? nullptr : at->second;
  }
  bool has_compiler(const kernel_target&) const override { return has_one; }
  compiled_kernels compile(std::span<const kernel_source> sources,
                           const kernel_target& for_target) override {
    if (!has_one) throw unsupported_error("there is no compiler");
    compiled_kernels made;
    for (const kernel_source& source : sources) {
      if (source.text == refuses) throw input_error("cannot compile " + source.text);
      ++compiled;
      made.codes.push_back(std::make_shared<const compiled_kernel>(code_of(source)));
      EXPECT_TRUE(all.emplace(common_name(source, for_target), made.codes.back()).second);
    }
    made.compiler = "NVRTC 13.0";
    made.seconds = 1;
    return made;
  }
  void take(const kernel_source& source, const kernel_target& for_target,
            compiled_kernel given) override {
    ++taken;
    EXPECT_TRUE(all.emplace(common_name(source, for_target),
                            std::make_shared<const compiled_kernel>(std::move(given)))
                    .second);
  }

  std::map<std::string, std::shared_ptr<const compiled_kernel>> all;
  bool has_one = true;
  std::string refuses = "nothing";
  int compiled = 0, taken = 0;
};

/// Caches of this test alone, which has no facts.
class kernel_exchange : public testing::Test {
 protected:
  kernel_exchange() { setenv("DWELL_CACHE_DIR", (folder_ / "cache").c_str(), 1); }
  ~kernel_exchange() override { unsetenv("DWELL_CACHE_DIR"); }
  scratch_folder folder_;
};

TEST_F(kernel_exchange, leaves_each_rank_with_what_it_needs) {
  std::mt19937 chance(20261130);
  const auto below = [&](int n) { return static_cast<int>(chance() % static_cast<unsigned>(n)); };
  int messages = 0, shared = 0;
  for (int round = 0; round < 60; ++round) {
    const int ranks = 1 + below(6), kinds = 1 + below(8);
    SCOPED_TRACE(fmt::format("round {}, {} ranks, {} kernels", round, ranks, kinds));
    std::vector<store_of_rank> stores(static_cast<std::size_t>(ranks));
    std::vector<std::vector<kernel_source>> wanted(stores.size());
    std::set<int> needed, there, compilable;
    const int least = below(3);
    for (std::size_t r = 0; r < stores.size(); ++r) {
      stores[r].has_one = below(4) > 0;
      for (int k = 0; k < kinds; ++k) {
        if (below(3) < least) continue;
        wanted[r].push_back(source_of(k));
        needed.insert(k);
        if (below(5) == 0) {
          stores[r].all[common_name(source_of(k), target)] =
              std::make_shared<const compiled_kernel>(code_of(source_of(k)));
          there.insert(k);
        } else if (stores[r].has_one) {
          compilable.insert(k);
        }
        if (below(6) == 0) wanted[r].push_back(source_of(k));  // twice
      }
      std::ranges::shuffle(wanted[r], chance);
    }
    const bool possible = std::ranges::all_of(
        needed, [&](int k) { return there.contains(k) || compilable.contains(k); });
    const auto to_compile =
        std::ranges::count_if(needed, [&](int k) { return !there.contains(k); });
    std::atomic<int> refused{0};
    run_as_ranks(ranks, [&](std::shared_ptr<communicator> comm) {
      const auto me = static_cast<std::size_t>(comm->rank());
      try {
        const kernel_making made = exchange_kernels(*comm, wanted[me], target, stores[me]);
        EXPECT_EQ(made.seconds > 0, stores[me].compiled > 0);
        EXPECT_EQ(made.compiler.empty(), stores[me].compiled + stores[me].taken == 0);
      } catch (const unsupported_error& e) {
        EXPECT_STREQ(e.what(), "there is no compiler");
        ++refused;
      }
      (void)values_of_ranks(*comm, 1);  // ranks are in step
    });
    if (ranks == 1) continue;
    if (!possible) {
      EXPECT_EQ(refused, ranks);
      continue;
    }
    EXPECT_EQ(refused, 0);
    int compiled = 0;
    for (std::size_t r = 0; r < stores.size(); ++r) {
      compiled += stores[r].compiled;
      messages += stores[r].taken;
      for (const kernel_source& source : wanted[r]) {
        const auto code = stores[r].find(source, target);
        ASSERT_TRUE(code) << "rank " << r << ", " << source.kernel;
        const compiled_kernel right = code_of(source);
        EXPECT_EQ(code->cubin, right.cubin);
        EXPECT_EQ(code->symbol, right.symbol);
        EXPECT_EQ(code->others, right.others);
        EXPECT_EQ(code->key, right.key);
        EXPECT_EQ(code->origin.what, right.origin.what);
      }
    }
    EXPECT_EQ(compiled, to_compile);
    shared += compiled > 0 && ranks > 1;
  }
  EXPECT_GT(messages, 50);
  EXPECT_GT(shared, 10);
}

TEST_F(kernel_exchange, fails_on_all_ranks_where_one_cannot_compile) {
  for (const int ranks : {2, 3, 5}) {
    std::vector<store_of_rank> stores(static_cast<std::size_t>(ranks));
    for (store_of_rank& store : stores) store.refuses = source_of(1).text;
    std::atomic<int> refused{0};
    run_as_ranks(ranks, [&](std::shared_ptr<communicator> comm) {
      const auto me = static_cast<std::size_t>(comm->rank());
      // One rank needs what cannot be compiled, the others something else or nothing.
      const std::vector<kernel_source> wanted = comm->rank() == ranks - 1
                                                    ? std::vector{source_of(0), source_of(1)}
                                                : comm->rank() == 0 ? std::vector<kernel_source>{}
                                                                    : std::vector{source_of(2)};
      try {
        exchange_kernels(*comm, wanted, target, stores[me]);
      } catch (const input_error& e) {
        EXPECT_EQ(std::string(e.what()), "cannot compile text 1");
        EXPECT_NE(dynamic_cast<const agreed_failure*>(&e), nullptr);
        ++refused;
      }
    });
    EXPECT_EQ(refused, ranks);
  }
}

TEST_F(kernel_exchange, tells_targets_texts_and_names_apart) {
  std::set<std::string> names;
  for (int k = 0; k < 6; ++k)
    for (const kernel_target& t : {target, kernel_target{80, 13}, kernel_target{90, 12}})
      EXPECT_TRUE(names.insert(common_name(source_of(k), t)).second);
  kernel_source one = source_of(1), other = one;
  other.kernel += " ";
  EXPECT_NE(common_name(one, target), common_name(other, target));
  other = one;
  other.about = "said otherwise";
  EXPECT_EQ(common_name(one, target), common_name(other, target));
}

TEST_F(kernel_exchange, takes_no_damaged_bytes) {
  compiled_kernel code = code_of(source_of(5));
  keep_facts(code, {"NVIDIA H200", 256, 512}, {77, 8, 0, 3});
  const std::string whole = packed(code);
  file_cache().clear();
  ASSERT_TRUE(unpacked(whole));
  const auto facts = facts_of_key(code.key);
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].facts, (kernel_facts{77, 8, 0, 3}));
  EXPECT_EQ(facts[0].place.device, "NVIDIA H200");
  std::mt19937 chance(9);
  for (int round = 0; round < 200; ++round) {
    std::string bytes = whole;
    if (round % 2)
      bytes.resize(chance() % whole.size());
    else
      bytes[chance() % bytes.size()] ^= static_cast<char>(1 + chance() % 255);
    EXPECT_FALSE(unpacked(bytes)) << round;
  }
}

/// By the compiler and the stores of processes. Threads of one have one store: they compile once.
class compiled_exchange : public kernel_exchange {
 protected:
  void SetUp() override {
    try {
      nvrtc::library();
    } catch (const unsupported_error& e) {
      GTEST_SKIP() << e.what();
    }
  }
  const kernel_target any_{90, 0};
};

TEST_F(compiled_exchange, of_threads_compiles_once) {
  const kernel_source source{"template <int N> __global__ void exchanged(int* v) { *v = N; }\n",
                             "exchanged<4711>"};
  std::atomic<int> begun{0};
  run_as_ranks(4, [&](std::shared_ptr<communicator> comm) {
    const making_listener listener([&](const file_origin&) { ++begun; });
    exchange_kernels(*comm, std::vector{source}, any_);
    EXPECT_FALSE(compile_kernel(source, any_)->cubin.empty());
  });
  EXPECT_EQ(begun, 1);
}

/// A process that has neither: a kernel that another one compiled runs there.
TEST_F(compiled_exchange, serves_a_process_without_compiler_and_cache) {
  const kernel_source source{
      "template <int N> __global__ void given(int* v) { *v = N; }\n"
      "__global__ void beside(int* v) { *v = 2; }\n",
      "given<99>",
      "",
      {"beside"}};
  // Compiled in another process, so that this one has it in no memory.
  const std::string file = folder_ / "bytes";
  const auto in_child = [](auto&& f) {
    const pid_t child = fork();
    if (child == 0) {
      int status = 99;
      try {
        status = f();
      } catch (...) {
      }
      _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  ASSERT_EQ(in_child([&] {
              put_bytes(file, packed(*compile_kernel(source, any_)));
              return 0;
            }),
            0);
  const std::string bytes = bytes_of(file);
  for (const bool has_cache : {false, true})
    EXPECT_EQ(in_child([&] {
                setenv("DWELL_NVRTC", (folder_ / "none").c_str(), 1);
                put_bytes(folder_ / "file", "");
                setenv("DWELL_CACHE_DIR",
                       has_cache ? (folder_ / "own").c_str() : (folder_ / "file").c_str(), 1);
                kernel_store& store = kernels_of_process();
                if (store.has_compiler(any_) || store.find(source, any_)) return 1;
                try {
                  (void)compile_kernel(source, any_);
                  return 2;
                } catch (const unsupported_error&) {
                }
                store.take(source, any_, unpacked(bytes).value());
                const auto code = compile_kernel(source, any_);
                if (code->cubin.empty() || code->symbol.empty() || code->others.size() != 1)
                  return 3;
                if (code->why_not_kept.empty() != has_cache) return 4;
                return file_cache().entries().size() == (has_cache ? 1u : 0u) ? 0 : 5;
              }),
              0);
}

}  // namespace
}  // namespace dwell::test
