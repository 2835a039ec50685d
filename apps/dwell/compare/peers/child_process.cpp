// SPDX-License-Identifier: MIT
// posix_spawn and poll. A child of run_child() stays in our process group, so that Ctrl-C at a
// terminal reaches it too.
#include "compare/peers/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

extern char** environ;

namespace dwell::app {

namespace {

[[noreturn]] void fail(int code, const std::string& what) {
  throw std::system_error(code, std::generic_category(), what);
}

struct descriptor {
  int fd = -1;
  ~descriptor() { close(); }
  void close() {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

struct channel {
  descriptor read, write;
  channel() {
    int fd[2];
    if (::pipe2(fd, O_CLOEXEC) != 0) fail(errno, "pipe");
    read.fd = fd[0], write.fd = fd[1];
  }
};

/// Descriptors and signals as a program expects them: we ignore SIGPIPE, it should not.
struct spawn_setting {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  spawn_setting(int out, int err, bool own_group) {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, out, 1);
    ::posix_spawn_file_actions_adddup2(&files, err, 2);
    ::posix_spawnattr_init(&attributes);
    sigset_t defaults;
    ::sigemptyset(&defaults);
    ::sigaddset(&defaults, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    int flags = POSIX_SPAWN_SETSIGDEF;
    if (own_group) {
      ::posix_spawnattr_setpgroup(&attributes, 0);
      flags |= POSIX_SPAWN_SETPGROUP;
    }
    ::posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
  }
  ~spawn_setting() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
};

/// Reads what is there; at its end, closes.
void drain(descriptor& from, std::string& to) {
  char some[4096];
  const auto n = ::read(from.fd, some, sizeof some);
  if (n > 0)
    to.append(some, static_cast<std::size_t>(n));
  else if (n == 0 || errno != EINTR)
    from.close();
}

/// Our environment, some variables changed.
class changed_environment {
 public:
  explicit changed_environment(const std::vector<std::pair<std::string, std::string>>& changes) {
    for (char** one = environ; *one; ++one) {
      const std::string_view text = *one;
      const auto name = text.substr(0, text.find('='));
      if (std::none_of(changes.begin(), changes.end(),
                       [&](const auto& change) { return change.first == name; }))
        texts_.emplace_back(text);
    }
    for (const auto& [name, value] : changes) texts_.push_back(name + "=" + value);
    for (auto& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  char** get() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

/// A child under way, to its end.
class running_child {
 public:
  /// limits: null for a child that we know, which is left to itself.
  running_child(const std::vector<std::string>& words, const child_limits* limits)
      : limits_(limits) {
    changed_environment environment(limits ? limits->environment
                                           : std::vector<std::pair<std::string, std::string>>{});
    channel out, err;
    const spawn_setting setting(out.write.fd, err.write.fd, limits != nullptr);
    std::vector<char*> argv;
    for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const auto spawn = limits ? ::posix_spawnp : ::posix_spawn;
    if (const int failed = spawn(&child_, argv[0], &setting.files, &setting.attributes, argv.data(),
                                 environment.get()))
      fail(failed, words.front());
    out_.fd = std::exchange(out.read.fd, -1), err_.fd = std::exchange(err.read.fd, -1);
  }

  child_outcome wait(const std::atomic<bool>& stop) {
    const auto open = [&] { return out_.fd >= 0 || err_.fd >= 0; };
    while (open() || (limits_ && !ended_)) {
      pollfd both[] = {{out_.fd, POLLIN, 0}, {err_.fd, POLLIN, 0}};
      ::poll(both, 2, open() ? 50 : 2);
      if (both[0].revents) drain(out_, outcome_.out);
      if (both[1].revents) drain(err_, outcome_.err);
      if (stop) tell_to_end();
      if (limits_ && !keep_limits()) break;
    }
    if (!ended_) reap(0);
    if (limits_) ::kill(-child_, SIGKILL);  // what it started and left behind
    outcome_.code = WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
    return outcome_;
  }

 private:
  using clock = std::chrono::steady_clock;

  void tell_to_end() {
    if (told_) return;
    told_ = clock::now();
    ::kill(limits_ ? -child_ : child_, SIGTERM);
  }

  /// False once it has ended, whoever still holds its pipes.
  bool keep_limits() {
    const auto now = clock::now();
    if (!ended_ && reap(WNOHANG)) ended_ = now;
    if (std::max(outcome_.out.size(), outcome_.err.size()) > limits_->bytes) {
      outcome_.too_large = true;
      tell_to_end();
    }
    if (!ended_ && now - begin_ > std::chrono::duration<double>(limits_->seconds)) {
      if (!told_) outcome_.too_long = true;
      tell_to_end();
    }
    if (told_ && now - *told_ > std::chrono::seconds(2)) ::kill(-child_, SIGKILL);
    return !ended_ || now - *ended_ < std::chrono::milliseconds(500);
  }

  bool reap(int how) {
    pid_t found = 0;
    while ((found = ::waitpid(child_, &status_, how)) < 0 && errno == EINTR) {
    }
    return found == child_;
  }

  const child_limits* limits_;
  pid_t child_ = 0;
  descriptor out_, err_;
  child_outcome outcome_;
  int status_ = 0;
  const clock::time_point begin_ = clock::now();
  std::optional<clock::time_point> told_, ended_;
};

}  // namespace

child_outcome run_child(const std::string& program, const std::vector<std::string>& args,
                        const std::atomic<bool>& stop) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), args.begin(), args.end());
  return running_child(words, nullptr).wait(stop);
}

child_outcome run_command(const std::vector<std::string>& words, const child_limits& limits,
                          const std::atomic<bool>& stop) {
  return running_child(words, &limits).wait(stop);
}

}  // namespace dwell::app
