// SPDX-License-Identifier: MIT
// Names in messages: one line, nothing that a terminal would obey, and UTF-8 as it is.
#include "dwell/base/printable.hpp"

#include <gtest/gtest.h>

#include "dwell/formats/descriptor.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/formats/npy.hpp"
#include "scratch.hpp"

namespace dwell::test {
namespace {

using namespace std::string_literals;

TEST(printable, controls_and_broken_text_are_escaped) {
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {"a b\\n.mtx", "a b\\n.mtx"},
      {"a\nb\r\tc", "a\\nb\\r\\tc"},
      {"\x1b[2J\x7f\0x"s, "\\x1b[2J\\x7f\\x00x"},
      {"Käse €𝛑", "Käse €𝛑"},
      {"\xc2\x9b"s + "2J", "\\xc2\\x9b2J"},  // CSI as one character
      {"\xc2\xa0", "\xc2\xa0"},
      {"\xe4", "\\xe4"},
      {"\xe2\x82", "\\xe2\\x82"},
      {"\xc0\xaf\xe0\x80\xaf", "\\xc0\\xaf\\xe0\\x80\\xaf"},  // longer than needed
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},                    // a surrogate
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},           // beyond the last character
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(printable(text), expected);
    EXPECT_EQ(printable(printable(text)), expected) << "is not changed again";
  }
}

TEST(printable, names_in_messages_of_the_library) {
  const scratch_folder in;
  const auto evil = in / "a\nb\x1b[31m";
  const auto shown = in.path().string() + "/a\\nb\\x1b[31m: expected a ";
  EXPECT_EQ(message_of([&] { read_matrix_market(evil); }),
            shown + "readable file, found: No such file or directory");
  EXPECT_EQ(message_of([&] { read_npy<double>(evil); }),
            shown + "readable .npy file, found: No such file or directory");
  const grid<double> u(extents(2, 2));
  EXPECT_EQ(
      message_of([&] { write_npy<double>(evil / "u.npy", u.view()); }),
      in.path().string() +
          "/a\\nb\\x1b[31m/u.npy: expected a writable file, found: No such file or directory");
  put_bytes(evil, "no matrix");
  EXPECT_TRUE(message_of([&] {
                read_matrix_market(evil);
              }).starts_with(in.path().string() + "/a\\nb\\x1b[31m:1: expected"));
  EXPECT_EQ(message_of([&] { read_npy<double>(evil); }),
            shown + ".npy file, its first bytes are others");
}

TEST(descriptors, have_many_names) {
  for (const char* name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/1",
                           "/dev/../dev/stdout", "/proc/self/../self/fd/1"})
    EXPECT_EQ(descriptor_named(name), 1) << name;
  EXPECT_EQ(descriptor_named("/dev/stdin"), 0);
  EXPECT_EQ(descriptor_named("/proc/" + std::to_string(::getpid()) + "/fd/2"), 2);
  for (const char* name : {"stdout", "/dev/null", "/dev/fd", "/dev/fd/x", "/dev/fd/-1", "", "-",
                           "/proc/1/fd/1", "/no/such/folder"})
    EXPECT_EQ(descriptor_named(name), -1) << name;
  const scratch_folder in;
  std::filesystem::create_symlink("/dev/stdout", in / "a");
  std::filesystem::create_symlink("a", in / "b");
  std::filesystem::create_symlink("c", in / "c");
  EXPECT_EQ(descriptor_named(in / "b"), 1);
  EXPECT_EQ(descriptor_named(in / "c"), -1) << "links that go round";
}

}  // namespace
}  // namespace dwell::test
