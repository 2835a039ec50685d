// SPDX-License-Identifier: MIT
// Options of systems on grids, and the files that they name.
#include "grid/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "cli/file_options.hpp"
#include "cli/pieces.hpp"
#include "stencil/field.hpp"

#include "dwell/base/error.hpp"
#include "dwell/formats/descriptor.hpp"
#include "dwell/formats/npy.hpp"
#include "dwell/formats/vector_file.hpp"
#include "dwell/grid/boundary.hpp"
#include "dwell/solvers/grid/grid_memory.hpp"

namespace dwell::app {
namespace {

/// The finite number that all of the text is.
bool finite_number(std::string_view text, double& v) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), v);
  return bad == std::errc() && end == text.data() + text.size() && std::isfinite(v);
}

/// One number for all axes, or one for each of them.
std::vector<double> numbers_of_axes(const char* option, const std::string& text, std::size_t dims) {
  std::vector<double> numbers;
  for (const std::string_view part : pieces_of(text, ',')) {
    double v = 0;
    if (!finite_number(part, v) || !(v > 0))
      throw input_error(
          fmt::format("{}: expected numbers > 0 with commas between, found '{}'", option, text));
    numbers.push_back(v);
  }
  if (numbers.size() == 1) numbers.resize(dims, numbers[0]);
  if (numbers.size() != dims)
    throw input_error(fmt::format("{}: expected one number or {}, one for each axis, found {}",
                                  option, dims, numbers.size()));
  return numbers;
}

/// The axis that has this letter, x being the last one; -1 if there is none.
int axis_named(char letter, std::size_t dims) {
  const auto at = std::string_view("xyz").find(letter);
  return at >= dims ? -1 : static_cast<int>(dims - 1 - at);
}

struct named_axis_file {
  int axis = 0;
  bool high = false;
  std::string file;
};
/// "y=ky.npy", or of a side "y-=top.npy".
named_axis_file axis_file(const char* option, const std::string& text, bool of_side,
                          std::size_t dims) {
  const auto equals = text.find('=');
  const std::string_view name = std::string_view(text).substr(0, equals);
  named_axis_file out;
  const bool named = equals != std::string::npos && name.size() == (of_side ? 2u : 1u) &&
                     (!of_side || name[1] == '-' || name[1] == '+') && equals + 1 < text.size();
  out.axis = named ? axis_named(name[0], dims) : -1;
  if (out.axis < 0)
    throw input_error(of_side
                          ? fmt::format("{}: expected a side and a file, such as x-=left.npy, "
                                        "found '{}'",
                                        option, text)
                          : fmt::format("{}: expected an axis and a file, such as x=kx.npy, found "
                                        "'{}'",
                                        option, text));
  out.high = of_side && name[1] == '+';
  out.file = text.substr(equals + 1);
  return out;
}

std::string shape_text(const std::vector<int>& cells) {
  std::string text;
  for (const int n : cells) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

/// Values of a file of one axis, of either type.
std::vector<double> line_of_file(const std::string& file, int cells) {
  std::vector<double> v = read_vector(file);
  if (v.size() != static_cast<std::size_t>(cells))
    throw input_error(fmt::format("{}: expected {} values, found {}", file, cells, v.size()));
  return v;
}

template <class T>
std::vector<T> cells_of_file(const std::string& file, const std::vector<int>& cells,
                             const std::string& precision) {
  if (cells.size() == 1) {
    const std::vector<double> v = line_of_file(file, cells[0]);
    std::vector<T> out;
    for (const double e : v) {
      out.push_back(static_cast<T>(e));
      if (!std::isfinite(out.back()))
        throw input_error(fmt::format("{}: {} is not in the range of {}", file, e, precision));
    }
    return out;
  }
  npy_reader reader(file);
  require_precision(file, reader.facts().single, precision);
  const extents size =
      cells.size() == 2 ? extents(cells[0], cells[1]) : extents(cells[0], cells[1], cells[2]);
  if (reader.facts().size != size)
    throw input_error(fmt::format("{}: expected {} values, found {}", file, shape_text(cells),
                                  to_string(reader.facts().size)));
  const grid<T> read = read_finite<T>(file, reader);
  return {read.cells().begin(), read.cells().end()};
}

/// Values of the cells of a side: of a box of one dimension one, of three a plane of either type.
std::vector<double> side_of_file(const std::string& file, const std::vector<int>& others) {
  if (others.size() < 2) return line_of_file(file, others.empty() ? 1 : others[0]);
  const auto wide = [](const std::vector<float>& v) {
    return std::vector<double>(v.begin(), v.end());
  };
  return inspect_npy(file).single ? wide(cells_of_file<float>(file, others, "f32"))
                                  : cells_of_file<double>(file, others, "f64");
}

}  // namespace

