# What `cmake --install` puts where, and what find_package(dwell) and pkg-config find there: the libraries, the public
# headers, the command line tool. Install components: dwell_library (shared libraries), dwell_program, dwell_development, dwell_python.
include(CMakePackageConfigHelpers)
get_property(dwell_manual GLOBAL PROPERTY dwell_manual)

set(dwell_libraries ${DWELL_COMPONENTS})
list(TRANSFORM dwell_libraries PREPEND dwell_)
list(TRANSFORM dwell_libraries APPEND "${DWELL_SUFFIX}")
set(dwell_package ${CMAKE_INSTALL_LIBDIR}/cmake/dwell)

# An export file for every component: a program that asks for core needs nothing of what io needs.
function(dwell_export name)
  install(TARGETS ${ARGN} EXPORT dwell_${name}_targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dwell_library NAMELINK_COMPONENT dwell_development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dwell_development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dwell_development
    FILE_SET cuda_headers DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dwell_development)
  install(EXPORT dwell_${name}_targets NAMESPACE dwell:: DESTINATION ${dwell_package} COMPONENT dwell_development)
endfunction()
dwell_export(core dwell_core${DWELL_SUFFIX} dwell_custom_program${DWELL_SUFFIX})
dwell_export(stencil dwell_stencil${DWELL_SUFFIX} dwell_custom_stencil${DWELL_SUFFIX})
if(DWELL_IO)
  dwell_export(io dwell_io${DWELL_SUFFIX})
  dwell_export(all dwell${DWELL_SUFFIX})
endif()

# All that is installed, and nothing else.
add_custom_target(dwell_installed)
add_dependencies(dwell_installed ${dwell_libraries})
if(TARGET dwell_cli)
  add_dependencies(dwell_installed dwell_cli)
  install(TARGETS dwell_cli DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT dwell_program)
endif()
if(TARGET dwell_python)  # its rules are in bindings/python/CMakeLists.txt
  add_dependencies(dwell_installed dwell_python dwell_python_stub)
endif()
if(TARGET dwell_manual)
  add_dependencies(dwell_installed dwell_manual)
  set(dwell_share ${CMAKE_INSTALL_DATAROOTDIR})
  install(DIRECTORY ${dwell_manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT dwell_program)
  install(FILES ${dwell_manual}/dwell DESTINATION ${dwell_share}/bash-completion/completions COMPONENT dwell_program)
  install(FILES ${dwell_manual}/_dwell DESTINATION ${dwell_share}/zsh/site-functions COMPONENT dwell_program)
  install(FILES ${dwell_manual}/dwell.fish DESTINATION ${dwell_share}/fish/vendor_completions.d COMPONENT dwell_program)
endif()
if(TARGET peer-cusparse-cg)  # dwell compare runs it
  add_dependencies(dwell_installed peer-cusparse-cg)
  install(TARGETS peer-cusparse-cg DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/dwell COMPONENT dwell_program)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dwell_development)

# A shared library has its own dependencies linked; static ones leave that to the program.
if(BUILD_SHARED_LIBS)
  set(DWELL_IS_STATIC OFF)
else()
  set(DWELL_IS_STATIC ON)
endif()
configure_package_config_file(cmake/dwellConfig.cmake.in ${PROJECT_BINARY_DIR}/dwellConfig.cmake
  INSTALL_DESTINATION ${dwell_package})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dwellConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dwellConfig.cmake ${PROJECT_BINARY_DIR}/dwellConfigVersion.cmake
  DESTINATION ${dwell_package} COMPONENT dwell_development)
include(pkgconfig)
