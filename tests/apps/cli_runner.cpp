// SPDX-License-Identifier: MIT
// fork, exec, poll: the child starts with the default signal dispositions, whatever ctest runs
// under.
#include "cli_runner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "no_cache.hpp"

namespace dwell::test {

namespace fs = std::filesystem;

namespace {

void require(bool good, const char* what) {
  if (!good) throw std::system_error(errno, std::generic_category(), what);
}

struct channel {
  int read = -1, write = -1;
};

channel make_pipe() {
  int fd[2];
  require(::pipe2(fd, O_CLOEXEC) == 0, "pipe2");
  return {fd[0], fd[1]};
}

channel make_terminal() {
  int ours = -1, theirs = -1;
  winsize size = {};
  size.ws_col = 100;
  size.ws_row = 25;
  require(::openpty(&ours, &theirs, nullptr, nullptr, &size) == 0, "openpty");
  ::fcntl(ours, F_SETFD, FD_CLOEXEC);
  ::fcntl(theirs, F_SETFD, FD_CLOEXEC);
  return {ours, theirs};
}

/// Makes `fd` the descriptor `number`, or what `to` says: see cli_setting.
void become_stream(int number, int fd, const std::string& to) {
  if (to.starts_with('/')) fd = ::open(to.c_str(), O_WRONLY | O_CLOEXEC);
  ::dup2(fd, number);
  if (to == "closed") ::close(number);
}

[[noreturn]] void become_dwell(const std::vector<std::string>& args, const cli_setting& setting,
                               int in, int out, int err) {
  for (const int n : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) ::signal(n, SIG_DFL);
  for (const auto& [what, most] :
       {std::pair(RLIMIT_AS, setting.memory), std::pair(RLIMIT_STACK, setting.stack),
        std::pair(RLIMIT_FSIZE, setting.file_size)})
    if (most > 0) {
      const rlimit limit = {most, most};
      ::setrlimit(what, &limit);
    }
  if (setting.hang_up_when) ::setsid(), ::ioctl(err, TIOCSCTTY, 0);
  if (in >= 0) ::dup2(in, 0);
  become_stream(1, setting.stdout_to == "terminal" ? err : out, setting.stdout_to);
  become_stream(2, err, setting.stderr_to);
  std::vector<char*> argv = {const_cast<char*>("dwell")};
  for (const auto& a : args) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  ::execv(DWELL_PROGRAM, argv.data());
  ::_exit(127);
}

/// Appends what is there to be read; false at the end. (A terminal's end is told as EIO.)
bool take(int fd, std::string& to) {
  char buffer[4096];
  const auto n = ::read(fd, buffer, sizeof buffer);
  if (n > 0) to.append(buffer, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

/// Writes all of `text` unless the reader goes away, and closes.
void feed(int fd, const std::string& text) {
  sigset_t broken_pipe;
  ::sigemptyset(&broken_pipe);
  ::sigaddset(&broken_pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);  // pending, it ends with this thread
  for (std::size_t at = 0; at < text.size();) {
    const auto n = ::write(fd, text.data() + at, text.size() - at);
    if (n < 0 && errno != EINTR) break;
    if (n > 0) at += static_cast<std::size_t>(n);
  }
  ::close(fd);
}

}  // namespace

cli_outcome dwell_cli(const std::vector<std::string>& args, const cli_setting& setting) {
  const channel out = make_pipe(), err = setting.terminal ? make_terminal() : make_pipe();
  const channel in = setting.input ? make_pipe() : channel();
  const pid_t child = ::fork();
  require(child >= 0, "fork");
  if (child == 0) become_dwell(args, setting, in.read, out.write, err.write);
  ::close(out.write), ::close(err.write);
  std::thread writer;
  if (setting.input)
    ::close(in.read), writer = std::thread([&] { feed(in.write, *setting.input); });

  cli_outcome result;
  bool waiting = static_cast<bool>(setting.signal_when);
  bool hanging = static_cast<bool>(setting.hang_up_when);
  pollfd watched[] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}};
  if (setting.stdout_to == "gone") ::close(out.read), watched[0].fd = -1;
  if (setting.stderr_to == "gone") ::close(err.read), watched[1].fd = -1;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (watched[0].fd >= 0 || watched[1].fd >= 0) {
    ::poll(watched, 2, waiting || hanging ? 1 : 1000);
    for (auto& w : watched)
      if (w.fd >= 0 && w.revents != 0 && !take(w.fd, w.fd == out.read ? result.out : result.err))
        ::close(w.fd), w.fd = -1;
    if (waiting && setting.signal_when(result.err)) {
      ::kill(child, setting.signal);
      waiting = false;
    }
    if (hanging && setting.hang_up_when(result.err)) {
      ::close(err.read), watched[1].fd = -1;
      ::usleep(2000);
      ::kill(child, SIGHUP);
      hanging = false;
    }
    if (std::chrono::steady_clock::now() > deadline) ::kill(child, SIGKILL);
  }
  if (writer.joinable()) writer.join();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return result;
}

scratch_folder::scratch_folder() {
  std::string name = (fs::temp_directory_path() / "dwell-cli-XXXXXX").string();
  require(::mkdtemp(name.data()) != nullptr, "mkdtemp");
  path_ = name;
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string scratch_folder::write(const std::string& name, const std::string& text) const {
  std::ofstream((*this)(name), std::ios::binary) << text;
  return (*this)(name);
}

std::vector<std::string> scratch_folder::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

::testing::AssertionResult judged(bool good, const std::string& text, const char* what,
                                  const std::string& part) {
  return (good ? ::testing::AssertionSuccess() : ::testing::AssertionFailure())
         << ::testing::PrintToString(text) << what << ::testing::PrintToString(part);
}

}  // namespace

::testing::AssertionResult holds(const std::string& text, const std::string& part) {
  return judged(text.find(part) != std::string::npos, text, " should hold ", part);
}

::testing::AssertionResult starts(const std::string& text, const std::string& part) {
  return judged(text.starts_with(part), text, " should start with ", part);
}

::testing::AssertionResult ends(const std::string& text, const std::string& part) {
  return judged(text.ends_with(part), text, " should end with ", part);
}

nlohmann::json report_of(const std::vector<std::string>& args) {
  const auto r = dwell_cli(args);
  EXPECT_EQ(r.code, 0) << r.err;
  return r.json();
}

void expect_refused(const std::vector<std::string>& args, const std::string& part, int code) {
  const auto r = dwell_cli(args);
  const auto shown = ::testing::PrintToString(args);
  EXPECT_EQ(r.code, code) << shown;
  EXPECT_EQ(r.out, "") << shown;
  EXPECT_EQ(lines_of(r.err).size(), 1u) << shown << r.err;
  EXPECT_TRUE(starts(r.err, "dwell: ")) << shown;
  EXPECT_TRUE(holds(r.err, part)) << shown;
}

std::string read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  require(in.good(), file.c_str());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

nlohmann::json explain_stencil(std::vector<std::string> args) {
  const no_cache none;
  args.insert(args.begin(), {"explain", "stencil"});
  args.insert(args.end(), {"--json", "-"});
  const auto r = dwell_cli(args);
  EXPECT_EQ(r.code, 0) << r.err;
  return r.json();
}

std::string two_by_two(double a, double b, double d) {
  return fmt::format(
      "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 {}\n2 1 {}\n2 2 {}\n", a, b, d);
}

}  // namespace dwell::test
