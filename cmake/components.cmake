# Public headers are in include/dwell. Every other header is included by its path from the top, "dwell/execution/...": through
# links that each build folder has of its own.
foreach(folder base bindings/c datasets execution formats solvers)
  cmake_path(GET folder PARENT_PATH parent)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/dwell/${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${PROJECT_BINARY_DIR}/include/dwell/${folder} COPY_ON_ERROR SYMBOLIC)
endforeach()
set(DWELL_INCLUDES ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)

# The library in components, so that a program links no more than it uses: core (devices, executors, solvers of arrays
# and matrices), stencil (solvers of stencils) and io (files, with libarchive, zlib and libpng; generated matrices).
# dwell is all of them. Inside this project targets are called dwell_core, ..., outside dwell::core, ....
#
# With BUILD_SHARED_LIBS the same objects make two shared libraries: libdwell of core and stencil, which share what they
# do not export, and libdwell_io. What is not marked DWELL_API (include/dwell/base/api.hpp) is hidden in them. The command line tool
# and the tests use that too: they always link the archives. A build with tests makes the shared libraries in any case,
# for the test of what they export: nothing is compiled for that.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
set(DWELL_FMT fmt::fmt)
if(DWELL_PYTHON)  # goes to machines without libfmt.so: compiled in
  include(python_fmt)
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

# The files of a folder are compiled together (DWELL_UNITY): the headers of the standard library and of fmt take longer
# than most files. Linkers drop what a program does not use function by function (-ffunction-sections).
function(dwell_settings target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${DWELL_UNITY} UNITY_BUILD_MODE GROUP
    CXX_VISIBILITY_PRESET ${dwell_visibility} CUDA_VISIBILITY_PRESET ${dwell_visibility} VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${DWELL_INCLUDES}>")
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-ffunction-sections> $<$<COMPILE_LANGUAGE:CXX>:-fdata-sections>)
endfunction()

# dwell_sources(TARGET FILE... [GROUP name] [ALONE] [OPTIONS o...]): sources of this folder, compiled together. ALONE:
# one by one, because names in them are the same. What nvcc compiles is always alone.
function(dwell_sources target)
  cmake_parse_arguments(arg "ALONE" "GROUP" "OPTIONS" ${ARGN})
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
  if(NOT arg_GROUP)
    string(MAKE_C_IDENTIFIER "${folder}" arg_GROUP)
  endif()
  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    if(NOT IS_ABSOLUTE ${file})
      set(file ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    endif()
    target_sources(${target} PRIVATE ${file})
    if(arg_OPTIONS)
      set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "${arg_OPTIONS}")
    endif()
    if(arg_ALONE OR file MATCHES "\\.cu$")
      set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    else()
      set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${arg_GROUP})
    endif()
  endforeach()
endfunction()

foreach(component IN LISTS DWELL_COMPONENTS)
  add_library(dwell_${component} ${DWELL_KIND})
  dwell_settings(dwell_${component})
  set_target_properties(dwell_${component} PROPERTIES EXPORT_NAME ${component})
  target_compile_options(dwell_${component} PRIVATE ${DWELL_LIBRARY_OPTIONS})
  target_link_libraries(dwell_${component} PRIVATE ${DWELL_FMT} Threads::Threads $<BUILD_INTERFACE:dwell_flags>)
  if(DWELL_HAVE_CUDA AND NOT component STREQUAL "io")
    target_link_libraries(dwell_${component} PRIVATE CUDA::cudart_static)
  endif()
endforeach()
target_link_libraries(dwell_stencil PUBLIC dwell_core)
if(DWELL_IO)
  target_link_libraries(dwell_io PUBLIC dwell_core PRIVATE LibArchive::LibArchive ZLIB::ZLIB PNG::PNG)
endif()

# Parts of the components, objects that the small program of `make solve` is linked of (apps/dwell): systems, what solves
# linear systems by conjugate gradients; loops, its loops over whole arrays on a CPU; files, matrices and vectors in
# files, and generated ones. And shapes, the stencils on CPUs, whose files are compiled together by some at a time.
function(dwell_add_part part component)
  add_library(dwell_${part} OBJECT)
  dwell_settings(dwell_${part})
  target_link_libraries(dwell_${part} PRIVATE ${DWELL_FMT} Threads::Threads dwell_flags)
  if(DWELL_HAVE_CUDA AND NOT component STREQUAL "io")
    target_link_libraries(dwell_${part} PRIVATE CUDA::cudart_static)
  endif()
  target_sources(dwell_${component} PRIVATE $<TARGET_OBJECTS:dwell_${part}>)
  set(DWELL_PARTS_${component} ${DWELL_PARTS_${component}} $<TARGET_OBJECTS:dwell_${part}> PARENT_SCOPE)
