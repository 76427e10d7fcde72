# Each folder here with a recording is a machine: what the probes make of it must be its machine.json, byte for byte.
# GPUADAPT_UPDATE_GOLDEN=1 rewrites the files instead.
add_executable(replay_test "${CMAKE_CURRENT_SOURCE_DIR}/machines/replay_test.cpp")
target_include_directories(replay_test PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_definitions(replay_test PRIVATE GPUADAPT_MACHINES="${CMAKE_CURRENT_SOURCE_DIR}/machines")
target_link_libraries(replay_test PRIVATE gpuadapt_probe gpuadapt_options gpuadapt_warnings GTest::gtest_main GTest::gmock)
# The recordings are looked up when the tests are found, so a new one is found by the next build of this target.
file(GLOB recordings CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/machines/*/recording*")
set_target_properties(replay_test PROPERTIES LINK_DEPENDS "${recordings}")
gtest_discover_tests(replay_test TEST_PREFIX "replay." PROPERTIES LABELS replay TIMEOUT 120 DISCOVERY_TIMEOUT 60)

# The same machines with files missing, denied or hanging: nothing unknown may become a value.
add_executable(mutate_test "${CMAKE_CURRENT_SOURCE_DIR}/machines/mutate_test.cpp")
target_include_directories(mutate_test PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_definitions(mutate_test PRIVATE GPUADAPT_MACHINES="${CMAKE_CURRENT_SOURCE_DIR}/machines")
target_link_libraries(mutate_test PRIVATE gpuadapt_probe gpuadapt_options gpuadapt_warnings GTest::gtest_main
    nlohmann_json::nlohmann_json)
set_target_properties(mutate_test PROPERTIES LINK_DEPENDS "${recordings}")
gtest_discover_tests(mutate_test TEST_PREFIX "replay.mutate." PROPERTIES LABELS replay TIMEOUT 300 DISCOVERY_TIMEOUT 60)

# The checks of the environment on the same machines: each fires, is silent and says unknown.
file(GLOB check_cases CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/machines/cases/*.cpp")
add_executable(environment_test "${CMAKE_CURRENT_SOURCE_DIR}/machines/environment_test.cpp" ${check_cases})
target_include_directories(environment_test PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/src")
target_compile_definitions(environment_test PRIVATE GPUADAPT_MACHINES="${CMAKE_CURRENT_SOURCE_DIR}/machines")
target_link_libraries(environment_test PRIVATE gpuadapt_check gpuadapt_probe gpuadapt_options gpuadapt_warnings
    GTest::gtest_main GTest::gmock fmt::fmt)
set_target_properties(environment_test PROPERTIES LINK_DEPENDS "${recordings}")
gtest_discover_tests(environment_test TEST_PREFIX "replay.environment." PROPERTIES LABELS replay TIMEOUT 120
    DISCOVERY_TIMEOUT 60)
