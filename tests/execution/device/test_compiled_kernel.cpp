// SPDX-License-Identifier: MIT
// Kernels compiled at run time, as far as that needs no GPU: what comes of it, what is kept, what
// is said where something is missing or wrong. Without NVRTC they are skipped.
#include "dwell/execution/device/compiled_kernel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/file_cache.hpp"
#include "dwell/execution/device/kernel_headers.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/execution/stencil/launch/needed_kernel.hpp"
#include "scratch.hpp"

namespace dwell::test {
namespace {

/// A kernel of its own: no memory of this process has it.
kernel_source scaling(int factor) {
  return {
      "template <int N> __global__ void scale(double* v) { v[threadIdx.x] = N * v[threadIdx.x] + "
      "1.0; }\n",
      "scale<" + std::to_string(factor) + ">"};
}

class compiled_kernel_test : public testing::Test {
 protected:
  void SetUp() override {
    setenv("DWELL_CACHE_DIR", (folder_ / "cache").c_str(), 1);
    try {
      nvrtc::library();
    } catch (const unsupported_error& e) {
      GTEST_SKIP() << e.what();
    }
  }
  ~compiled_kernel_test() override {
    for (const char* name : {"DWELL_CACHE_DIR", "DWELL_KEEP"}) unsetenv(name);
    asked_.empty() ? unsetenv("DWELL_NVRTC") : setenv("DWELL_NVRTC", asked_.c_str(), 1);
  }
  /// What a child process, in whose memory nothing is, returns.
  template <class F>
  static int in_child(F&& f) {
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
  }
  static std::string given(const char* name) {
    const char* const text = std::getenv(name);
    return text ? text : "";
  }

  scratch_folder folder_;
  const std::string asked_ = given("DWELL_NVRTC");
};

TEST_F(compiled_kernel_test, machine_code_of_every_kind_of_step) {
  using text = shape_text (*)();
  for (const text shape : {text([] { return built_in_text("star2d5"); }),
                           text([] { return built_in_text("star3d7"); }),
                           text([] { return built_in_text("gradient2d"); })})
    for (const precision type : {precision::f64, precision::f32}) {
      const kernel_source source = needed_step({shape, "a shape", type}, 0).sources[0];
      const auto made = compile_kernel(source, {90, 0});
      EXPECT_EQ(made->cubin.substr(0, 4), std::string("\x7f") + "ELF");
      EXPECT_NE(made->symbol.find("step_kernel"), std::string::npos);
      EXPECT_NE(made->symbol.find(shape().name.substr(7)), std::string::npos);
      EXPECT_NE(made->cubin.find(made->symbol), std::string::npos);
      EXPECT_FALSE(made->found);
      EXPECT_GT(made->seconds, 0);
      EXPECT_EQ(made->why_not_kept, "");
      EXPECT_EQ(compile_kernel(source, {90, 0}), made);  // from memory
    }
  EXPECT_EQ(file_cache().entries().size(), 6u);
}

TEST_F(compiled_kernel_test, shapes_that_no_build_knows) {
  const auto askew = [] {
    return shape_text{
        "namespace user { struct askew : dwell::linear_stencil<askew> {\n"
        "  static constexpr const char* name = \"askew\";\n"
        "  static constexpr int dims = 2;\n"
        "  static constexpr dwell::tap taps[] = {{0, 0}, {1, 0}, {-1, 1}, {0, -1}};\n"
        "}; }",
        "user::askew"};
  };
  for (const needed_kernel& k : {needed_step({askew, "askew", precision::f64}, 0),
                                 needed_own_step({askew, "askew", precision::f32}, "naive")})
    for (const int capability : {80, 90})
      EXPECT_GT(compile_kernel(k.sources[0], {capability, 0})->cubin.size(), 1000u);
}

TEST_F(compiled_kernel_test, another_process_finds_it) {
  EXPECT_EQ(in_child([] { return compile_kernel(scaling(3), {90, 0})->found ? 1 : 0; }), 0);
  EXPECT_EQ(in_child([] { return compile_kernel(scaling(3), {90, 0})->found ? 1 : 0; }), 1);
  const auto here = compile_kernel(scaling(3), {90, 0});
  EXPECT_TRUE(here->found);
  EXPECT_EQ(here->seconds, 0);
  EXPECT_NE(here->cubin.find(here->symbol), std::string::npos);
  EXPECT_FALSE(compile_kernel(scaling(3), {80, 0})->found);
  EXPECT_EQ(file_cache().entries().size(), 2u);
}

TEST_F(compiled_kernel_test, of_eight_processes_one_compiles) {
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        _exit(compile_kernel(scaling(5), {90, 0})->found ? 0 : 1);
      } catch (...) {
        _exit(2);
      }
    }
    children.push_back(child);
  }
  int compiled = 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_LE(WEXITSTATUS(status), 1);
    compiled += WEXITSTATUS(status);
  }
  EXPECT_EQ(compiled, 1);
}

