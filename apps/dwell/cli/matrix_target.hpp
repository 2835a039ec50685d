// SPDX-License-Identifier: MIT
// Where a matrix goes: a Matrix Market file, plain or compressed, or a .dwell file, by the ending
// of its name.
#pragma once
#include <string>

#include "cli/destination.hpp"

namespace dwell::app {

/// For messages and help texts.
inline constexpr const char* matrix_names = ".mtx, .mtx.gz or .dwell";

/// Does it end in .dwell?
bool is_binary_name(const destination& to);
/// Throws input_error unless it ends as matrix_names says; standard output, pipes and devices may
/// have any name, and without an ending take Matrix Market text.
void require_matrix_name(const destination& to);
/// ", 12.3 MB": the size of a file that is written; empty where it has none.
std::string written_bytes(const destination& to);

}  // namespace dwell::app
