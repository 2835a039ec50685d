// SPDX-License-Identifier: MIT
// The kernels of programs that exist: which struct meets which loops, on which backend, each in f64
// and f32. cmake/program_kernels.cmake reads these rows and writes a file for each word of a list
// of loops, for GPUs where it is compiled ahead; loops with + between them share their kernels, and
// so a file. A loop NAME is the struct NAME of execution/krylov/loops/NAME.hpp, NAME_columns<N> one
// of loops/columns.hpp. A * marks what the small program of `make solve` has, too: for GPUs also
// what is compiled ahead by default (cmake/precompiled.cmake). perks on CPUs is compiled with
// DWELL_CPU_CACHING.
//
// The order is that of methods in errors and help, and of each method the form for CPUs first.
#pragma once

namespace dwell {

struct kernel_row {
  const char* program;  ///< a struct
  const char* header;   ///< where it is
  const char* on_cpu;   ///< its loops
  const char* on_cuda;  ///< its loops
};

// clang-format off

/// The forms of methods.
inline constexpr kernel_row listed_forms[] = {
    {"textbook_cg",             "solvers/cg/textbook.hpp",             "*host_loop+persistent perks", "host_loop+graph persistent perks"},
    {"single_reduction_cg",     "solvers/cg/single_reduction.hpp",     "host_loop+persistent perks",  "host_loop+graph persistent *perks"},
    {"pipelined_cg",            "solvers/cg/pipelined.hpp",            "host_loop+persistent perks",  "host_loop+graph persistent perks"},
    {"preconditioned_cg",       "solvers/cg/preconditioned.hpp",       "*host_loop+persistent perks", "host_loop+graph persistent *perks"},
    {"textbook_minres",         "solvers/minres/textbook.hpp",         "host_loop+persistent perks",  "host_loop+graph persistent perks"},
    {"preconditioned_minres",   "solvers/minres/preconditioned.hpp",   "host_loop+persistent perks",  "host_loop+graph persistent perks"},
    {"textbook_bicgstab",       "solvers/bicgstab/textbook.hpp",       "host_loop+persistent perks",  "host_loop+graph persistent perks"},
    {"preconditioned_bicgstab", "solvers/bicgstab/preconditioned.hpp", "host_loop+persistent perks",  "host_loop+graph persistent perks"},
    {"pipelined_bicgstab",      "solvers/bicgstab/pipelined.hpp",      "host_loop+persistent perks",  "host_loop+graph persistent perks"},
    {"textbook_gmres",          "solvers/gmres/textbook.hpp",          "host_loop+persistent perks",  "host_loop+graph persistent perks"},
};

/// Methods for complex values: of complex_value<double> and <float>.
inline constexpr kernel_row listed_complex[] = {
    {"complex_cg",              "solvers/cg/complex.hpp",              "host_loop+persistent perks",  "host_loop+graph persistent perks"},
    {"complex_bicgstab",        "solvers/bicgstab/complex.hpp",        "host_loop+persistent perks",  "host_loop+graph persistent perks"},
    {"complex_preconditioned_bicgstab", "solvers/bicgstab/preconditioned.hpp", "host_loop+persistent perks", "host_loop+graph persistent perks"},
    {"complex_gmres",           "solvers/gmres/textbook.hpp",          "host_loop+persistent perks",  "host_loop+graph persistent perks"},
};

/// Many small systems at once, a team for each.
inline constexpr kernel_row listed_batches[] = {
    {"textbook_cg",             "solvers/cg/textbook.hpp",             "batch",                       "batch"},
};

/// Several right-hand sides at once.
inline constexpr kernel_row listed_columns[] = {
    {"textbook_columns_2",      "solvers/cg/textbook_columns.hpp",     "persistent_columns<2>+host_loop_columns<2>", "persistent_columns<2>+host_loop_columns<2>+graph_columns<2>"},
    {"textbook_columns_4",      "solvers/cg/textbook_columns.hpp",     "persistent_columns<4>+host_loop_columns<4>", "persistent_columns<4>+host_loop_columns<4>+graph_columns<4>"},
    {"textbook_columns_8",      "solvers/cg/textbook_columns.hpp",     "persistent_columns<8>+host_loop_columns<8>", "persistent_columns<8>+host_loop_columns<8>+graph_columns<8>"},
};

// clang-format on

}  // namespace dwell
