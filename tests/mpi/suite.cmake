# Label `mpi`: needs Open MPI at run time only; nothing here is compiled or linked against it.
add_executable(mpi_ranks
    "${CMAKE_CURRENT_SOURCE_DIR}/mpi/ranks.cpp"
    "${CMAKE_CURRENT_SOURCE_DIR}/mpi/collectives.cpp"
    "${CMAKE_CURRENT_SOURCE_DIR}/bench/support/reference_backend.cpp")
target_include_directories(mpi_ranks PRIVATE "${CMAKE_SOURCE_DIR}/src" "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(mpi_ranks PRIVATE gpuadapt_bench gpuadapt_options gpuadapt_warnings)

find_program(GPUADAPT_MPIRUN mpirun PATHS /usr/lib64/openmpi/bin)

# gpuadapt_mpi_test(NAME RANKS PASS command...)
function(gpuadapt_mpi_test name ranks pass)
    add_test(NAME mpi.${name} COMMAND ${ARGN})
    set_tests_properties(mpi.${name} PROPERTIES LABELS mpi TIMEOUT 300 PROCESSORS ${ranks}
        ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;LC_ALL=C"
        PASS_REGULAR_EXPRESSION "${pass}")
endfunction()

if(GPUADAPT_MPIRUN)
    set(two "${GPUADAPT_MPIRUN}" -n 2 --oversubscribe --bind-to none $<TARGET_FILE:mpi_ranks>)
    set(three "${GPUADAPT_MPIRUN}" -n 3 --oversubscribe --bind-to none $<TARGET_FILE:mpi_ranks>)
    set(four "${GPUADAPT_MPIRUN}" -n 4 --oversubscribe --bind-to none $<TARGET_FILE:mpi_ranks>)
    foreach(mode group collectives sweep)
        gpuadapt_mpi_test(${mode}-2 2 "passed" ${two} ${mode})
        gpuadapt_mpi_test(${mode}-4 4 "passed" ${four} ${mode})
    endforeach()
    gpuadapt_mpi_test(collectives-3 3 "passed" ${three} collectives)
    gpuadapt_mpi_test(limit 2 "passed" ${two} limit)
    gpuadapt_mpi_test(killed-rank 2 "rank 1 with PID [0-9]+ on node .* exited on[ \n]signal 9" ${two} die)
    gpuadapt_mpi_test(hanging-rank 2 "rank 0 .host .*: all_reduce, 2 ranks, 256 out of place has taken more than 1 s"
        ${two} hang)
    # No path and no variable of the user's leads to libmpi. (Open MPI 5 cannot start without a home.)
    gpuadapt_mpi_test(bare-environment 2 "libmpi.so.40.*passed" env -i PATH=/usr/bin:/bin HOME=/ OMPI_ALLOW_RUN_AS_ROOT=1
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ${two} group)
    # Without a launcher MPI is not even loaded.
    gpuadapt_mpi_test(lone-process 1 "passed" $<TARGET_FILE:mpi_ranks> sweep)
else()
    add_test(NAME mpi.mpirun-is-missing COMMAND "${CMAKE_COMMAND}" -P "${CMAKE_CURRENT_SOURCE_DIR}/mpi/missing.cmake")
    set_tests_properties(mpi.mpirun-is-missing PROPERTIES LABELS mpi)
endif()
