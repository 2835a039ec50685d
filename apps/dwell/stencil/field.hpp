// SPDX-License-Identifier: MIT
// Fields of the command line: sizes and weights as people write them, starts made on the spot or
// read, results written in the format that the name of the file asks for.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/destination.hpp"

#include "dwell/formats/grid.hpp"
#include "dwell/formats/npy.hpp"
#include "dwell/formats/png.hpp"
#include "dwell/formats/vti.hpp"

namespace dwell::app {

/// "4096x4096" or "256x256x256", with 1 for the fewest dimensions also "1000". Throws input_error
/// that names `option`.
extents parse_size(const std::string& option, const std::string& text, int least_dims = 2);
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

/// Throws input_error unless `file`, of float32 if `single`, else of float64, is of `precision`
/// ("f64" or "f32"), with the option that makes a run of what it is.
void require_precision(const std::string& file, bool single, const std::string& precision);

/// The values of `file`, which is being read. Throws input_error if one is not finite.
template <class T>
grid<T> read_finite(const std::string& file, npy_reader& from);

/// A field in a file that is opened once: .vti by its name, else .npy.
class field_input {
 public:
  /// Reads what the file says of the field. dims: of the field, which a .npy file may have others
  /// than. name: of the array that is looked for in a .vti file.
  field_input(std::string file, int dims, const std::string& name = {});
  const std::string& file() const { return file_; }
  const extents& size() const;
  bool single() const;  ///< float32
  /// All values; once. Throws input_error if one is not finite.
  template <class T>
  grid<T> finite_values();

 private:
  std::string file_;
  std::variant<npy_reader, vti_reader> reader_;
};

/// Throws input_error unless the file has the cells of the field and is of `precision`.
void require_source(const field_input& source, const extents& field);
/// Both of a file whose values are of no interest.
void require_source(const std::string& source, const extents& field, const std::string& precision);

/// Throws input_error unless the name ends in .npy, .vti or .png, or is that of standard output, of
/// a pipe or of a device, which take .npy.
void require_field_name(const destination& to);
/// "0:1.5", finite, the first not above the second. Throws input_error that names --scale.
png_scale parse_scale(const std::string& text);
/// Does its name ask for a picture?
bool is_picture(const destination& to);
/// name: of the array in a .vti file. scale: of a picture, else its range.
template <class T>
void write_field(const std::string& file, const grid<T>& u, const std::string& name = "u",
                 const std::optional<png_scale>& scale = {});

}  // namespace dwell::app
