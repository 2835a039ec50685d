# The library in components, so that a program links no more than it uses: core (devices, executors, solvers of arrays
# and matrices), stencil (solvers of stencils) and io (files, with libarchive, zlib and libpng; generated matrices).
# dwell is all of them. Inside this project targets are called dwell_core, ..., outside dwell::core, ....
#
# With BUILD_SHARED_LIBS the same objects make two shared libraries: libdwell of core and stencil, which share what they
# do not export, and libdwell_io. What is not marked DWELL_API (base/api.hpp) is hidden in them. The command line tool
# and the tests use that too: they always link the archives. A build with tests makes the shared libraries in any case,
# for the test of what they export: nothing is compiled for that.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
# A wheel goes to machines without libfmt.so: compiled in.
set(DWELL_FMT fmt::fmt)
if(DWELL_PYTHON)
  set(DWELL_FMT fmt::fmt-header-only)
endif()
set(DWELL_COMPONENTS core stencil)
if(DWELL_IO)
  list(APPEND DWELL_COMPONENTS io)
  foreach(package LibArchive ZLIB PNG)
    find_package(${package})
    if(NOT ${package}_FOUND)
      message(FATAL_ERROR "Component io needs ${package}, which was not found; DWELL_IO=OFF builds without it")
    endif()
  endforeach()
endif()

# Under sanitizers the components themselves are shared, with every symbol: 70 test programs that each link archives
# with the sanitizers' code take 20 GB of disk and minutes of linking.
set(DWELL_KIND STATIC)
set(dwell_visibility hidden)
if(DWELL_SANITIZE AND DWELL_TESTS)
  set(DWELL_KIND SHARED)
  set(dwell_visibility default)
endif()

foreach(component IN LISTS DWELL_COMPONENTS)
  add_library(dwell_${component} ${DWELL_KIND})
  set_target_properties(dwell_${component} PROPERTIES UNITY_BUILD ${DWELL_UNITY_LIBRARY})
  set_target_properties(dwell_${component} PROPERTIES EXPORT_NAME ${component}
    CXX_VISIBILITY_PRESET ${dwell_visibility} CUDA_VISIBILITY_PRESET ${dwell_visibility} VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(dwell_${component} PUBLIC cxx_std_20)
  target_include_directories(dwell_${component} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(dwell_${component} PRIVATE ${DWELL_FMT} Threads::Threads $<BUILD_INTERFACE:dwell_flags>)
  if(DWELL_HAVE_CUDA AND NOT component STREQUAL "io")
    target_link_libraries(dwell_${component} PRIVATE CUDA::cudart_static)
  endif()
endforeach()
target_link_libraries(dwell_stencil PUBLIC dwell_core)
if(DWELL_IO)
  target_link_libraries(dwell_io PUBLIC dwell_core PRIVATE LibArchive::LibArchive ZLIB::ZLIB PNG::PNG)
endif()

# For programs that compile stencils of their own (dwell/custom_stencil.hpp): the rules of floating-point arithmetic
# that make a result the same under every executor, and the instructions of the library's own kernels (options.cmake).
set(DWELL_CUSTOM_STENCIL_OPTIONS -ffp-contract=off)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND DWELL_CUSTOM_STENCIL_OPTIONS -mavx2 -mfma)
endif()
list(JOIN DWELL_CUSTOM_STENCIL_OPTIONS "," dwell_host_options)

# dwell, of all components, and dwell_custom_stencil; with suffix _shared those of the shared libraries.
function(dwell_add_interfaces suffix)
  add_library(dwell${suffix} INTERFACE)
  foreach(component IN LISTS DWELL_COMPONENTS)
    target_link_libraries(dwell${suffix} INTERFACE dwell_${component}${suffix})
  endforeach()
  add_library(dwell_custom_stencil${suffix} INTERFACE)
  target_link_libraries(dwell_custom_stencil${suffix} INTERFACE dwell_stencil${suffix} Threads::Threads)
  target_compile_options(dwell_custom_stencil${suffix} INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:${DWELL_CUSTOM_STENCIL_OPTIONS}>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;--expt-relaxed-constexpr;--extended-lambda;-Xcompiler=${dwell_host_options}>")
endfunction()
dwell_add_interfaces("")
set(DWELL_SUFFIX "")
if(BUILD_SHARED_LIBS)
  set(DWELL_SUFFIX _shared)
endif()

if(BUILD_SHARED_LIBS OR (DWELL_TESTS AND NOT DWELL_SANITIZE AND NOT DWELL_FUZZ))
  # Of what is not hidden, templates of the standard library, only names of namespace dwell and of C functions dwell_*.
  set(dwell_exports ${PROJECT_BINARY_DIR}/dwell.map)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/dwell.map.in ${dwell_exports} @ONLY)
  # Before 1.0 a minor version may change the interface.
  function(dwell_add_shared name output)
    add_library(${name} SHARED ${ARGN})
    set_target_properties(${name} PROPERTIES OUTPUT_NAME ${output} LINK_DEPENDS ${dwell_exports} LINKER_LANGUAGE CXX
      INSTALL_RPATH "$ORIGIN"
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    target_compile_features(${name} PUBLIC cxx_std_20)
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
    target_link_libraries(${name} PRIVATE fmt::fmt Threads::Threads)
    target_link_options(${name} PRIVATE LINKER:--version-script=${dwell_exports})
    if(NOT DWELL_SANITIZE)
      target_link_options(${name} PRIVATE LINKER:-z,defs)
    endif()
  endfunction()
  dwell_add_shared(dwell_core_shared dwell $<TARGET_OBJECTS:dwell_core> $<TARGET_OBJECTS:dwell_stencil>)
  if(DWELL_HAVE_CUDA)
    target_link_libraries(dwell_core_shared PRIVATE CUDA::cudart_static)
  endif()
  add_library(dwell_stencil_shared INTERFACE)
  target_link_libraries(dwell_stencil_shared INTERFACE dwell_core_shared)
  if(DWELL_IO)
    dwell_add_shared(dwell_io_shared dwell_io $<TARGET_OBJECTS:dwell_io>)
    # What libdwell does not export, threads for set-up work and the like, comes from the archive once more.
    target_link_libraries(dwell_io_shared PUBLIC dwell_core_shared
      PRIVATE $<BUILD_INTERFACE:dwell_core> LibArchive::LibArchive ZLIB::ZLIB PNG::PNG)
  endif()
  dwell_add_interfaces(_shared)
endif()

foreach(name IN LISTS DWELL_COMPONENTS ITEMS custom_stencil)
  set_target_properties(dwell_${name}${DWELL_SUFFIX} PROPERTIES EXPORT_NAME ${name})
  add_library(dwell::${name} ALIAS dwell_${name}${DWELL_SUFFIX})
endforeach()
set_target_properties(dwell${DWELL_SUFFIX} PROPERTIES EXPORT_NAME dwell)
add_library(dwell::dwell ALIAS dwell${DWELL_SUFFIX})
