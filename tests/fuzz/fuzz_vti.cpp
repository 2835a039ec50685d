// SPDX-License-Identifier: MIT
// libFuzzer target of the reader of .vti files: any bytes give a field of the axes that were asked
// for, or an input_error of one line, the same from a file as from a pipe.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "dwell/base/error.hpp"
#include "dwell/formats/vti.hpp"

namespace {

/// The values' bytes, or the message without the file's name.
std::string read_vti(int fd, int dims) {
  const std::string name = "/dev/fd/" + std::to_string(fd);
  try {
    dwell::vti_reader reader(name, dims, "u");
    if (reader.facts().size.dims != dims) std::abort();
    const auto bytes_of = [&](const auto& u) {
      if (u.size() != reader.facts().size) std::abort();
      return std::string(reinterpret_cast<const char*>(u.cells().data()), u.cells().size_bytes());
    };
    return reader.facts().single ? bytes_of(reader.values<float>())
                                 : bytes_of(reader.values<double>());
  } catch (const dwell::input_error& e) {
    const std::string message = e.what();
    if (message.find('\n') != std::string::npos || !message.starts_with(name + ":")) std::abort();
    return message.substr(name.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const int file = ::memfd_create("input", 0);
  int pipe[2];
  // What a pipe holds without a reader is enough for inputs of -max_len.
  if (file < 0 || ::pipe(pipe) != 0 || size > (1 << 15) ||
      ::write(file, bytes, size) != static_cast<ssize_t>(size) ||
      ::write(pipe[1], bytes, size) != static_cast<ssize_t>(size))
    std::abort();
  ::close(pipe[1]);
  ::lseek(file, 0, SEEK_SET);
  const int dims = 1 + static_cast<int>(size % 3);
  const std::string of_file = read_vti(file, dims), of_pipe = read_vti(pipe[0], dims);
  ::close(file);
  ::close(pipe[0]);
  if (of_file != of_pipe) std::abort();
  return 0;
}
