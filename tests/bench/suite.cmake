# The ranks of osu_compare.py; it is built, but no test runs it: what it measures needs a quiet machine.
add_executable(osu_bench "${CMAKE_CURRENT_SOURCE_DIR}/bench/osu_bench.cpp")
target_link_libraries(osu_bench PRIVATE gpuadapt_bench gpuadapt_options gpuadapt_warnings)
