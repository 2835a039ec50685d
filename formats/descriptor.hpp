// SPDX-License-Identifier: MIT
// Names that stand for what this process has open already. Opened once more, they would get an
// offset of their own (two writers of one file overwrite each other), and a socket cannot be
// opened at all: such a name is read and written through a duplicate of the descriptor.
#pragma once
#include <filesystem>
#include <string_view>

namespace dwell {

/// The descriptor that /dev/stdin, /dev/stdout, /dev/fd/3, /proc/self/fd/3 or a link to one of them
/// stands for; -1 if `file` is any other name.
int descriptor_named(const std::filesystem::path& file);

/// The descriptor through which `file` is to be written: the one that its name stands for, or 1 if
/// it is the file, pipe or terminal that standard output goes to. -1: none, it is to be opened.
int descriptor_to_write(const std::filesystem::path& file);

/// Does the name stand for a descriptor, a pipe, a device: for no file and no folder?
bool is_stream(const std::filesystem::path& file);

/// Writes all of `bytes`; the error that ended it, or 0.
int write_fully(int fd, std::string_view bytes) noexcept;

/// Is this error that of a pipe whose reader has left, or of a terminal that has hung up?
bool nobody_reads(int fd, int error) noexcept;

}  // namespace dwell
