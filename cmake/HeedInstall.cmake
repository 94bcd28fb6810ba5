# cmake --install: public headers below include/heed, libraries, the program, and find_package(heed), which knows
# the components core and dialog. `--component program` is what a wheel for Python has of it: all that the program needs to run.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/heed)

set(dialog ON)
if(HEED_CORE_ONLY)
  set(dialog OFF)
endif()
install(CODE "execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND \"${CMAKE_COMMAND}\" -D \"SOURCE=${PROJECT_SOURCE_DIR}\"
  -D \"DEST=${PROJECT_BINARY_DIR}/include\" -D DIALOG=${dialog} -P \"${PROJECT_SOURCE_DIR}/cmake/HeedHeaders.cmake\")")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/heed DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES docs/headers.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(TARGETS heed_core heed_kernels EXPORT heed_core_targets LIBRARY COMPONENT program)
install(EXPORT heed_core_targets NAMESPACE heed:: DESTINATION ${package_dir})
if(TARGET heed_cuda)
  install(TARGETS heed_cuda EXPORT heed_core_targets LIBRARY COMPONENT program)
endif()
foreach(target IN LISTS HEED_KERNEL_TARGETS)
  if(target MATCHES "_(v[0-9])$")
    install(TARGETS ${target}
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/glibc-hwcaps/x86-64-${CMAKE_MATCH_1} COMPONENT program)
  endif()
endforeach()
if(NOT HEED_CORE_ONLY)
  set_target_properties(heed_commands PROPERTIES EXPORT_NAME program)
  install(TARGETS heed_dialog heed heed_commands EXPORT heed_dialog_targets)
  install(EXPORT heed_dialog_targets NAMESPACE heed:: DESTINATION ${package_dir})
  install(TARGETS heed_program RUNTIME COMPONENT program)

  # What shells and people read about the program, made by itself; and dialogues and models to begin with.
  set(system_files ${PROJECT_BINARY_DIR}/system)
  set(heed_help heed_program help)
  add_custom_command(OUTPUT ${system_files}/heed.1 ${system_files}/heed.bash ${system_files}/heed.fish VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${system_files}
    COMMAND ${heed_help} --man > ${system_files}/heed.1
    COMMAND ${heed_help} --completion bash > ${system_files}/heed.bash
    COMMAND ${heed_help} --completion fish > ${system_files}/heed.fish)
  add_custom_target(heed_system_files ALL DEPENDS ${system_files}/heed.1)
  install(FILES ${system_files}/heed.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${system_files}/heed.bash RENAME heed DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${system_files}/heed.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(DIRECTORY data/ubuntu-sample data/models DESTINATION ${CMAKE_INSTALL_DATADIR}/heed COMPONENT program)
  install(FILES data/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/heed COMPONENT program)  # the licence of both
endif()

configure_package_config_file(cmake/heed-config.cmake.in ${PROJECT_BINARY_DIR}/heed-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heed-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heed-config.cmake
              ${PROJECT_BINARY_DIR}/heed-config-version.cmake DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

# ---- packages: cpack in the build folder, or `make package` --------------------------------------

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # a package needs no tests
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_NAME heed)
set(CPACK_PACKAGE_VENDOR heed)
set(CPACK_PACKAGE_CONTACT "the heed developers <heed@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # dpkg-shlibdeps of dpkg-dev finds the libraries that are needed
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nlohmann-json3-dev, zlib1g-dev")  # for who links the libraries
include(CPack)
