message(FATAL_ERROR "mpirun was not found when the build was configured, so that no test over MPI was run. "
    "Install Open MPI (Debian: openmpi-bin) and configure again.")
