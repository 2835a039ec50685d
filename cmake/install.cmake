# What `cmake --install` puts where, and what find_package(dwell) finds there: the library, the public
# headers (and no others: scripts/check-headers.sh compiles the installed ones alone), the command line.
include(CMakePackageConfigHelpers)

set(DWELL_PUBLIC_HEADERS
  datasets/generators.hpp
  execution/core/device.hpp
  execution/core/progress_function.hpp
  execution/core/sweep.hpp
  formats/atomic_file.hpp
  formats/csr.hpp
  formats/error.hpp
  formats/fn.hpp
  formats/grid.hpp
  formats/matrix_market.hpp
  formats/merge_path.hpp
  formats/npy.hpp
  formats/parallel.hpp
  formats/png.hpp
  formats/triplets.hpp
  formats/vector_file.hpp
  formats/vti.hpp
  solvers/cg/cg.hpp
  solvers/cg/explain.hpp
  solvers/stencil/explain.hpp
  solvers/stencil/stencil.hpp
  solvers/stencil/stencil_table.hpp)

# What dwell/custom_stencil.hpp compiles in a user's program: the texts of the executors of stencils. Those with
# "cuda" in their names are for nvcc only.
foreach(name cell_piece crew cuda_check grid_team_cpu launch_sweep_cpu patch_sums plan program progress_teller ranges
    resident_steps run_teams_cpu scratch_cpu sweep_args sweep_launches sweep_look sweep_patch sweep_plan sweep_step
    sweep_variant team_cpu threads_cpu tiles variant waiting_cpu watch_cpu watch_cuda window)
  list(APPEND DWELL_PUBLIC_HEADERS execution/core/${name}.hpp)
endforeach()
foreach(name cluster_mail grid_barrier grid_team_cuda kernel_cuda launch_sweep_cuda sweep_kernels_cuda team_cuda warp_cuda)
  list(APPEND DWELL_PUBLIC_HEADERS execution/core/${name}.cuh)
endforeach()
# An executor of stencils is all headers of its folder but NAME.hpp, which is of Programs.
file(GLOB dwell_sweep_executors CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} execution/*/*_sweep.hpp)
foreach(header IN LISTS dwell_sweep_executors)
  cmake_path(GET header PARENT_PATH folder)
  cmake_path(GET folder FILENAME name)
  file(GLOB dwell_executor_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${folder}/*.hpp ${folder}/*.cuh)
  list(REMOVE_ITEM dwell_executor_headers ${folder}/${name}.hpp)
  list(APPEND DWELL_PUBLIC_HEADERS ${dwell_executor_headers})
endforeach()

foreach(header IN LISTS DWELL_PUBLIC_HEADERS)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dwell/${folder})
endforeach()
install(FILES include/dwell/custom_stencil.hpp include/dwell/dwell.hpp include/dwell/eigen.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dwell)

# Before 1.0 a minor version may change the interface.
set_target_properties(dwell PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
install(TARGETS dwell dwell_custom_stencil EXPORT dwell_targets)
if(TARGET dwell_cli)
  if(BUILD_SHARED_LIBS)
    file(RELATIVE_PATH dwell_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(dwell_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${dwell_bin_to_lib}")
  endif()
  install(TARGETS dwell_cli)
endif()
# All that is installed, and nothing else.
add_custom_target(installed DEPENDS dwell)
if(TARGET dwell_cli)
  add_dependencies(installed dwell_cli)
endif()
if(TARGET peer-cusparse-cg)  # dwell compare runs it
  add_dependencies(installed peer-cusparse-cg)
  install(TARGETS peer-cusparse-cg DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/dwell)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(dwell_package ${CMAKE_INSTALL_LIBDIR}/cmake/dwell)
install(EXPORT dwell_targets NAMESPACE dwell:: DESTINATION ${dwell_package})

# A shared library has its own dependencies linked; a static one leaves that to the program.
get_target_property(dwell_type dwell TYPE)
set(DWELL_IS_STATIC OFF)
if(dwell_type STREQUAL "STATIC_LIBRARY")
  set(DWELL_IS_STATIC ON)
endif()
configure_package_config_file(cmake/dwellConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/dwellConfig.cmake
  INSTALL_DESTINATION ${dwell_package})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/dwellConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dwellConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/dwellConfigVersion.cmake
  DESTINATION ${dwell_package})
