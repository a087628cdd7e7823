# cmake --install: headers, library, programs, and a package for find_package(nonzero).
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
  if(TARGET ${program})
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
  DESTINATION ${package_dir})
