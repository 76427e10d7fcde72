// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/driver/library.hpp>

#include <cstddef>
#include <type_traits>

/// The part of Open MPI's C interface that is used, declared for its binary interface, which is the same from 3.0
/// to 5.0 (libmpi.so.40): handles are pointers to objects that the library exports; mpi.h defines MPI_COMM_WORLD as the
/// address of ompi_mpi_comm_world, and so on.
namespace gpuadapt::mpi {

using Comm = struct CommObject*;
using Datatype = struct DatatypeObject*;
using Op = struct OpObject*;
using Request = struct RequestObject*;
using Errhandler = struct ErrhandlerObject*;
using Status = struct StatusObject;  // only ever passed as nullptr, MPI_STATUS_IGNORE
using Aint = std::ptrdiff_t;
using UserFunction = void(void* in, void* in_out, int* count, Datatype* type);

inline constexpr int kSuccess = 0;
inline constexpr int kThreadSingle = 0;
inline constexpr int kUndefined = -32766;
inline constexpr std::size_t kTextRoom = 4096;  // more than any MPI_MAX_* of both versions

/// MPI_IN_PLACE
[[nodiscard]] inline void* in_place() {
    return reinterpret_cast<void*>(1);  // NOLINT(performance-no-int-to-ptr): this is how mpi.h defines it
}

/// The one list of functions: member, symbol, result and parameters. Struct and loader are made from it.
#define GPUADAPT_MPI_FUNCTIONS(X)                                                                                    \
    X(init_thread, MPI_Init_thread, (int*, char***, int, int*))                                                      \
    X(finalize, MPI_Finalize, ())                                                                                    \
    X(abort, MPI_Abort, (Comm, int))                                                                                 \
    X(get_library_version, MPI_Get_library_version, (char*, int*))                                                   \
    X(get_processor_name, MPI_Get_processor_name, (char*, int*))                                                     \
    X(error_string, MPI_Error_string, (int, char*, int*))                                                            \
    X(comm_set_errhandler, MPI_Comm_set_errhandler, (Comm, Errhandler))                                              \
    X(comm_rank, MPI_Comm_rank, (Comm, int*))                                                                        \
    X(comm_size, MPI_Comm_size, (Comm, int*))                                                                        \
    X(comm_split, MPI_Comm_split, (Comm, int, int, Comm*))                                                           \
    X(comm_free, MPI_Comm_free, (Comm*))                                                                             \
    X(test, MPI_Test, (Request*, int*, Status*))                                                                     \
    X(barrier, MPI_Barrier, (Comm))                                                                                  \
    X(ibarrier, MPI_Ibarrier, (Comm, Request*))                                                                      \
    X(ibcast, MPI_Ibcast, (void*, int, Datatype, int, Comm, Request*))                                               \
    X(igather, MPI_Igather, (const void*, int, Datatype, void*, int, Datatype, int, Comm, Request*))                 \
    X(igatherv, MPI_Igatherv,                                                                                        \
      (const void*, int, Datatype, void*, const int*, const int*, Datatype, int, Comm, Request*))                    \
    X(iallgather, MPI_Iallgather, (const void*, int, Datatype, void*, int, Datatype, Comm, Request*))                \
    X(iallgatherv, MPI_Iallgatherv,                                                                                  \
      (const void*, int, Datatype, void*, const int*, const int*, Datatype, Comm, Request*))                         \
    X(allreduce, MPI_Allreduce, (const void*, void*, int, Datatype, Op, Comm))                                       \
    X(allgather, MPI_Allgather, (const void*, int, Datatype, void*, int, Datatype, Comm))                            \
    X(reduce_scatter_block, MPI_Reduce_scatter_block, (const void*, void*, int, Datatype, Op, Comm))                 \
    X(alltoall, MPI_Alltoall, (const void*, int, Datatype, void*, int, Datatype, Comm))                              \
    X(bcast, MPI_Bcast, (void*, int, Datatype, int, Comm))                                                           \
    X(reduce, MPI_Reduce, (const void*, void*, int, Datatype, Op, int, Comm))                                        \
    X(gather, MPI_Gather, (const void*, int, Datatype, void*, int, Datatype, int, Comm))                             \
    X(scatter, MPI_Scatter, (const void*, int, Datatype, void*, int, Datatype, int, Comm))                           \
    X(sendrecv, MPI_Sendrecv, (const void*, int, Datatype, int, int, void*, int, Datatype, int, int, Comm, Status*)) \
    X(sendrecv_replace, MPI_Sendrecv_replace, (void*, int, Datatype, int, int, int, int, Comm, Status*))             \
    X(type_contiguous, MPI_Type_contiguous, (int, Datatype, Datatype*))                                              \
    X(type_create_struct, MPI_Type_create_struct, (int, const int*, const Aint*, const Datatype*, Datatype*))        \
    X(type_commit, MPI_Type_commit, (Datatype*))                                                                     \
    X(type_free, MPI_Type_free, (Datatype*))                                                                         \
    X(op_create, MPI_Op_create, (UserFunction*, int, Op*))                                                           \
    X(op_free, MPI_Op_free, (Op*))

/// The one list of predefined handles: member, exported object, type of the handle.
#define GPUADAPT_MPI_HANDLES(X)                          \
    X(comm_world, ompi_mpi_comm_world, Comm)             \
    X(comm_self, ompi_mpi_comm_self, Comm)               \
    X(comm_null, ompi_mpi_comm_null, Comm)               \
    X(errors_return, ompi_mpi_errors_return, Errhandler) \
    X(byte, ompi_mpi_byte, Datatype)                     \
    X(int8, ompi_mpi_int8_t, Datatype)                   \
    X(uint8, ompi_mpi_uint8_t, Datatype)                 \
    X(int32, ompi_mpi_int32_t, Datatype)                 \
    X(uint32, ompi_mpi_uint32_t, Datatype)               \
    X(int64, ompi_mpi_int64_t, Datatype)                 \
    X(uint64, ompi_mpi_uint64_t, Datatype)               \
    X(float32, ompi_mpi_float, Datatype)                 \
    X(float64, ompi_mpi_double, Datatype)                \
    X(sum, ompi_mpi_op_sum, Op)                          \
    X(prod, ompi_mpi_op_prod, Op)                        \
    X(max, ompi_mpi_op_max, Op)                          \
    X(min, ompi_mpi_op_min, Op)

struct Api {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a parameter list and a name, not values
#define GPUADAPT_MPI_MEMBER(member, symbol, parameters) int(*member) parameters = nullptr;
    GPUADAPT_MPI_FUNCTIONS(GPUADAPT_MPI_MEMBER)
#undef GPUADAPT_MPI_MEMBER
#define GPUADAPT_MPI_MEMBER(member, symbol, type) std::type_identity_t<type> member = nullptr;
    GPUADAPT_MPI_HANDLES(GPUADAPT_MPI_MEMBER)
#undef GPUADAPT_MPI_MEMBER
};

/// Throws Error(tool) naming the library and the first missing symbol.
[[nodiscard]] Api load_api(const Library& library);

/// Throws Error(tool) with `what` and MPI_Error_string when `result` is not MPI_SUCCESS.
void require(const Api& api, int result, const char* what);

}  // namespace gpuadapt::mpi
