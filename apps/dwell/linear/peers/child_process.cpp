// SPDX-License-Identifier: MIT
// posix_spawn and poll. The child stays in our process group, so that Ctrl-C at a terminal reaches
// it too.
#include "linear/peers/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

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
  spawn_setting(int out, int err) {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, out, 1);
    ::posix_spawn_file_actions_adddup2(&files, err, 2);
    ::posix_spawnattr_init(&attributes);
    sigset_t defaults;
    ::sigemptyset(&defaults);
    ::sigaddset(&defaults, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
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

}  // namespace

child_outcome run_child(const std::string& program, const std::vector<std::string>& args,
                        const std::atomic<bool>& stop) {
  channel out, err;
  const spawn_setting setting(out.write.fd, err.write.fd);
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const auto& a : args) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  if (const int failed = ::posix_spawn(&child, program.c_str(), &setting.files, &setting.attributes,
                                       argv.data(), environ))
    fail(failed, program);
  out.write.close(), err.write.close();

  child_outcome outcome;
  bool told = false;
  while (out.read.fd >= 0 || err.read.fd >= 0) {
    pollfd both[] = {{out.read.fd, POLLIN, 0}, {err.read.fd, POLLIN, 0}};
    ::poll(both, 2, 50);
    if (both[0].revents) drain(out.read, outcome.out);
    if (both[1].revents) drain(err.read, outcome.err);
    if (stop && !told) told = true, ::kill(child, SIGTERM);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return outcome;
}

}  // namespace dwell::app
