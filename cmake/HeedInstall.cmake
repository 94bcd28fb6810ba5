# cmake --install: headers below include/heed, libraries, the program, and find_package(heed).

if(NOT TARGET heed OR NOT TARGET heed_kernels)
  return()
endif()
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/heed)

install(DIRECTORY tensor autograd nn optim dialog experiment DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heed
        FILES_MATCHING PATTERN "*.h")
install(TARGETS heed heed_kernels EXPORT heed_targets)
if(TARGET heed_cuda)
  install(TARGETS heed_cuda EXPORT heed_targets)
endif()
foreach(target IN LISTS HEED_KERNEL_TARGETS)
  if(target MATCHES "_(v[0-9])$")
    install(TARGETS ${target}
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/glibc-hwcaps/x86-64-${CMAKE_MATCH_1})
  endif()
endforeach()
if(TARGET heed_program)
  install(TARGETS heed_program)
endif()

install(EXPORT heed_targets NAMESPACE heed:: DESTINATION ${package_dir})
configure_package_config_file(cmake/heed-config.cmake.in ${PROJECT_BINARY_DIR}/heed-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heed-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heed-config.cmake
              ${PROJECT_BINARY_DIR}/heed-config-version.cmake DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
