# The programs with the checks of labs/ (docs/teaching.md): lab_NN of labs/NN-*/check.cc. They link the core and not the
# helpers of tests/, which bring in the whole program. labs/heed-lab links them once more, with what a student wrote in front.

find_package(GTest REQUIRED)
heed_glob(lab_support_sources labs/support/*.cc)
add_library(heed_lab_support STATIC ${lab_support_sources})
heed_target(heed_lab_support)
target_link_libraries(heed_lab_support PUBLIC heed_core GTest::gtest nlohmann_json::nlohmann_json)
target_precompile_headers(heed_lab_support PRIVATE <gtest/gtest.h> <functional> <map> <string> <vector>)

add_custom_target(heed_lab_programs)
set(HEED_LAB_PROGRAMS)
heed_glob(lab_checks labs/[0-9][0-9]-*/check.cc)
foreach(source IN LISTS lab_checks)
  string(REGEX REPLACE ".*/labs/([0-9][0-9])-[^/]*/check.cc" "lab_\\1" name ${source})
  add_executable(${name} ${source})
  heed_target(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/labs)
  target_link_libraries(${name} PRIVATE heed_lab_support)
  target_precompile_headers(${name} REUSE_FROM heed_lab_support)
  add_dependencies(heed_lab_programs ${name})
  list(APPEND HEED_LAB_PROGRAMS ${name})
endforeach()
