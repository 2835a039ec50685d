// SPDX-License-Identifier: MIT
// Fields of the command line: sizes and weights as people write them, starts made on the spot or
// read, results written in the format that the name of the file asks for.
#pragma once
#include <string>
#include <vector>

#include "cli/destination.hpp"

#include "dwell/formats/grid.hpp"
#include "dwell/formats/npy.hpp"

namespace dwell::app {

/// "4096x4096" or "256x256x256". Throws input_error that names `option`.
extents parse_size(const std::string& option, const std::string& text);
/// "4x1" or "2x2x1": ranks along each axis. Throws input_error likewise.
extents parse_rank_grid(const std::string& option, const std::string& text);
/// Several sizes, with commas between, each at most once.
std::vector<extents> parse_sizes(const std::string& option, const std::string& text);
/// "0.5,0.125,...": finite numbers; blanks around them and a sign before them are fine.
std::vector<double> parse_weights(const std::string& text);

/// What the kinds of --initial are, for --help.
extern const char* const initial_help;
/// Throws input_error unless it is one of them.
void require_initial(const std::string& text);
template <class T>
grid<T> make_initial(const std::string& text, const extents& n);

/// Throws input_error unless `file`, a .npy file with this header, is of `precision` ("f64" or
/// "f32"), with the option that makes a run of what it is.
void require_precision(const std::string& file, const npy_facts& facts,
                       const std::string& precision);
/// Throws input_error unless `source`, a .npy file with this header, has the field's cells.
void require_source(const std::string& source, const npy_facts& facts, const extents& field);
/// Both of a file whose values are of no interest.
void require_source(const std::string& source, const extents& field, const std::string& precision);

/// The values of `file`, which is being read. Throws input_error if one is not finite.
template <class T>
grid<T> read_finite(const std::string& file, npy_reader& from);

/// Throws input_error unless the name ends in .npy, .vti or .png, or is that of standard output, of
/// a pipe or of a device, which take .npy.
void require_field_name(const destination& to);
template <class T>
void write_field(const std::string& file, const grid<T>& u);

}  // namespace dwell::app
