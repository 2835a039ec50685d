// SPDX-License-Identifier: MIT
// Kernels that are compiled while a program runs: which compiler, what is said if there is none or
// it fails, and the cache on the disk: who may use it, what a damaged file does, many processes at
// once. What a process has loaded it keeps, so everything happens in processes of its own.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/sha256.hpp"
#include "dwell/execution/stencil/fields/kernel_cache.hpp"
#include "dwell/execution/stencil/fields/system_compiler.hpp"
#include "dwell/stencil/field_runner.hpp"

namespace dwell::test {
namespace {

namespace fs = std::filesystem;

/// A folder with the cache of a test, removed at its end.
class FieldKernels : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/fields-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
    ::setenv("DWELL_CACHE_DIR", (folder / "cache").c_str(), 1);
    for (const char* variable : {"CXX", "DWELL_STENCIL_KERNEL"}) ::unsetenv(variable);
  }
  void TearDown() override { fs::remove_all(folder); }
  fs::path kernels() const { return folder / "cache" / "kernels"; }
  fs::path folder;
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

/// What f() says in a child; what it throws begins with "threw ".
std::string in_child(const std::function<std::string()>& f) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    std::string said;
    try {
      said = f();
    } catch (const std::exception& e) {
      said = std::string("threw ") + e.what();
    }
    const bool whole =
        ::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    ::_exit(whole ? 0 : 1);
  }
  ::close(ends[1]);
  std::string said;
  std::array<char, 512> bytes;
  for (ssize_t n; (n = ::read(ends[0], bytes.data(), bytes.size())) > 0;)
    said.append(bytes.data(), static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? said : "died";
}

stencil_definition shift() {
  cell_tape t{"shift", 1, {"u"}, {}, {}, {cell_node::tap(0, std::array{1})}, {{{0, 0}}}};
  return stencil_definition(t);
}
/// Runs a step, checks it, and says how.
std::string run_shift(const std::string& kernel) {
  field_options options;
  options.kernel = kernel;
  options.boundaries = {field_boundary::all({side_kind::periodic, 0})};
  field_runner<double> runner(device::cpu(1), shift(), {3}, options);
  std::vector<double> u{1, 2, 3};
  runner.set_field(0, u);
  runner.run(1);
  runner.field(0, u);
  const field_report r = runner.report();
  if (u != std::vector<double>{2, 3, 1}) return "wrong";
  return r.kernel + ": " + r.kernel_reason;
}

/// Compiles a library, and adds a letter to a file.
kernel_compiler counted(const fs::path& log) {
  return [log](const std::string& file) {
    std::ofstream(log, std::ios::app) << 'x';
    const std::string source = file + ".cpp";
    write(source, "extern \"C\" int answer() { return 42; }\n");
    std::string why;
    const auto compiler = find_compiler(why);
    auto command = compiler->command;
    command.insert(command.end(), {"-shared", "-fPIC", source, "-o", file});
    if (!run_program(command).success) throw device_error("not compiled");
  };
}
std::string key_of(const std::string& text) { return hexadecimal(sha256(text)); }

TEST_F(FieldKernels, AreCompiledOnceAndThenInTheCache) {
  EXPECT_TRUE(in_child([] { return run_shift("compiled"); }).starts_with("compiled: by /"));
  EXPECT_EQ(in_child([] { return run_shift("auto"); }), "compiled: from the cache");
  struct stat s {};
  ASSERT_EQ(::stat(kernels().c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0700u);
  const std::vector<cache_entry> kept = file_cache().entries();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].origin.what, "stencil shift, double");
  std::string why;
  const std::string compiler = find_compiler(why)->version;
  EXPECT_EQ(kept[0].origin.target,
            device::cpu(1).facts().name + ", " + compiler.substr(0, compiler.find('\n')));
  EXPECT_EQ(std::distance(fs::directory_iterator(kernels()), {}), 1);
}

