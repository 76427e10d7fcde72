# The program as a user meets it. One ctest a file; each runs the built program and looks at exit status, output, files
# and processes. Label `cli` needs no MPI, label `mpi` needs Open MPI.
function(gpuadapt_cli_test name label)
    add_test(NAME cli.${name} COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/cli/test_${name}.py")
    set_tests_properties(cli.${name} PROPERTIES LABELS ${label} TIMEOUT 600
        ENVIRONMENT "GPUADAPT=$<TARGET_FILE:gpuadapt>;PYTHONDONTWRITEBYTECODE=1")
endfunction()

gpuadapt_cli_test(usage cli)
gpuadapt_cli_test(probe cli)
gpuadapt_cli_test(record cli)
gpuadapt_cli_test(report cli)
gpuadapt_cli_test(management cli)
set_property(TEST cli.management APPEND PROPERTY ENVIRONMENT "FAKE_NVML=$<TARGET_FILE:fake_nvml>")
gpuadapt_cli_test(perf mpi)
gpuadapt_cli_test(perf_faults mpi)
# Two ranks fill two cores; what waits for a rank to be killed must not wait for a compiler.
set_tests_properties(cli.perf cli.perf_faults PROPERTIES PROCESSORS 2)
