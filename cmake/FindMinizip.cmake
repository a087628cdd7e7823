# Finds minizip (the zip reader and writer of zlib's contrib folder), which has no CMake package of its own.
# Installed beside nonzeroConfig.cmake too: whoever links a static libnonzero needs it.
# Defines Minizip::Minizip; include as <minizip/unzip.h>.

find_path(Minizip_INCLUDE_DIR minizip/unzip.h)
find_library(Minizip_LIBRARY minizip)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Minizip REQUIRED_VARS Minizip_LIBRARY Minizip_INCLUDE_DIR)
mark_as_advanced(Minizip_INCLUDE_DIR Minizip_LIBRARY)
if(Minizip_FOUND AND NOT TARGET Minizip::Minizip)
  add_library(Minizip::Minizip UNKNOWN IMPORTED)
  set_target_properties(Minizip::Minizip PROPERTIES
    IMPORTED_LOCATION "${Minizip_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Minizip_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES ZLIB::ZLIB)
endif()
