// SPDX-License-Identifier: MIT
// Where one output of a run goes: to a file, or to standard output, which has many names ("-",
// /dev/stdout, /dev/fd/1, the file that the shell has redirected it to). All options that name an
// output are parsed into one of these (file_options.hpp), and all outputs are written through it.
#pragma once
#include <string>
#include <string_view>

namespace dwell::app {

class destination {
 public:
  destination() = default;  ///< nothing was asked for
  /// `option` as messages name it; `name` as the user wrote it.
  destination(std::string option, std::string name);

  explicit operator bool() const { return !name_.empty(); }
  bool standard() const { return standard_; }  ///< standard output
  const std::string& option() const { return option_; }
  /// For people: "standard output", or the name.
  std::string label() const { return name_ == "-" ? "standard output" : name_; }
  const std::string& name() const { return name_; }
  /// For those who write a file by its name: atomic_file takes standard output by it, too.
  std::string path() const { return name_ == "-" ? "/dev/stdout" : name_; }

  /// Writes all of it. Throws input_error.
  void write(std::string_view text) const;

 private:
  std::string option_, name_;
  bool standard_ = false;
};

}  // namespace dwell::app
