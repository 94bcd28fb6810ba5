# cmake --install: headers below include/heed, libraries, the program, and find_package(heed), which knows
# the components core and dialog. Headers that show JSON are for our own sources: a user needs no JSON.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/heed)

install(FILES heed.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heed)
install(DIRECTORY tensor autograd nn optim train dialog experiments DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heed
        FILES_MATCHING PATTERN "*.h" PATTERN "*_json.h" EXCLUDE)
install(TARGETS heed_core heed_kernels EXPORT heed_core_targets)
install(TARGETS heed_dialog heed EXPORT heed_dialog_targets)
if(TARGET heed_cuda)
  install(TARGETS heed_cuda EXPORT heed_core_targets)
endif()
foreach(target IN LISTS HEED_KERNEL_TARGETS)
  if(target MATCHES "_(v[0-9])$")
    install(TARGETS ${target}
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/glibc-hwcaps/x86-64-${CMAKE_MATCH_1})
  endif()
endforeach()
install(TARGETS heed_program)

foreach(component core dialog)
  install(EXPORT heed_${component}_targets NAMESPACE heed:: DESTINATION ${package_dir})
endforeach()
configure_package_config_file(cmake/heed-config.cmake.in ${PROJECT_BINARY_DIR}/heed-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heed-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heed-config.cmake
              ${PROJECT_BINARY_DIR}/heed-config-version.cmake DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
