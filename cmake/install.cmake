# cmake --install: headers, library, programs, and packages for find_package(nonzero) and pkg-config. cpack: a .deb.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nonzero)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(TARGETS nonzero EXPORT nonzeroTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT nonzeroTargets NAMESPACE nonzero:: DESTINATION ${package_dir})

# OPTIONAL: ./nz builds one program at a time; what has not been built is not installed.
foreach(program nz nz-bench)
  if(TARGET ${program} AND NOT NONZERO_BUILD_PYTHON)
    set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
  endif()
endforeach()

set(NONZERO_STATIC_PACKAGE TRUE)
if(BUILD_SHARED_LIBS)
  set(NONZERO_STATIC_PACKAGE FALSE)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/nonzeroConfig.cmake.in ${CMAKE_BINARY_DIR}/nonzeroConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/nonzeroConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_BINARY_DIR}/nonzeroConfig.cmake
  ${CMAKE_BINARY_DIR}/nonzeroConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindMinizip.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindISAL.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindHDF5C.cmake
  DESTINATION ${package_dir})

# A static library needs what it links, a shared one keeps it to itself.
set(nonzero_pc_requires "")
set(nonzero_pc_libs "")
if(NONZERO_STATIC_PACKAGE)
  set(nonzero_pc_requires "zlib libpng minizip libisal")
  if(nonzero_hdf5)
    # Debian's serial library has a package of its own.
    string(APPEND nonzero_pc_requires " hdf5")
    if(HDF5C_LIBRARY MATCHES "hdf5_serial")
      string(APPEND nonzero_pc_requires "-serial")
    endif()
  endif()
  string(REPLACE ";" " " nonzero_pc_libs " ${OpenMP_CXX_FLAGS}")
  if(nonzero_cuda)
    string(APPEND nonzero_pc_libs " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lpthread -ldl -lrt")
  endif()
endif()
# The prefix as seen from the file, so that what was installed may be moved, and cpack may choose another.
file(RELATIVE_PATH nonzero_pc_to_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" nonzero_pc_to_prefix "${nonzero_pc_to_prefix}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/nonzero.pc.in ${CMAKE_BINARY_DIR}/nonzero.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/nonzero.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# cpack -G DEB: what cmake --install installs, in /usr. Of a shared build dpkg-shlibdeps finds what it depends on.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME nonzero)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR nonzero)
set(CPACK_PACKAGE_CONTACT "nonzero")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(NONZERO_STATIC_PACKAGE)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "zlib1g-dev, libpng-dev, libminizip-dev, libisal-dev")
  if(nonzero_hdf5)
    string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libhdf5-dev")
  endif()
endif()
include(CPack)