TEST_F(compiled_kernel_test, threads_compile_at_once) {
  std::vector<std::thread> threads;
  std::vector<std::string> symbols(6);
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&, i] {
      symbols[static_cast<std::size_t>(i)] = compile_kernel(scaling(10 + i % 3), {90, 0})->symbol;
    });
  for (std::thread& t : threads) t.join();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(symbols[static_cast<std::size_t>(i)], symbols[static_cast<std::size_t>(i + 3)]);
  EXPECT_NE(symbols[0], symbols[1]);
}

TEST_F(compiled_kernel_test, several_at_once_are_counted_when_they_are_compiled) {
  const std::vector<kernel_source> all = {scaling(60), scaling(61), scaling(60)};
  const compiled_kernels first = compile_kernels(all, {90, 0});
  ASSERT_EQ(first.codes.size(), 3u);
  EXPECT_EQ(first.codes[0]->key, first.codes[2]->key);
  EXPECT_NE(first.codes[0]->key, first.codes[1]->key);
  EXPECT_EQ(first.compiler, first.codes[0]->compiler);
  EXPECT_GT(first.seconds, 0);
  EXPECT_EQ(compile_kernels(all, {90, 0}).seconds, 0);  // in memory
  EXPECT_TRUE(compile_kernels({}, {90, 0}).codes.empty());
  std::vector<std::string> told;
  {
    const making_listener listener([&](const file_origin& o) { told.push_back(o.what); });
    (void)compile_kernels(std::vector{scaling(63), scaling(64), scaling(60)}, {90, 0});
  }
  std::ranges::sort(told);
  EXPECT_EQ(told, (std::vector<std::string>{"scale<63>", "scale<64>"}));
  const std::vector<kernel_source> wrong = {{"not C++", "f"}, scaling(62)};
  EXPECT_THROW(compile_kernels(wrong, {90, 0}), input_error);
}

TEST_F(compiled_kernel_test, a_damaged_file_is_compiled_anew) {
  const std::string key = compile_kernel(scaling(20), {89, 0})->key;
  const std::filesystem::path file = file_cache().folder() / (key + ".cubin");
  std::string bytes = bytes_of(file);
  bytes[bytes.size() / 2] ^= 1;
  put_bytes(file, bytes);
  EXPECT_FALSE(file_cache().get(key + ".cubin", {}, [] { return std::string("anew"); }).found);
}