void add_grid_problem(CLI::App& app, grid_choices& to) {
  app.add_option(
         "SIZE", to.size,
         "Unknowns along each of one to three axes, the slowest first: 4096, rows x columns "
         "such as 300x200, or 64x64x64")
      ->type_name("")
      ->required();
  const auto coefficient = [&](const char* name, std::string& value, const char* help) {
    set_completions(
        app.add_option(name, value, help)->type_name("NUMBER|FILE.npy")->default_str(value),
        {{}, value_completions::file});
  };
  coefficient("--k", to.k, "The coefficient k > 0, of all cells or of each");
  app.add_option(
         "--k-axes", to.k_axes,
         "Factors of k along each axis, the slowest first, of cells and of --k-faces (default: 1)")
      ->type_name("N,...");
  app.add_option(
         "--k-faces", to.k_faces,
         "k of each face along an axis in place of that of --k: an array with one more along "
         "this axis, border faces included; once for each axis")
      ->type_name("x|y|z=FILE.npy")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_choice(
      app, "--mean", to.mean, {"harmonic", "arithmetic"},
      "k of a face, of k of its two cells: the flux through layers is exact with the harmonic "
      "mean");
  coefficient("--s", to.s, "The reaction s, of all cells or of each; below 0 see --method");
  app.add_option("--spacing", to.spacing,
                 "Distance of unknowns, along all axes or each, the slowest first")
      ->type_name("N,...")
      ->default_str(to.spacing);
  add_choice(app, "--centring", to.centring, {"cell", "vertex"},
             "Where unknowns are: in the centres of cells, half a spacing from the sides, or on "
             "vertices, of which the outermost lie on the sides (on a Dirichlet side one spacing "
             "inside)");
  app.add_option(
         "--boundary", to.boundary,
         "Conditions: one for all sides, or for each axis or side, with commas between. x is "
         "the fastest axis, x- its low side; see below")
      ->type_name("TEXT")
      ->default_str(to.boundary);
  app.add_option("--boundary-values", to.boundary_values,
                 "In place of a side's value: one for each of its cells; once for each side")
      ->type_name("SIDE=FILE.npy")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_choice(app, "--precision", to.precision, {"f64", "f32"},
             "Of vectors and coefficients; the levels of multigrid are in f32");
}

void add_grid_method(CLI::App& app, grid_choices& to) {
  add_choice(app, "--method", to.options.method, grid_methods(),
             "cg: conjugate gradients; minres and bicgstab also take s < 0, where the operator is "
             "indefinite; chebyshev: no sums but for the end; multigrid: cycles alone; jacobi: to "
             "compare with");
  add_choice(
      app, "--preconditioner", to.options.preconditioner, grid_preconditioners(),
      "auto is multigrid, a cycle; jacobi is the diagonal; methods multigrid and jacobi have "
      "no other than auto");
  add_choice(app, "--cycle", to.options.cycle, grid_cycles(),
             "Of multigrid: v visits each level once; w those of at most a twelfth of the cells "
             "twice; auto: w where k jumps");
  add_choice(app, "--coarse", to.options.coarse, grid_coarse_operators(),
             "Of multigrid: operators of coarse levels. averaged: conductances of faces; galerkin: "
             "P'AP, for k that jumps in small blocks or in blocks that meet at corners; auto: "
             "averaged, and galerkin where these are slow");
  add_choice(
      app, "--smoother", to.options.smoother, grid_smoothers(),
      "Of multigrid: what is relaxed. points: cells, in colours; lines: along each axis, for k "
      "that is strong along one axis here and along another one there (--k-faces); not with "
      "--coarse galerkin");
  app.add_flag("--full-multigrid", to.options.full_multigrid,
               "Begin by full multigrid: the answer of coarse levels, interpolated and improved by "
               "a cycle on each level (fewer iterations, seldom less time)");
}

std::vector<std::pair<std::string, std::string>> input_files(const grid_choices& given) {
  const std::size_t dims = parse_grid_size(given.size).size();
  std::vector<std::pair<std::string, std::string>> files;
  if (is_grid_file("--k", given.k)) files.emplace_back("--k", given.k);
  if (is_grid_file("--s", given.s)) files.emplace_back("--s", given.s);
  for (const std::string& one : given.k_faces)
    files.emplace_back("--k-faces", axis_file("--k-faces", one, false, dims).file);
  for (const std::string& one : given.boundary_values)
    files.emplace_back("--boundary-values", axis_file("--boundary-values", one, true, dims).file);
  return files;
}

std::vector<int> parse_grid_size(const std::string& text) {
  std::vector<int> cells;
  bool good = true;
  double all = 1;
  for (const std::string_view part : pieces_of(text, 'x')) {
    int n = 0;
    const auto [end, bad] = std::from_chars(part.data(), part.data() + part.size(), n);
    if (bad == std::errc::result_out_of_range && end == part.data() + part.size() && part[0] != '-')
      throw input_error(fmt::format(
          "SIZE: expected at most 2147483647 unknowns along an axis, found '{}'", text));
    good = good && bad == std::errc() && end == part.data() + part.size() && n >= 1;
    cells.push_back(n);
    all *= n;
  }
  if (!good || cells.size() > 3)
    throw input_error(
        fmt::format("SIZE: expected unknowns along one to three axes such as 4096, 300x200 or "
                    "64x64x64, found '{}'",
                    text));
  if (all > 0x1p40)
    throw input_error(fmt::format("SIZE: expected at most 2^40 unknowns, found '{}'", text));
  return cells;
}

