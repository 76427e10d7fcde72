// SPDX-License-Identifier: Apache-2.0
// Libraries that are not the MPI we want, for the test that each is refused before anything of it is called:
// with STAND_IN_OTHER another maker's, with STAND_IN_FUTURE an unknown version of Open MPI, with STAND_IN_PART one that
// lacks functions.
#include "driver/mpi_api.hpp"

#include <cstring>

// C names, in the namespace of the types they take.
namespace gpuadapt::mpi {

extern "C" {

#ifdef STAND_IN_OTHER
int MPI_Init(int*, char***);
int MPI_Init(int*, char***) {
    return 0;
}
#endif

#ifdef STAND_IN_FUTURE
#define MPI_Get_library_version no_version  // the one of the list; the real one follows
#define STAND_IN_FUNCTION(member, symbol, parameters) \
    int symbol parameters;                            \
    int symbol parameters {                           \
        return 1;                                     \
    }
GPUADAPT_MPI_FUNCTIONS(STAND_IN_FUNCTION)
#undef MPI_Get_library_version

int MPI_Get_library_version(char* text, int* length);
int MPI_Get_library_version(char* text, int* length) {
    const char* name = "Open MPI v9.0.0, package: stand-in";
    *length = static_cast<int>(std::strlen(name));
    std::memcpy(text, name, std::strlen(name) + 1);
    return 0;
}

#define STAND_IN_HANDLE(member, symbol, type) char symbol[8] = {};
GPUADAPT_MPI_HANDLES(STAND_IN_HANDLE)
#endif

#ifdef STAND_IN_PART
char ompi_mpi_comm_world[8] = {};
#endif

}  // extern "C"

}  // namespace gpuadapt::mpi
