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
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dwell/base/cache_files.hpp"
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
  file_cache_test() { setenv("DWELL_CACHE_DIR", root_.path().c_str(), 1); }
  fs::path folder() const { return root_ / "kernels"; }
  static std::string key_of(const std::string& text) { return hexadecimal(sha256(text)) + ".made"; }
  /// What is in the folder besides files of the cache.
  int others() const {
    int n = 0;
    for (const auto& e : fs::directory_iterator(folder())) n += e.path().extension() != ".made";
    return n;
  }

  const file_origin about{"a test", "this machine"};
  environment kept_;
  scratch_folder root_;
};

TEST(sha256, of_published_examples) {  // FIPS 180-4, and a million of "a"
  EXPECT_EQ(hexadecimal(sha256("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hexadecimal(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hexadecimal(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hexadecimal(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(sha256, in_pieces_of_every_size) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    std::string text(random() % 300, '\0');
    for (char& c : text) c = static_cast<char>(random());
    sha256_hash pieces;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t n = std::min(text.size() - at, static_cast<std::size_t>(random() % 70));
      pieces.add(std::string_view(text).substr(at, n));
      at += n;
    }
    EXPECT_EQ(pieces.digest(), sha256(text)) << text.size();
  }
  EXPECT_NE(sha256_hash().add_part("ab").add_part("c").digest(),
            sha256_hash().add_part("a").add_part("bc").digest());
}

TEST_F(file_cache_test, contents_are_made_once) {
  std::mt19937 random(3);
  const file_cache cache;
  for (const std::size_t size : {0u, 1u, 73u, 74u, 75u, 100000u}) {
    std::string content(size, '\0');
    for (char& c : content) c = static_cast<char>(random());
    int made = 0;
    for (const bool found : {false, true, true}) {
      const cached_file f = cache.get(key_of(content), about, [&] { return ++made, content; });
      EXPECT_EQ(f.content, content);
      EXPECT_EQ(f.found, found);
      EXPECT_EQ(f.why_not, "");
      EXPECT_EQ(bytes_of(f.file).substr(0, size), content);
      EXPECT_EQ(fs::file_size(f.file), size + about.what.size() + 1 + about.target.size() + 79);
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
  const file_cache cache;
  EXPECT_THROW(cache.get(key_of("x"), about, []() -> std::string { throw input_error("no"); }),
               input_error);
  EXPECT_EQ(others(), 0);
  EXPECT_FALSE(cache.get(key_of("x"), about, [] { return std::string("x"); }).found);
}

TEST_F(file_cache_test, damaged_files_are_made_anew) {
  const file_cache cache;
  const std::string content = "what was compiled";
  const auto make = [&] { return content; };
  const fs::path file = cache.get(key_of("k"), about, make).file;
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
    const cached_file f = cache.get(key_of("k"), about, make);
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
        const cached_file f = file_cache().get(key, about, [&] {
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
  const file_cache cache;
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back(
        [&] { cache.get(key_of("t"), about, [&] { return std::to_string(++made); }); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(made, 1);
}

TEST_F(file_cache_test, a_process_that_dies_keeps_nobody_waiting) {
  const std::string key = key_of("dies");
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    file_cache().get(key, about, [&]() -> std::string {
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
  EXPECT_EQ(file_cache().get(key, about, [] { return std::string("ours"); }).content, "ours");
}

TEST_F(file_cache_test, links_and_other_things_in_the_place_of_a_file_are_not_read) {
  const file_cache cache;
  const auto make = [] { return std::string("made"); };
  const fs::path file = cache.get(key_of("k"), about, make).file;
  fs::rename(file, root_ / "elsewhere");
  fs::create_symlink(root_ / "elsewhere", file);
  const cached_file f = cache.get(key_of("k"), about, make);  // the link is replaced
  EXPECT_FALSE(f.found);
  EXPECT_FALSE(fs::is_symlink(file));
  EXPECT_TRUE(fs::exists(root_ / "elsewhere"));
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);  // would wait for a writer
  EXPECT_EQ(cache.get(key_of("k"), about, make).content, "made");
  fs::remove(file);
  fs::create_directory(file);
  const cached_file beside = cache.get(key_of("k"), about, make);
  EXPECT_EQ(beside.content, "made");
  EXPECT_NE(beside.why_not, "");
  EXPECT_EQ(beside.file, "");
}

TEST_F(file_cache_test, folders_that_others_may_use_are_not_used) {
  const auto refused = [&] {
    const file_cache cache;
    const cached_file f = cache.get(key_of("k"), about, [] { return std::string("made"); });
    EXPECT_EQ(f.content, "made");
    EXPECT_EQ(f.file, "");
    EXPECT_EQ(f.why_not, cache.no_folder());
    return f.why_not;
  };
  fs::create_directories(folder());
  for (const mode_t mode : {0777, 0750, 0705}) {
    ASSERT_EQ(chmod(folder().c_str(), mode), 0);
    EXPECT_EQ(refused(), folder().string() + ": others may use it (chmod 700)");
  }
  EXPECT_TRUE(fs::is_empty(folder()));
  fs::remove(folder());
  put_bytes(folder(), "a file");
  EXPECT_EQ(refused(), folder().string() + ": it is not a folder");
  fs::remove(folder());
  if (geteuid() == 0) {
    fs::create_directories(folder());
    fs::permissions(folder(), fs::perms::owner_all);
    ASSERT_EQ(chown(folder().c_str(), 1234, 1234), 0);
    EXPECT_EQ(refused(), folder().string() + ": it belongs to another user");
  }
}

TEST_F(file_cache_test, places_that_nobody_asked_for_are_done_without) {
  unsetenv("DWELL_CACHE_DIR");
  const auto make = [] { return std::string("made"); };
  {
    const cached_file f = file_cache().get(key_of("k"), about, make);
    EXPECT_EQ(f.content, "made");
    EXPECT_EQ(f.file, "");
    EXPECT_EQ(f.why_not, "none of DWELL_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
  }
  setenv("HOME", root_.path().c_str(), 1);
  EXPECT_EQ(file_cache().folder(), root_ / ".cache/dwell/kernels");
  setenv("XDG_CACHE_HOME", "relative", 1);  // to be ignored
  EXPECT_EQ(file_cache().folder(), root_ / ".cache/dwell/kernels");
  setenv("XDG_CACHE_HOME", (root_ / "xdg").c_str(), 1);
  EXPECT_EQ(file_cache().folder(), root_ / "xdg/dwell/kernels");
  fs::permissions(root_ / "xdg/dwell/kernels", fs::perms::all);
  const file_cache cache;
  EXPECT_EQ(cache.get(key_of("k"), about, make).why_not,
            (root_ / "xdg/dwell/kernels").string() + ": others may use it (chmod 700)");
}

TEST_F(file_cache_test, folders_that_are_links_are_not_used) {
  fs::create_directory(root_ / "disk");
  fs::permissions(root_ / "disk", fs::perms::owner_all);
  fs::create_directory_symlink(root_ / "disk", folder());
  const cached_file f = file_cache().get(key_of("k"), about, [] { return std::string("made"); });
  EXPECT_EQ(f.why_not, folder().string() + ": it is not a folder");
  EXPECT_TRUE(fs::is_empty(root_ / "disk"));
}

/// What a child process, which the limit of the size of files holds for, makes of a full disk.
TEST_F(file_cache_test, a_full_disk_costs_the_file_alone) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const file_cache cache;
    const cached_file f = cache.get(key_of("k"), about, [] { return std::string(5000, 'x'); });
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
    const file_cache cache;
    const cached_file f = cache.get(key_of("k"), about, [] { return std::string("made"); });
    _exit(f.content == "made" && f.why_not == cache.no_folder() && !f.why_not.empty() ? 0 : 4);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  fs::permissions(root_.path(), fs::perms::owner_all);
}

/// What others make and this process keeps counts, too.
TEST_F(file_cache_test, files_that_are_put_there_keep_the_limit) {
  const file_cache cache(3500);
  for (int k = 0; k < 8; ++k) {
    const std::string key = key_of(std::to_string(k)), content(700, static_cast<char>('a' + k));
    EXPECT_EQ(put_in(cache, key, about, content), "");
    EXPECT_EQ(find_in(cache, key), content);
    std::uintmax_t bytes = 0;
    for (const cache_entry& e : cache.entries()) bytes += e.bytes;
    EXPECT_LE(bytes, cache.limit());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // times of use differ
  }
  EXPECT_LT(cache.entries().size(), 5u);
  EXPECT_EQ(find_in(cache, key_of("0")), std::nullopt);
}

TEST_F(file_cache_test, the_files_used_longest_ago_are_removed) {
  const file_cache cache(3500);
  const auto use = [&](const std::string& key, bool found) {
    const cached_file f = cache.get(key_of(key), about, [] { return std::string(1000, 'x'); });
    EXPECT_EQ(f.found, found) << key;
    std::this_thread::sleep_for(
        std::chrono::milliseconds(20));  // file systems count in milliseconds
  };
  use("a", false), use("b", false), use("c", false);
  use("a", true);
  use("d", false);  // b goes
  use("c", true), use("a", true), use("d", true);
  use("b", false);
  const file_cache small(10);
  small.get(key_of("one"), about, [] { return std::string(100, 'x'); });
  EXPECT_EQ(small.entries().size(), 1u);  // the newest
}

TEST_F(file_cache_test, files_of_other_keys_and_kinds_are_not_taken) {
  const file_cache cache;
  const fs::path file = cache.get(key_of("k"), about, [] { return std::string("k"); }).file;
  const std::string other = hexadecimal(sha256("k")) + ".other";
  for (const std::string& name : {key_of("l"), other}) {
    put_bytes(folder() / name, bytes_of(file));
    const cached_file f = cache.get(name, about, [&] { return name; });
    EXPECT_FALSE(f.found);
    EXPECT_EQ(f.content, name);
  }
  EXPECT_TRUE(cache.get(key_of("k"), about, [] { return std::string(); }).found);
}

TEST_F(file_cache_test, entries_say_what_they_are) {
  std::mt19937 random(5);
  const file_cache cache;
  std::map<std::string, file_origin> kept;
  for (int i = 0; i < 30; ++i) {
    file_origin origin;
    for (std::string* line : {&origin.what, &origin.target})
      for (auto n = random() % 300; n > 0; --n) *line += static_cast<char>(' ' + random() % 90);
    const std::string key = key_of(std::to_string(i));
    cache.get(key, origin, [&] { return std::string(random() % 3000, '\n'); });
    kept[key] = origin;
  }
  const fs::path damaged = folder() / kept.begin()->first;
  put_bytes(damaged, bytes_of(damaged).substr(0, 20));
  kept.begin()->second = {};
  put_bytes(folder() / "notes.txt", "no entry");
  const std::vector<cache_entry> all = cache.entries();
  ASSERT_EQ(all.size(), kept.size());
  for (const cache_entry& e : all) {
    const file_origin& origin = kept.at(e.file.filename());
    EXPECT_EQ(e.origin.what, origin.what);
    EXPECT_EQ(e.origin.target, origin.target);
    EXPECT_EQ(e.bytes, fs::file_size(e.file));
  }
  EXPECT_EQ(cache.clear(), 30);
  EXPECT_EQ(bytes_of(folder() / "notes.txt"), "no entry");
}

TEST_F(file_cache_test, a_listener_is_told_of_what_is_made) {
  const file_cache cache;
  std::vector<std::string> told;
  const auto get = [&](const char* key) {
    cache.get(key_of(key), {key, ""}, [] { return std::string("made"); });
  };
  {
    const making_listener listener([&](const file_origin& o) { told.push_back(o.what); });
    get("a"), get("a"), get("b");
    std::thread([&] { get("c"); }).join();  // not this thread's
  }
  get("d");
  EXPECT_EQ(told, (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace dwell::test
