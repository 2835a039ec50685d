// SPDX-License-Identifier: MIT
// A file that replaces another one: its permissions, and links, which stay.
#include "dwell/formats/atomic_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scratch.hpp"

namespace dwell::test {
namespace {

namespace fs = std::filesystem;

class atomic_files : public testing::Test {
 protected:
  scratch_folder folder_;

  static void write(const fs::path& file, const std::string& text) {
    atomic_file out(file);
    out.write(text);
    out.commit();
  }
  static mode_t mode(const fs::path& file) {
    struct stat facts = {};
    EXPECT_EQ(::stat(file.c_str(), &facts), 0) << file;
    return facts.st_mode & 07777;
  }
};

TEST_F(atomic_files, have_the_permissions_of_what_they_replace) {
  const auto file = folder_ / "a";
  const mode_t mask = ::umask(022);
  write(file, "new");
  EXPECT_EQ(mode(file), 0644u) << "those of any new file";
  for (const mode_t m : {0600u, 0640u, 0666u, 0755u, 0200u}) {
    ASSERT_EQ(::chmod(file.c_str(), m), 0);
    write(file, fmt::format("{:o}", m));
    EXPECT_EQ(mode(file), m);
  }
  ::umask(mask);
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  EXPECT_EQ(bytes_of(file), "200");
}

TEST_F(atomic_files, are_never_more_open_than_what_they_replace) {
  const auto file = folder_ / "a";
  put_bytes(file, "old");
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  atomic_file out(file);
  out.write("not yet there");
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    EXPECT_EQ(mode(entry.path()), 0600u) << entry.path();
  EXPECT_EQ(folder_.files(), 2u);
}

TEST_F(atomic_files, do_not_replace_what_may_not_be_written) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
  const auto file = folder_ / "a";
  put_bytes(file, "old");
  ASSERT_EQ(::chmod(file.c_str(), 0400), 0);
  EXPECT_EQ(message_of([&] { write(file, "new"); }),
            file.string() + ": expected a writable file, found: Permission denied");
  EXPECT_EQ(bytes_of(file), "old");
  EXPECT_EQ(folder_.files(), 1u);
}

TEST_F(atomic_files, are_written_where_a_link_says) {
  fs::create_directory(folder_ / "below");
  fs::create_symlink("below/a", folder_ / "one");
  fs::create_symlink((folder_ / "one").string(), folder_ / "below/two");
  for (const char* text : {"not there before", "there"}) {
    write(folder_ / "below/two", text);
    EXPECT_TRUE(fs::is_symlink(folder_ / "one") && fs::is_symlink(folder_ / "below/two"));
    EXPECT_FALSE(fs::is_symlink(folder_ / "below/a"));
    EXPECT_EQ(bytes_of(folder_ / "below/a"), text);
  }
  EXPECT_EQ(folder_.files(), 2u);
  EXPECT_EQ(behind_links(folder_ / "below/two"), folder_ / "below/a");
  EXPECT_EQ(behind_links("none"), "none");
}

TEST_F(atomic_files, links_that_lead_nowhere_are_refused) {
  fs::create_symlink("round", folder_ / "about");
  fs::create_symlink("about", folder_ / "round");
  fs::create_symlink("none/a", folder_ / "lost");
  const auto refusal = [&](const char* name) {
    const auto file = folder_ / name;
    const auto message = message_of([&] { atomic_file out(file); });
    const auto before = file.string() + ": expected a writable file, found: ";
    EXPECT_TRUE(message.starts_with(before)) << message;
    return message.substr(std::min(before.size(), message.size()));
  };
  EXPECT_EQ(refusal("round"), "Too many levels of symbolic links");
  EXPECT_EQ(refusal("lost"),
            fmt::format("a link to '{}', and there is no folder '{}'",
                        (folder_ / "none/a").string(), (folder_ / "none").string()));
  EXPECT_EQ(folder_.files(), 3u);
}

}  // namespace
}  // namespace dwell::test