TEST_F(compiled_kernel_test, a_home_that_cannot_be_used_costs_the_cache_alone) {
  EXPECT_EQ(in_child([] {
              for (const char* name : {"DWELL_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) unsetenv(name);
              const auto made = compile_kernel(scaling(30), {90, 0});
              return !made->cubin.empty() && !made->why_not_kept.empty() ? 0 : 1;
            }),
            0);
}

TEST_F(compiled_kernel_test, errors_are_one_line_and_name_the_kernel) {
  const std::string wrong = message_of([] {
    compile_kernel({"template <int N> __global__ void f() { undeclared(N); }\n", "f<1>"}, {90, 0});
  });
  EXPECT_NE(wrong.find("kernel f<1>: NVRTC "), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("undeclared"), std::string::npos) << wrong;
  const std::string none = message_of([] {
    compile_kernel({"#include \"dwell/no.hpp\"\n", "f"}, {90, 0});
  });
  EXPECT_NE(none.find("dwell/no.hpp"), std::string::npos) << none;
  const std::string old = message_of([] { compile_kernel(scaling(2), {35, 0}); });
  EXPECT_NE(old.find("found a device of 35"), std::string::npos) << old;
  EXPECT_TRUE(file_cache().entries().empty());
}

TEST_F(compiled_kernel_test, the_library_that_is_asked_for_is_taken_or_refused) {
  setenv("DWELL_NVRTC", (folder_ / "libnvrtc.so.13").c_str(), 1);
  EXPECT_NE(message_of([] {
              compile_kernel(scaling(2), {90, 0});
            }).find("libnvrtc.so.13"),
            std::string::npos);
  put_bytes(folder_ / "libnvrtc.so.13", "not a library");
  EXPECT_NE(message_of([] {
              compile_kernel(scaling(2), {90, 0});
            }).find("libnvrtc.so.13"),
            std::string::npos);
}

TEST_F(compiled_kernel_test, two_builds_of_nvrtc_have_keys_of_their_own) {
  const nvrtc& usual = nvrtc::library();
  std::filesystem::path other = usual.file();
  other.replace_filename("libnvrtc.alt.so." +
                         std::to_string(usual.major()));  // the toolkit's second build
  if (!std::filesystem::exists(other)) GTEST_SKIP() << "no second NVRTC: " << other;
  const auto first = compile_kernel(scaling(40), {90, 0});
  setenv("DWELL_NVRTC", other.c_str(), 1);
  EXPECT_NE(nvrtc::library().build_id(), usual.build_id());
  const auto second = compile_kernel(scaling(40), {90, 0});
  EXPECT_NE(first->key, second->key);
  EXPECT_FALSE(second->found);
}

TEST_F(compiled_kernel_test, sources_are_kept_where_they_are_asked_for) {
  const auto plain = compile_kernel(scaling(50), {90, 0});
  setenv("DWELL_KEEP", "1", 1);
  const auto kept = compile_kernel(scaling(50), {90, 0});
  EXPECT_NE(kept->key, plain->key);
  EXPECT_GT(kept->cubin.size(), plain->cubin.size());  // line numbers
  const std::filesystem::path sources = file_cache().folder() / "kept";
  EXPECT_NE(bytes_of(sources / (kept->key + ".cu")).find(scaling(50).text), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(sources / "dwell/execution/stencil/args.hpp"));
}

TEST(kernel_headers, all_that_they_include_is_there) {
  std::vector<std::string> names;
  for (const kernel_header& h : kernel_headers()) names.emplace_back(h.name);
  for (const kernel_header& h : kernel_headers()) {
    const std::string text = h.text;
    EXPECT_EQ(text.find("SPDX"), std::string::npos) << h.name;
    for (std::size_t at = text.find("#include "); at != std::string::npos;
         at = text.find("#include ", at + 1)) {
      const std::string name = text.substr(at + 10, text.find_first_of("\">", at + 10) - at - 10);
      EXPECT_NE(std::ranges::find(names, name), names.end()) << h.name << " includes " << name;
    }
  }
  EXPECT_EQ(kernel_headers_digest().size(), 64u);
}

TEST(kernel_options, never_contract) {
  for (const int capability : {80, 90, 120}) {
    const std::vector<std::string> all = kernel_options(capability, 13, 0);
    EXPECT_NE(std::ranges::find(all, "--fmad=false"), all.end());
    EXPECT_NE(std::ranges::find(all, "--modify-stack-limit=false"), all.end());
  }
}

}  // namespace
}  // namespace dwell::test