TEST_F(FieldKernels, EightProcessesCompileOnce) {
  std::vector<pid_t> children;
  for (int k = 0; k < 8; ++k) {
    const pid_t child = ::fork();
    if (child == 0)
      ::_exit(kernel_of_key(key_of("race"), {}, counted(folder / "log")).library ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(text_of(folder / "log"), "x");
}

TEST_F(FieldKernels, DamagedAndForeignFilesAreReplaced) {
  const std::string key = key_of("damaged"), other = key_of("other");
  const auto made = [&](const std::string& of) {
    return in_child([&] {
      const cached_kernel k = kernel_of_key(of, {}, counted(folder / "log"));
      return std::string(k.compiled ? "compiled" : "kept") +
             (k.not_kept.empty() ? "" : "not kept: ") + k.not_kept;
    });
  };
  EXPECT_EQ(made(key), "compiled");
  EXPECT_EQ(made(key), "kept");
  EXPECT_EQ(made(other), "compiled");
  const fs::path file = kernels() / (key + ".so");
  const std::string whole = text_of(file);
  std::string flipped = whole;
  flipped[whole.size() / 2] ^= 1;
  for (const std::string& damage :
       {std::string(), whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 1),
        whole + "x", flipped, std::string("text"), text_of(kernels() / (other + ".so"))}) {
    write(file, damage);
    EXPECT_EQ(made(key), "compiled");
    EXPECT_EQ(made(key), "kept");
  }
  fs::remove(file);
  fs::create_symlink(kernels() / (other + ".so"), file);
  EXPECT_EQ(made(key), "compiled");
  EXPECT_FALSE(fs::is_symlink(file));
  EXPECT_EQ(made(key), "kept");
  if (::geteuid() == 0) {  // a file of another user
    ASSERT_EQ(::chown(file.c_str(), 65534, 65534), 0);
    EXPECT_EQ(made(key), "compiled");
  }
  fs::remove(file);
  fs::create_directories(file / "full");  // cannot be replaced
  EXPECT_TRUE(made(key).starts_with("compilednot kept: ")) << made(key);
}

TEST_F(FieldKernels, FoldersThatCannotBeUsedKeepNothing) {
  const auto note = [&] { return in_child([] { return run_shift("compiled"); }); };
  fs::create_directories(kernels());
  fs::permissions(kernels(), fs::perms(0755));
  EXPECT_NE(note().find("not kept: " + kernels().string() + ": others may use it"),
            std::string::npos)
      << note();
  EXPECT_TRUE(fs::is_empty(kernels()));
  ::setenv("DWELL_CACHE_DIR", "/dev/null/cache", 1);
  EXPECT_NE(note().find("not kept"), std::string::npos) << note();
}

TEST_F(FieldKernels, ClearingTheCacheHurtsNobody) {
  const fs::path object = folder / "object.so";
  counted(folder / "log")(object.string());
  const std::string bytes = text_of(object);
  std::vector<pid_t> children;
  for (int k = 0; k < 40; ++k) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool loaded = true;
      for (int i = 0; i < 5; ++i)
        loaded = kernel_of_key(key_of(std::to_string(i)), {},
                               [&](const std::string& file) { write(file, bytes); })
                     .library &&
                 loaded;
      ::_exit(loaded ? 0 : 1);
    }
    children.push_back(child);
    file_cache().clear();
  }
  for (const pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST_F(FieldKernels, WithoutACompilerTapesAreInterpretedOrRefused) {
  const auto both = [](const std::function<void()>& set, const std::string& why) {
    const std::string chosen = in_child([&] { return set(), run_shift("auto"); });
    EXPECT_TRUE(chosen.starts_with("interpreted: no compiled kernel: ")) << chosen;
    EXPECT_NE(chosen.find(why), std::string::npos) << chosen;
    const std::string refused = in_child([&] { return set(), run_shift("compiled"); });
    EXPECT_TRUE(refused.starts_with("threw stencil shift: no compiled kernel: ")) << refused;
    EXPECT_NE(refused.find(why), std::string::npos) << refused;
    EXPECT_EQ(refused.find('\n'), std::string::npos) << refused;
  };
  both([] { ::setenv("PATH", "/nowhere", 1); }, "there is no compiler");
  both([] { ::setenv("CXX", "no-such-compiler -O1", 1); }, "CXX names 'no-such-compiler'");
  const std::string script = (folder / "failing").string();
  write(script,
        "#!/bin/sh\ncase \"$*\" in *--version*) echo failing 1.0;; *) echo note; echo 'k.cpp:1: "
        "error: out of cheese'; exit 1;; esac\n");
  fs::permissions(script, fs::perms(0700));
  both([&] { ::setenv("CXX", script.c_str(), 1); }, "error: out of cheese");
  // A disk without room.
  both(
      [] {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit none{100, 100};
        ::setrlimit(RLIMIT_FSIZE, &none);
      },
      "");
  EXPECT_TRUE(fs::is_empty(kernels()));
}

TEST_F(FieldKernels, NothingGoesThroughAShell) {
  const fs::path made = folder / "made";
  const std::string said = in_child([&] {
    ::setenv("CXX", fmt::format("c++ ; touch {0} $(touch {0})", made.string()).c_str(), 1);
    return run_shift("auto");
  });
  EXPECT_TRUE(said.starts_with("interpreted: ")) << said;
  EXPECT_FALSE(fs::exists(made));
}

TEST_F(FieldKernels, TheVariableChoosesWhereAutoDoes) {
  const auto with = [](const char* variable, const char* kernel) {
    return in_child([&] {
      ::setenv("DWELL_STENCIL_KERNEL", variable, 1);
      return run_shift(kernel);
    });
  };
  EXPECT_EQ(with("interpreted", "auto"), "interpreted: as DWELL_STENCIL_KERNEL says");
  EXPECT_TRUE(with("interpreted", "compiled").starts_with("compiled: "));
  EXPECT_EQ(with("compiled", "interpreted"), "interpreted: as asked for");
  EXPECT_TRUE(
      with("fast", "auto").starts_with("threw DWELL_STENCIL_KERNEL: expected auto, compiled or"));
  EXPECT_TRUE(
      in_child([] { return run_shift("compield"); }).starts_with("threw kernel: expected auto"));
}

}  // namespace
}  // namespace dwell::test