bool is_grid_file(const std::string& option, const std::string& text) {
  double v = 0;
  if (finite_number(text, v)) return false;
  if (text.ends_with(".npy") || is_stream(text)) return true;
  throw input_error(
      fmt::format("{}: expected a number or the name of a .npy file, found '{}'", option, text));
}

template <class T>
std::vector<T> grid_values(const std::string& option, const std::string& text,
                           const std::vector<int>& cells, const std::string& precision) {
  if (is_grid_file(option, text)) return cells_of_file<T>(text, cells, precision);
  double v = 0;
  finite_number(text, v);
  std::size_t all = 1;
  for (const int n : cells) all *= static_cast<std::size_t>(n);
  return std::vector<T>(all, static_cast<T>(v));
}

template <class T>
grid_input<T>::grid_input(const grid_choices& given, bool arrays) {
  d.cells = parse_grid_size(given.size);
  const std::size_t dims = d.cells.size();
  d.spacing = numbers_of_axes("--spacing", given.spacing, dims);
  d.centring = given.centring == "cell" ? grid_centring::cell : grid_centring::vertex;
  d.mean = given.mean == "harmonic" ? face_mean::harmonic : face_mean::arithmetic;
  if (!given.k_axes.empty())
    std::ranges::copy(numbers_of_axes("--k-axes", given.k_axes, dims), d.k_axes.begin());
  d.boundary = parse_grid_boundary(given.boundary, static_cast<int>(dims));
  finite_number(given.k, d.k);
  finite_number(given.s, d.s);
  if (!arrays) return;
  for (const std::string& one : given.boundary_values) {
    const auto of = axis_file("--boundary-values", one, true, dims);
    grid_side& side = d.boundary.sides[static_cast<std::size_t>(of.axis)][of.high];
    if (!side.values.empty())
      throw input_error(fmt::format("--boundary-values: expected each side once, found '{}'", one));
    std::vector<int> others = d.cells;
    others.erase(others.begin() + of.axis);
    side.values = side_of_file(of.file, others);
  }
  for (const std::string& one : given.k_faces) {
    const auto of = axis_file("--k-faces", one, false, dims);
    std::vector<T>& of_axis = faces[of.axis];
    if (!of_axis.empty())
      throw input_error(fmt::format("--k-faces: expected each axis once, found '{}'", one));
    std::vector<int> shape = d.cells;
    ++shape[static_cast<std::size_t>(of.axis)];
    of_axis = cells_of_file<T>(of.file, shape, given.precision);
    d.k_faces[static_cast<std::size_t>(of.axis)] = of_axis;
  }
  if (is_grid_file("--k", given.k)) {
    k = cells_of_file<T>(given.k, d.cells, given.precision);
    d.k_cells = k;
  }
  if (is_grid_file("--s", given.s)) {
    s = cells_of_file<T>(given.s, d.cells, given.precision);
    d.s_cells = s;
  }
}

grid_words words_of(const grid_choices& given) {
  grid_words w;
  w.cells = parse_grid_size(given.size);
  const std::size_t dims = w.cells.size();
  w.spacing = numbers_of_axes("--spacing", given.spacing, dims);
  const grid_boundary boundary = parse_grid_boundary(given.boundary, static_cast<int>(dims));
  for (std::size_t a = 0; a < dims; ++a)
    for (const bool high : {false, true}) {
      std::string text = to_string(boundary.sides[a][high]);
      for (const std::string& one : given.boundary_values) {
        const auto of = axis_file("--boundary-values", one, true, dims);
        if (of.axis == static_cast<int>(a) && of.high == high)
          text = text.substr(0, text.rfind(' ') + 1) + of.file;
      }
      w.sides.emplace_back(fmt::format("{}{}", "xyz"[dims - 1 - a], high ? '+' : '-'), text);
    }
  return w;
}

void require_grid_memory(const grid_choices& given, int ranks, int ranks_here) {
  double cells = 1;
  const std::vector<int> axes = parse_grid_size(given.size);
  for (const int n : axes) cells *= n;
  const std::size_t element = given.precision == "f64" ? 8 : 4;
  // f and u beside what the solver has.
  double need = cells * 2.0 * double(element) + grids::solver_bytes(axes, element, given.options);
  // Parts, with copies of planes of others, beside f, u and coefficients that rank 0 has whole.
  if (ranks > 0) need = 1.3 * need * ranks_here / ranks + cells * 3.0 * double(element);
  grids::require_host_memory(axes, need);
}

template std::vector<double> grid_values(const std::string&, const std::string&,
                                         const std::vector<int>&, const std::string&);
template std::vector<float> grid_values(const std::string&, const std::string&,
                                        const std::vector<int>&, const std::string&);
template struct grid_input<double>;
template struct grid_input<float>;

}  // namespace dwell::app
