// SPDX-License-Identifier: MIT
// The handler touches lock-free atomics and calls write(), unlink() and _exit(): no more than POSIX
// allows there.
#include "cli/signals.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "cli/exit_code.hpp"
#include "dwell/formats/atomic_file.hpp"

namespace dwell::app {

namespace {

static_assert(std::atomic<bool>::is_always_lock_free);
std::atomic<bool> stop_requested = false;
std::atomic<bool> graceful = false;
static_assert(std::atomic<int>::is_always_lock_free);
std::atomic<int> abrupt = 0;  ///< so many abrupt_stops live
std::atomic<bool> stderr_is_terminal = false;

void write_raw(std::string_view text) {
  [[maybe_unused]] auto n = ::write(2, text.data(), text.size());
}

extern "C" void on_signal(int number) {
  const int saved_errno = errno;
  const bool again = stop_requested.exchange(true);
  // A terminal that hangs up is told by the kernel and by the shell: two signals, no impatience.
  if (!graceful || abrupt > 0 || (again && number != SIGHUP)) {
    if (stderr_is_terminal) write_raw("\r\033[K");  // whatever progress line stands there
    write_raw("dwell: interrupted\n");
    atomic_file::discard_unfinished();
    ::_exit(static_cast<int>(exit_code::interrupted));
  }
  errno = saved_errno;
}

void install(int number) {
  struct sigaction before = {};
  ::sigaction(number, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(number, &action, nullptr);
}

/// A descriptor that the caller closed is given to /dev/null, opened the wrong way round: reading
/// or writing it fails as it would have.
void occupy_standard_descriptors() {
  for (const int fd : {0, 1, 2})
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
      [[maybe_unused]] const int opened = ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    }
}

}  // namespace

void install_signal_handlers() {
  occupy_standard_descriptors();
  stderr_is_terminal = ::isatty(2) == 1;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) install(number);
  for (const int number : {SIGPIPE, SIGXFSZ}) ::signal(number, SIG_IGN);  // write() tells of both
}

graceful_stop::graceful_stop() { graceful = true; }
graceful_stop::~graceful_stop() { graceful = false; }
abrupt_stop::abrupt_stop() { ++abrupt; }
abrupt_stop::~abrupt_stop() { --abrupt; }
const std::atomic<bool>& graceful_stop::requested() { return stop_requested; }

}  // namespace dwell::app
