// SPDX-License-Identifier: MIT
// Files go through atomic_file; standard output through write(), whose errors have a reason.
#include "output.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "dwell/formats/atomic_file.hpp"
#include "dwell/formats/error.hpp"

namespace dwell::app {

namespace fs = std::filesystem;

namespace {

/// Writes all of `text`; the error that ended it, or 0.
int write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const auto n = ::write(fd, text.data(), text.size());
    if (n >= 0)
      text.remove_prefix(static_cast<std::size_t>(n));
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

/// Is this error that of a pipe whose reader has left, or of a terminal that has hung up?
bool nobody_reads(int fd, int error) {
  struct stat facts = {};
  return error == EPIPE || (error == EIO && ::fstat(fd, &facts) == 0 && S_ISCHR(facts.st_mode));
}

}  // namespace

void write_stdout(std::string_view text) {
  if (const int error = write_all(1, text); error != 0 && !nobody_reads(1, error))
    throw input_error(fmt::format("standard output: {}", std::strerror(error)));
}

void write_stderr(std::string_view text) noexcept { write_all(2, text); }

void warn(std::string_view message) { write_stderr(fmt::format("dwell: warning: {}\n", message)); }

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code failed;
  if (fs::equivalent(a, b, failed)) return true;
  try {
    return fs::weakly_canonical(behind_links(a)) == fs::weakly_canonical(behind_links(b));
  } catch (const std::exception&) {  // links that go round, a name that is too long
    return false;
  }
}

void output_files::add(const std::string& option, const fs::path& file) {
  if (file.empty()) throw input_error(option + ": expected a file name, found an empty one");
  const auto refuse = [&](const std::string& why) {
    throw input_error(fmt::format("{}: cannot write '{}': {}", option, file.string(), why));
  };
  for (const auto& other : entries_)
    if (same_file(file, other.file)) refuse("it is also the file of " + other.option);

  std::error_code ignored;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (fs::is_directory(file, ignored)) refuse("it is a folder");
  if (!file.has_filename()) refuse("it names a folder");
  if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored)) {
    // A pipe or a terminal: opening it as a trial would be noticed at the other end.
    if (::access(file.c_str(), W_OK) != 0) refuse(std::strerror(errno));
    entries_.push_back({option, file});
    return;
  }
  if (!fs::exists(folder, ignored)) refuse(fmt::format("there is no folder '{}'", folder.string()));
  if (!fs::is_directory(folder, ignored)) refuse(fmt::format("'{}' is no folder", folder.string()));
  try {
    atomic_file probe(file);  // its temporary goes again, for want of commit()
  } catch (const error& e) {
    throw input_error(fmt::format("{}: {}", option, e.what()));
  }
  entries_.push_back({option, file});
}

void output_files::protect(const std::string& input, const std::string& allowed) const {
  for (const auto& output : entries_)
    if (output.option != allowed && same_file(output.file, input))
      throw input_error(fmt::format("{}: '{}' is an input of this run and would be overwritten",
                                    output.option, output.file.string()));
}

void write_file(const fs::path& file, std::string_view text) {
  atomic_file out(file);
  out.write(text);
  out.commit();
}

std::string json_text(const json& value) {
  // File names are bytes, JSON is UTF-8: what is not becomes U+FFFD rather than an exception.
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

void write_json(const std::string& target, const json& value) {
  const auto text = json_text(value);
  if (target == "-")
    write_stdout(text);
  else
    write_file(target, text);
}

}  // namespace dwell::app
