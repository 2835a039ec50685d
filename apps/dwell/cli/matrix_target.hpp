// SPDX-License-Identifier: MIT
// Where a matrix goes: a Matrix Market file, plain or compressed, or a .dwell file, by the ending
// of its name.
#pragma once
#include <string>

#include "cli/destination.hpp"

#include "dwell/formats/row_source.hpp"

namespace dwell::app {

/// For messages and help texts.
inline constexpr const char* matrix_names = ".mtx, .mtx.gz or .dwell";

/// Does it end in .dwell?
bool is_binary_name(const destination& to);
/// Throws input_error unless it ends as matrix_names says; standard output, pipes and devices may
/// have any name, and without an ending take Matrix Market text.
void require_matrix_name(const destination& to);
/// Throws input_error if that is written as text and has more rows, columns or nonzeros than 32
/// bits count.
void require_text_size(const destination& to, const row_source& of);
/// ", 12.3 MB": the size of a file that is written; empty where it has none.
std::string written_bytes(const destination& to);

}  // namespace dwell::app
