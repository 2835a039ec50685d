# `cpack` in the build folder: Debian packages libdwell0.2 (shared libraries, with BUILD_SHARED_LIBS), libdwell-dev
# (headers, CMake and pkg-config files, archives), dwell (the command line tool) and python3-dwell (with DWELL_PYTHON).
# dpkg-shlibdeps finds out what they depend on. `make deb` makes all four. What is made is for trying and for one's own machines; a Debian package proper has a debian/ folder.
set(CPACK_PACKAGE_NAME dwell)
string(REPLACE ".dev" "~dev" CPACK_PACKAGE_VERSION ${dwell_version})  # which Debian sorts before the release
set(CPACK_PACKAGE_VENDOR "The Dwell authors")
set(CPACK_PACKAGE_CONTACT "The Dwell authors <dwell@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})  # libdwell_io needs libdwell
set(dwell_abi ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_COMPONENTS_ALL dwell_development)
set(CPACK_DEBIAN_DWELL_DEVELOPMENT_PACKAGE_NAME libdwell-dev)
set(CPACK_DEBIAN_DWELL_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DWELL_DEVELOPMENT_DESCRIPTION
  "Iterative solvers whose data stay on the chip: headers
 Headers, CMake and pkg-config files of the library.")
if(BUILD_SHARED_LIBS)
  list(APPEND CPACK_COMPONENTS_ALL dwell_library)
  set(CPACK_DEBIAN_DWELL_LIBRARY_PACKAGE_NAME libdwell${dwell_abi})
  set(CPACK_DEBIAN_DWELL_LIBRARY_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)  # others that link it find its package
  set(CPACK_COMPONENT_DWELL_LIBRARY_DESCRIPTION
    "Iterative solvers whose data stay on the chip: shared libraries
 Conjugate gradients and stencils on CPU threads and CUDA devices.")
  set(CPACK_DEBIAN_DWELL_DEVELOPMENT_PACKAGE_DEPENDS "libdwell${dwell_abi} (= ${CPACK_PACKAGE_VERSION})")
else()  # the archives leave it to programs to link these
  set(CPACK_DEBIAN_DWELL_DEVELOPMENT_PACKAGE_DEPENDS "libfmt-dev, libarchive-dev, zlib1g-dev, libpng-dev")
endif()
if(TARGET dwell_cli)
  list(APPEND CPACK_COMPONENTS_ALL dwell_program)
  set(CPACK_DEBIAN_DWELL_PROGRAM_PACKAGE_NAME dwell)
  set(CPACK_DEBIAN_DWELL_PROGRAM_PACKAGE_SECTION science)
  set(CPACK_COMPONENT_DWELL_PROGRAM_DESCRIPTION
    "Iterative solvers whose data stay on the chip: the command
 Solves sparse systems and runs stencils from the command line.")
endif()
if(TARGET dwell_python)
  list(APPEND CPACK_COMPONENTS_ALL dwell_python)
  set(CPACK_DEBIAN_DWELL_PYTHON_PACKAGE_NAME python3-dwell)
  set(CPACK_DEBIAN_DWELL_PYTHON_PACKAGE_SECTION python)
  get_property(dwell_python_minor GLOBAL PROPERTY dwell_python_minor)  # the extension is for one version of CPython
  math(EXPR dwell_next_python "${dwell_python_minor} + 1")
  set(CPACK_DEBIAN_DWELL_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${dwell_python_minor}~), python3 (<< 3.${dwell_next_python}~), python3-numpy, python3-scipy")
  set(CPACK_DEBIAN_DWELL_PYTHON_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/packaging/debian/postinst ${PROJECT_SOURCE_DIR}/packaging/debian/prerm)
  set(CPACK_COMPONENT_DWELL_PYTHON_DESCRIPTION
    "Iterative solvers whose data stay on the chip: the Python module
 Module dwell, for arrays of NumPy and matrices of SciPy.")
endif()
include(CPack)
