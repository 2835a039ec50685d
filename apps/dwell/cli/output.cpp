// SPDX-License-Identifier: MIT
// Files go through atomic_file; standard output through write(), whose errors have a reason.
#include "cli/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "dwell/base/error.hpp"
#include "dwell/base/printable.hpp"
#include "dwell/formats/atomic_file.hpp"
#include "dwell/formats/descriptor.hpp"

namespace dwell::app {

namespace fs = std::filesystem;

void write_stdout(std::string_view text) {
  if (const int error = write_fully(1, text); error != 0 && !nobody_reads(1, error))
    throw input_error(fmt::format("standard output: {}", std::strerror(error)));
}

void write_stderr(std::string_view text) noexcept { write_fully(2, text); }

namespace {

/// A message without its middle where that is long: what it quotes can have any length.
std::string of_bounded_length(std::string_view message) {
  constexpr std::size_t most = 2000, head = 1500, tail = 400;
  if (message.size() <= most) return std::string(message);
  const auto begins = [&](std::size_t at) { return (message[at] & 0xC0) != 0x80; };  // in UTF-8
  std::size_t end = head, again = message.size() - tail;
  while (end > head - 3 && !begins(end)) --end;
  while (again > message.size() - tail - 3 && !begins(again)) --again;
  return fmt::format("{} ... {}", message.substr(0, end), message.substr(again));
}

}  // namespace

void say(std::string_view message) {
  write_stderr(fmt::format("dwell: {}\n", printable(of_bounded_length(message))));
}

void warn(std::string_view message) { say(fmt::format("warning: {}", message)); }

namespace {

/// All links followed, be the file there already or not.
fs::path whole_name(const fs::path& file) {
  return fs::weakly_canonical(fs::absolute(behind_links(file)));
}

/// See note_config_file().
std::string& config_file() {
  static std::string file;
  return file;
}

}  // namespace

void note_config_file(const std::string& file) { config_file() = file; }

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code failed;
  if (fs::equivalent(a, b, failed)) return true;
  try {
    return whole_name(a) == whole_name(b);
  } catch (const std::exception&) {  // links that go round, a name that is too long
    return false;
  }
}

void output_files::add(const destination& to) {
  if (!to) return;
  const fs::path file = to.path();
  const auto refuse = [&](const std::string& why) {
    throw input_error(fmt::format("{}: cannot write '{}': {}", to.option(), to.label(), why));
  };
  for (const auto& other : outputs_) {
    if (to.standard() && other.standard())
      throw input_error(
          fmt::format("{}: expected another place than standard output, which {} takes",
                      to.option(), other.option()));
    if (same_file(file, other.path())) refuse("it is also the file of " + other.option());
  }
  outputs_.push_back(to);
  if (!config_file().empty()) protect(config_file());
  if (const int own = descriptor_to_write(file); own >= 0) {
    const int mode = ::fcntl(own, F_GETFL);
    if (mode == -1) refuse(std::strerror(errno));
    if ((mode & O_ACCMODE) == O_RDONLY) refuse("it is not open for writing");
    return;
  }

  std::error_code ignored, failed;
  static_cast<void>(fs::status(file, failed));
  if (failed == std::errc::filename_too_long) refuse(failed.message());
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (fs::is_directory(file, ignored)) refuse("it is a folder");
  if (!file.has_filename()) refuse("it names a folder");
  if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored)) {
    // A pipe or a terminal: opening it as a trial would be noticed at the other end.
    if (::access(file.c_str(), W_OK) != 0) refuse(std::strerror(errno));
    return;
  }
  if (!fs::exists(folder, ignored)) refuse(fmt::format("there is no folder '{}'", folder.string()));
  if (!fs::is_directory(folder, ignored)) refuse(fmt::format("'{}' is no folder", folder.string()));
  try {
    atomic_file probe(file);  // its temporary goes again, for want of commit()
  } catch (const error& e) {
    throw input_error(fmt::format("{}: {}", to.option(), e.what()));
  }
}

void output_files::protect(const std::string& input, const std::string& allowed) const {
  std::error_code ignored;
  for (const auto& output : outputs_) {
    if (output.option() == allowed || !same_file(output.path(), input)) continue;
    if (is_stream(output.path()) && !fs::is_regular_file(output.path(), ignored)) continue;
    throw input_error(fmt::format("{}: '{}' is an input of this run and would be overwritten",
                                  output.option(), output.label()));
  }
}

bool output_files::standard() const {
  return std::any_of(outputs_.begin(), outputs_.end(), [](const auto& o) { return o.standard(); });
}

void output_files::report(std::string_view text) const {
  if (standard())
    write_stderr(text);
  else
    write_stdout(text);
}

void require_one_reader(const std::vector<std::pair<std::string, std::string>>& named) {
  auto inputs = named;
  inputs.insert(inputs.begin(), {"--config", config_file()});
  for (auto a = inputs.begin(); a != inputs.end(); ++a)
    for (auto b = inputs.begin(); b != a; ++b)
      if (const int own = descriptor_named(a->second);
          own >= 0 && own == descriptor_named(b->second))
        throw input_error(fmt::format("{}: '{}' can be read once, and {} reads it", a->first,
                                      a->second, b->first));
}

void write_file(const fs::path& file, std::string_view text) {
  atomic_file out(file);
  out.write(text);
  out.commit();
}

}  // namespace dwell::app
