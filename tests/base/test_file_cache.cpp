// SPDX-License-Identifier: MIT
// Files kept between programs: processes at once, damage, folders and files that must not be
// trusted, and places where nothing can be kept.
#include "dwell/base/file_cache.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/sha256.hpp"
#include "scratch.hpp"

namespace dwell::test {
namespace {

namespace fs = std::filesystem;

/// Variables of the environment, which have their values again afterwards.
class environment {
 public:
  environment() {
    for (const char* name : {"DWELL_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
      const char* const value = std::getenv(name);
      before_.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(name);
    }
  }
  ~environment() {
    for (const auto& [name, value] : before_)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

class file_cache_test : public testing::Test {
 protected:
  file_cache_test() { setenv("DWELL_CACHE_DIR", folder().c_str(), 1); }
  fs::path folder() const { return root_ / "cache"; }
  static std::string key_of(const std::string& text) { return sha256().add(text).digest(); }
  /// What is in the folder besides files of the cache.
  int others() const {
    int n = 0;
    for (const auto& e : fs::directory_iterator(folder())) n += e.path().extension() != ".made";
    return n;
  }

  environment kept_;
  scratch_folder root_;
};

TEST(sha256, of_published_examples) {  // FIPS 180-4, and a million of "a"
  EXPECT_EQ(sha256().digest(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256().add("abc").digest(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256().add("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").digest(),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256().add(std::string(1000000, 'a')).digest(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(sha256, in_pieces_of_every_size) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    std::string text(random() % 300, '\0');
    for (char& c : text) c = static_cast<char>(random());
    sha256 pieces;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t n = std::min(text.size() - at, static_cast<std::size_t>(random() % 70));
      pieces.add(std::string_view(text).substr(at, n));
      at += n;
    }
    EXPECT_EQ(pieces.digest(), sha256().add(text).digest()) << text.size();
  }
  EXPECT_NE(sha256().add_part("ab").add_part("c").digest(),
            sha256().add_part("a").add_part("bc").digest());
}

TEST_F(file_cache_test, contents_are_made_once) {
  std::mt19937 random(3);
  const file_cache cache(".made");
  for (const std::size_t size : {0u, 1u, 73u, 74u, 75u, 100000u}) {
    std::string content(size, '\0');
    for (char& c : content) c = static_cast<char>(random());
    int made = 0;
    for (const bool found : {false, true, true}) {
      const cached_file f = cache.get(key_of(content), [&] { return ++made, content; });
      EXPECT_EQ(f.content, content);
      EXPECT_EQ(f.found, found);
      EXPECT_EQ(f.why_not, "");
      EXPECT_EQ(bytes_of(f.file).substr(0, size), content);
      EXPECT_EQ(fs::file_size(f.file), size + 74);
      EXPECT_EQ(fs::status(f.file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    }
    EXPECT_EQ(made, 1);
  }
  EXPECT_EQ(fs::status(folder()).permissions(), fs::perms::owner_all);
  EXPECT_EQ(others(), 0);
  EXPECT_EQ(cache.entries().size(), 6u);
  EXPECT_EQ(cache.clear(), 6);
  EXPECT_EQ(cache.entries().size(), 0u);
}

TEST_F(file_cache_test, what_make_throws_is_thrown_and_nothing_stays) {
  const file_cache cache(".made");
  EXPECT_THROW(cache.get(key_of("x"), []() -> std::string { throw input_error("no"); }),
               input_error);
  EXPECT_EQ(others(), 0);
  EXPECT_FALSE(cache.get(key_of("x"), [] { return std::string("x"); }).found);
}

TEST_F(file_cache_test, damaged_files_are_made_anew) {
  const file_cache cache(".made");
  const std::string content = "what was compiled";
  const auto make = [&] { return content; };
  const fs::path file = cache.get(key_of("k"), make).file;
  const std::string good = bytes_of(file);
  std::mt19937 random(11);
  for (int i = 0; i < 100; ++i) {
    std::string bad = good;
    if (i % 3 == 0)
      bad.resize(random() % good.size());
    else if (i % 3 == 1)
      bad[random() % good.size()] ^= static_cast<char>(1 << random() % 7);
    else
      bad += static_cast<char>(random());
    put_bytes(file, bad);
    const cached_file f = cache.get(key_of("k"), make);
    EXPECT_FALSE(f.found) << i;
    EXPECT_EQ(f.content, content);
    EXPECT_EQ(bytes_of(file), good);
  }
}

TEST_F(file_cache_test, of_eight_processes_one_makes_it) {
  for (int round = 0; round < 5; ++round) {
    const std::string key = key_of(std::to_string(round));
    const fs::path log = root_ / ("log" + std::to_string(round));
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        const cached_file f = file_cache(".made").get(key, [&] {
          const int to = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
          const bool noted = ::write(to, "m", 1) == 1;
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          return std::string(noted ? "content" : "");
        });
        _exit(f.content == "content" ? 0 : 1);
      }
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = 1;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(bytes_of(log), "m");
  }
  EXPECT_EQ(others(), 0);
}

TEST_F(file_cache_test, of_threads_one_makes_it) {
  const file_cache cache(".made");
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { cache.get(key_of("t"), [&] { return std::to_string(++made); }); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(made, 1);
}

TEST_F(file_cache_test, a_process_that_dies_keeps_nobody_waiting) {
  const std::string key = key_of("dies");
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    file_cache(".made").get(key, [&]() -> std::string {
      if (::write(ready[1], "r", 1) != 1) _exit(1);
      while (true) pause();
    });
  }
  char r;
  ASSERT_EQ(::read(ready[0], &r, 1), 1);
  kill(child, SIGKILL);
  int status;
  waitpid(child, &status, 0);
  close(ready[0]), close(ready[1]);
  EXPECT_EQ(file_cache(".made").get(key, [] { return std::string("ours"); }).content, "ours");
}

TEST_F(file_cache_test, links_and_other_things_in_the_place_of_a_file_are_not_read) {
  const file_cache cache(".made");
  const auto make = [] { return std::string("made"); };
  const fs::path file = cache.get(key_of("k"), make).file;
  fs::rename(file, root_ / "elsewhere");
  fs::create_symlink(root_ / "elsewhere", file);
  const cached_file f = cache.get(key_of("k"), make);  // the link is replaced
  EXPECT_FALSE(f.found);
  EXPECT_FALSE(fs::is_symlink(file));
  EXPECT_TRUE(fs::exists(root_ / "elsewhere"));
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);  // would wait for a writer
  EXPECT_EQ(cache.get(key_of("k"), make).content, "made");
  fs::remove(file);
  fs::create_directory(file);
  const cached_file beside = cache.get(key_of("k"), make);
  EXPECT_EQ(beside.content, "made");
  EXPECT_NE(beside.why_not, "");
  EXPECT_EQ(beside.file, "");
}

TEST_F(file_cache_test, folders_that_others_may_write_are_refused) {
  fs::create_directories(folder());
  fs::permissions(folder(), fs::perms::all);
  try {
    file_cache cache(".made");
    FAIL();
  } catch (const input_error& e) {
    EXPECT_EQ(std::string(e.what()),
              "DWELL_CACHE_DIR: expected a folder that you alone can write, found " +
                  folder().string() + ": others may write it");
  }
  fs::remove(folder());
  put_bytes(folder(), "a file");
  EXPECT_THROW(file_cache(".made"), input_error);
  fs::remove(folder());
  if (geteuid() == 0) {
    fs::create_directories(folder());
    ASSERT_EQ(chown(folder().c_str(), 1234, 1234), 0);
    EXPECT_THROW(file_cache(".made"), input_error);
  }
}

TEST_F(file_cache_test, places_that_nobody_asked_for_are_done_without) {
  unsetenv("DWELL_CACHE_DIR");
  const auto make = [] { return std::string("made"); };
  {
    const cached_file f = file_cache(".made").get(key_of("k"), make);
    EXPECT_EQ(f.content, "made");
    EXPECT_EQ(f.file, "");
    EXPECT_EQ(f.why_not, "none of DWELL_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
  }
  setenv("HOME", root_.path().c_str(), 1);
  EXPECT_EQ(file_cache(".made").folder(), root_ / ".cache/dwell");
  setenv("XDG_CACHE_HOME", "relative", 1);  // to be ignored
  EXPECT_EQ(file_cache(".made").folder(), root_ / ".cache/dwell");
  setenv("XDG_CACHE_HOME", (root_ / "xdg").c_str(), 1);
  EXPECT_EQ(file_cache(".made").folder(), root_ / "xdg/dwell");
  fs::permissions(root_ / "xdg/dwell", fs::perms::all);
  const file_cache cache(".made");
  EXPECT_EQ(cache.get(key_of("k"), make).why_not,
            (root_ / "xdg/dwell").string() + ": others may write it");
}

TEST_F(file_cache_test, folders_that_are_links_to_ones_own_are_used) {
  fs::create_directory(root_ / "disk");
  fs::permissions(root_ / "disk", fs::perms::owner_all);
  fs::create_directory_symlink(root_ / "disk", folder());
  const cached_file f = file_cache(".made").get(key_of("k"), [] { return std::string("made"); });
  EXPECT_EQ(f.why_not, "");
  EXPECT_EQ(file_cache(".made").entries().size(), 1u);
}

/// What a child process, which the limit of the size of files holds for, makes of a full disk.
TEST_F(file_cache_test, a_full_disk_costs_the_file_alone) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const file_cache cache(".made");
    const cached_file f = cache.get(key_of("k"), [] { return std::string(5000, 'x'); });
    const bool good = f.content.size() == 5000 && f.file.empty() && !f.why_not.empty() &&
                      cache.entries().empty() && fs::is_empty(folder());
    _exit(good ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(file_cache_test, a_folder_that_cannot_be_written_is_said) {
  fs::permissions(root_.path(),
                  fs::perms::owner_all | fs::perms::others_exec | fs::perms::others_read);
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(2);  // root may write everything
    if (access(root_.path().c_str(), W_OK) == 0 && chmod(root_.path().c_str(), 0500) != 0) _exit(3);
    try {
      file_cache cache(".made");
    } catch (const input_error&) {
      unsetenv("DWELL_CACHE_DIR");
      setenv("HOME", root_.path().c_str(), 1);
      const file_cache cache(".made");
      const cached_file f = cache.get(key_of("k"), [] { return std::string("made"); });
      _exit(f.content == "made" && f.why_not == cache.no_folder() && !f.why_not.empty() ? 0 : 4);
    }
    _exit(5);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  fs::permissions(root_.path(), fs::perms::owner_all);
}

TEST_F(file_cache_test, the_files_used_longest_ago_are_removed) {
  const file_cache cache(".made", 3500);
  const auto use = [&](const std::string& key, bool found) {
    const cached_file f = cache.get(key_of(key), [] { return std::string(1000, 'x'); });
    EXPECT_EQ(f.found, found) << key;
    std::this_thread::sleep_for(
        std::chrono::milliseconds(20));  // file systems count in milliseconds
  };
  use("a", false), use("b", false), use("c", false);
  use("a", true);
  use("d", false);  // b goes
  use("c", true), use("a", true), use("d", true);
  use("b", false);
  const file_cache small(".made", 10);
  small.get(key_of("one"), [] { return std::string(100, 'x'); });
  EXPECT_EQ(small.entries().size(), 1u);  // the newest
}

TEST_F(file_cache_test, kinds_of_files_are_apart) {
  file_cache(".made").get(key_of("k"), [] { return std::string("made"); });
  EXPECT_EQ(file_cache(".other").get(key_of("k"), [] { return std::string("other"); }).content,
            "other");
  EXPECT_EQ(file_cache(".other").clear(), 1);
  EXPECT_EQ(file_cache(".made").entries().size(), 1u);
}

}  // namespace
}  // namespace dwell::test
