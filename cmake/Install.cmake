# `cmake --install BUILD --prefix DIR`: the tool, the Python file, the documentation, and what find_package(Tileproof) takes.
#
#   bin/tileproof, bin/tileproof-plant if it was built
#   include/tileproof.h               the public surface; it includes what it needs of the tree below
#   include/tileproof/{compiler,oracle}/...
#   lib/libtileproof_{ir,machine,pipeline,oracle}.a, lib/cmake/Tileproof/
#   share/tileproof/python/tileproof.py, share/doc/tileproof/

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Tileproof)

foreach(part IN ITEMS ir machine pipeline oracle)
  # Our headers name each other from the root of the repository, "compiler/ir/program.h": below include/tileproof that is the same tree.
  target_include_directories(
    tileproof_${part} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                                $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tileproof>)
  target_compile_features(tileproof_${part} PUBLIC cxx_std_23)
  set_target_properties(tileproof_${part} PROPERTIES EXPORT_NAME ${part})
endforeach()

install(TARGETS tileproof_ir tileproof_machine tileproof_pipeline tileproof_oracle EXPORT TileproofTargets)
install(TARGETS tileproof)
install(TARGETS tileproof-plant OPTIONAL)
install(FILES tool/cpp/tileproof.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY compiler oracle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tileproof FILES_MATCHING PATTERN "*.h"
        PATTERN "oracle/prove" EXCLUDE)
install(FILES tool/python/tileproof.py DESTINATION ${CMAKE_INSTALL_DATADIR}/tileproof/python)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT TileproofTargets NAMESPACE Tileproof:: DESTINATION ${config_folder})
configure_package_config_file(cmake/TileproofConfig.cmake.in TileproofConfig.cmake INSTALL_DESTINATION ${config_folder})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(TileproofConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/TileproofConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/TileproofConfigVersion.cmake
        DESTINATION ${config_folder})