endfunction()
dwell_add_part(systems core)
target_compile_options(dwell_systems PRIVATE ${DWELL_LIBRARY_OPTIONS})
dwell_add_part(loops core)
target_compile_options(dwell_loops PRIVATE ${DWELL_KERNEL_OPTIONS})
dwell_add_part(shapes stencil)
target_compile_options(dwell_shapes PRIVATE ${DWELL_KERNEL_OPTIONS})
if(DWELL_IO)
  dwell_add_part(files io)
  target_compile_options(dwell_files PRIVATE ${DWELL_LIBRARY_OPTIONS})
  target_link_libraries(dwell_files PRIVATE LibArchive::LibArchive ZLIB::ZLIB)
endif()

# For programs that compile stencils or methods of their own (dwell/custom_stencil.hpp, dwell/custom_program.hpp): the
# rules of floating-point arithmetic that make a result the same under every executor, and the instructions of the
# library's own kernels (options.cmake).
set(DWELL_CUSTOM_KERNEL_OPTIONS -ffp-contract=off)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND DWELL_CUSTOM_KERNEL_OPTIONS -mavx2 -mfma)
endif()
list(JOIN DWELL_CUSTOM_KERNEL_OPTIONS "," dwell_host_options)

# dwell, of all components, dwell_custom_stencil and dwell_custom_program; with suffix _shared those of the shared
# libraries.
function(dwell_add_interfaces suffix)
  add_library(dwell${suffix} INTERFACE)
  foreach(component IN LISTS DWELL_COMPONENTS)
    target_link_libraries(dwell${suffix} INTERFACE dwell_${component}${suffix})
  endforeach()
  foreach(kernels custom_program custom_stencil)
    add_library(dwell_${kernels}${suffix} INTERFACE)
    target_link_libraries(dwell_${kernels}${suffix} INTERFACE dwell_core${suffix} Threads::Threads)
    target_compile_options(dwell_${kernels}${suffix} INTERFACE
      "$<$<COMPILE_LANGUAGE:CXX>:${DWELL_CUSTOM_KERNEL_OPTIONS}>"
      "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;--expt-relaxed-constexpr;--extended-lambda;-Xcompiler=${dwell_host_options}>")
  endforeach()
  target_link_libraries(dwell_custom_stencil${suffix} INTERFACE dwell_stencil${suffix})
endfunction()
dwell_add_interfaces("")
set(DWELL_SUFFIX "")
if(BUILD_SHARED_LIBS)
  set(DWELL_SUFFIX _shared)
endif()

if(BUILD_SHARED_LIBS OR (DWELL_TESTS AND NOT DWELL_SANITIZE AND NOT DWELL_FUZZ))
  # Templates of the standard library are not hidden: exports only names of namespace dwell and C functions dwell_*.
  set(dwell_exports ${PROJECT_BINARY_DIR}/dwell.map)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/dwell.map.in ${dwell_exports} @ONLY)
  # Before 1.0 a minor version may change the interface.
  function(dwell_add_shared name output)
    add_library(${name} SHARED ${ARGN})
    set_target_properties(${name} PROPERTIES OUTPUT_NAME ${output} LINK_DEPENDS ${dwell_exports} LINKER_LANGUAGE CXX
      INSTALL_RPATH "$ORIGIN"
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    target_compile_features(${name} PUBLIC cxx_std_20)
    target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${DWELL_INCLUDES}>")
    target_link_libraries(${name} PRIVATE fmt::fmt Threads::Threads ${CMAKE_DL_LIBS})
    target_link_options(${name} PRIVATE LINKER:--version-script=${dwell_exports})
    if(NOT DWELL_SANITIZE)
      target_link_options(${name} PRIVATE LINKER:-z,defs)
    endif()
  endfunction()
  dwell_add_shared(dwell_core_shared dwell $<TARGET_OBJECTS:dwell_core> ${DWELL_PARTS_core}
    $<TARGET_OBJECTS:dwell_stencil> ${DWELL_PARTS_stencil})
  if(DWELL_HAVE_CUDA)
    target_link_libraries(dwell_core_shared PRIVATE CUDA::cudart_static)
  endif()
  add_library(dwell_stencil_shared INTERFACE)
  target_link_libraries(dwell_stencil_shared INTERFACE dwell_core_shared)
  if(DWELL_IO)
    dwell_add_shared(dwell_io_shared dwell_io $<TARGET_OBJECTS:dwell_io> ${DWELL_PARTS_io})
    # What libdwell does not export, threads for set-up work and the like, comes from the archive once more.
    target_link_libraries(dwell_io_shared PUBLIC dwell_core_shared
      PRIVATE $<BUILD_INTERFACE:dwell_core> LibArchive::LibArchive ZLIB::ZLIB PNG::PNG)
  endif()
  dwell_add_interfaces(_shared)
endif()

foreach(name IN LISTS DWELL_COMPONENTS ITEMS custom_program custom_stencil)
  set_target_properties(dwell_${name}${DWELL_SUFFIX} PROPERTIES EXPORT_NAME ${name})
  add_library(dwell::${name} ALIAS dwell_${name}${DWELL_SUFFIX})
endforeach()
set_target_properties(dwell${DWELL_SUFFIX} PROPERTIES EXPORT_NAME dwell)
add_library(dwell::dwell ALIAS dwell${DWELL_SUFFIX})
