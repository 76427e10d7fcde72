# What we own is linked; what the host owns (MPI, verbs, GPU libraries) is opened with dlopen and never appears here.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(LibArchive REQUIRED)
pkg_check_modules(LIBPCI REQUIRED IMPORTED_TARGET libpci)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)
add_library(Nettle::Nettle ALIAS PkgConfig::NETTLE)

# Not by pkg-config: Debian 13's xlsxwriter.pc names minizip, which its -dev package does not bring and we do not need.
find_path(XLSXWRITER_INCLUDE_DIR xlsxwriter.h REQUIRED)
find_library(XLSXWRITER_LIBRARY xlsxwriter REQUIRED)
mark_as_advanced(XLSXWRITER_INCLUDE_DIR XLSXWRITER_LIBRARY)
add_library(XlsxWriter::XlsxWriter UNKNOWN IMPORTED)
set_target_properties(XlsxWriter::XlsxWriter PROPERTIES
    IMPORTED_LOCATION "${XLSXWRITER_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${XLSXWRITER_INCLUDE_DIR}")
