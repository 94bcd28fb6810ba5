# heed_torture (tests/torture/main.cc) and the library that it preloads into heed to make calls fail.

heed_glob(torture_sources tests/torture/*.cc)
list(REMOVE_ITEM torture_sources ${PROJECT_SOURCE_DIR}/tests/torture/fault.cc)

add_library(heed_fault MODULE tests/torture/fault.cc)
target_compile_features(heed_fault PRIVATE cxx_std_20)
target_compile_options(heed_fault PRIVATE -Wall -Wextra $<$<BOOL:${HEED_WERROR}>:-Werror>)
target_link_libraries(heed_fault PRIVATE ${CMAKE_DL_LIBS})

add_executable(heed_torture ${torture_sources})
heed_target(heed_torture)
target_link_libraries(heed_torture PRIVATE CLI11::CLI11 Threads::Threads)
target_compile_definitions(heed_torture PRIVATE HEED_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                           HEED_PROGRAM="$<TARGET_FILE:heed_program>"
                           HEED_FAULT_LIBRARY="$<TARGET_FILE:heed_fault>")
add_dependencies(heed_torture heed_program heed_fault)

# The short version is one of the fast tests.
add_dependencies(heed_fast_tests heed_torture)
add_test(NAME torture COMMAND heed_torture --quick)
set_tests_properties(torture PROPERTIES TIMEOUT 300)
