// SPDX-License-Identifier: MIT
// The compiler of the system: how it is found, and a process of it.
#include "dwell/execution/stencil/fields/system_compiler.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>
#include <string_view>
#include <utility>

#include "dwell/base/interruption.hpp"

extern char** environ;

namespace dwell {
namespace {

constexpr std::size_t most_output = std::size_t{64} << 10;

/// A descriptor that is closed at the end.
class descriptor {
 public:
  explicit descriptor(int fd) : fd_(fd) {}
  ~descriptor() { close(); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

/// A started program, which is ended if nobody waits for it.
class child {
 public:
  explicit child(pid_t id) : id_(id) {}
  ~child() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    wait();
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  int wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    return status;
  }

 private:
  pid_t id_;
};

std::optional<std::string> on_path(const std::string& name) {
  const auto runs = [](const std::string& file) {
    std::error_code none;
    return std::filesystem::is_regular_file(file, none) && ::access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos)
    return runs(name) ? std::optional(std::filesystem::absolute(name).string()) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    // Relative folders are those of whoever changed the directory last.
    if (folder.starts_with('/') && runs(folder + "/" + name)) return folder + "/" + name;
  return std::nullopt;
}

/// Asked once for each program, as long as its file stays what it is.
std::string version_of(const std::vector<std::string>& command) {
  static std::mutex guard;
  static auto& known = *new std::map<std::string, std::string>;
  std::error_code none;
  const auto size = std::filesystem::file_size(command[0], none);
  const auto time = std::filesystem::last_write_time(command[0], none).time_since_epoch().count();
  std::string key = fmt::format("{} {}", size, time);
  for (const auto& word : command) key += '\n' + word;
  const std::lock_guard lock(guard);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  auto asking = command;
  asking.emplace_back("--version");
  const process_end end = run_program(asking);
  return end.success ? known[key] = end.output : std::string();
}

}  // namespace

process_end run_program(const std::vector<std::string>& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {false, std::strerror(errno)};
  descriptor from(ends[0]), to(ends[1]);
  std::vector<char*> words;
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  // Messages in English, whatever the user's language is.
  std::string language = "LC_ALL=C";
  std::vector<char*> environment;
  for (char** e = environ; *e; ++e)
    if (!std::string_view(*e).starts_with("LC_ALL=")) environment.push_back(*e);
  environment.push_back(language.data());
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, to.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, to.get(), STDERR_FILENO);
  pid_t id = 0;
  const int failed =
      ::posix_spawn(&id, words[0], &actions, nullptr, words.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return {false, fmt::format("{}: {}", command[0], std::strerror(failed))};
  child running(id);
  to.close();
  process_end end;
  for (;;) {
    poll_interruption();
    pollfd readable{from.get(), POLLIN, 0};
    if (::poll(&readable, 1, 20) <= 0) continue;
    char bytes[4096];
    const ssize_t n = ::read(from.get(), bytes, sizeof(bytes));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    if (end.output.size() < most_output) end.output.append(bytes, static_cast<std::size_t>(n));
  }
  const int status = running.wait();
  end.success = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return end;
}

std::optional<system_compiler> find_compiler(std::string& why) {
  system_compiler found;
  const char* asked = std::getenv("CXX");
  std::istringstream words(asked ? asked : "");
  for (std::string word; words >> word;) found.command.push_back(word);
  if (!found.command.empty()) {
    const auto path = on_path(found.command[0]);
    if (!path) {
      why = fmt::format("CXX names '{}', which is no program", found.command[0]);
      return std::nullopt;
    }
    found.command[0] = *path;
  } else {
    for (const char* name : {"c++", "g++", "clang++", "cc"})
      if (const auto path = on_path(name)) {
        found.command = {*path};
        break;
      }
    if (found.command.empty()) {
      why = "there is no compiler: none of c++, g++, clang++ and cc is on the PATH";
      return std::nullopt;
    }
  }
  found.version = version_of(found.command);
  if (found.version.empty()) {
    why = fmt::format("{} does not say its version", found.command[0]);
    return std::nullopt;
  }
  return found;
}

std::string first_error(const std::string& output) {
  std::istringstream lines(output);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error") != std::string::npos) return line;
    if (first.empty()) first = line;
  }
  return first.empty() ? "it failed and did not say why" : first;
}

}  // namespace dwell
