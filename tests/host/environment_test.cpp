// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/host/environment.hpp>

#include <cstdlib>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

TEST(Environment, GivesOutWhatTunesLibraries) {
    for (const char* name : {"NCCL_ALGO", "MCCL_P2P_LEVEL", "RCCL_MSCCL_ENABLE", "CUDA_VISIBLE_DEVICES", "MACA_PATH",
                             "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "OMPI_MCA_btl", "UCX_TLS",
                             "MX_TRACER_ENABLED_MCPTI", "LD_LIBRARY_PATH", "LD_PRELOAD", "FORCE_ACTIVE_WAIT"})
        EXPECT_TRUE(is_tuning_variable(name)) << name;
}

TEST(Environment, KeepsTheRestToItself) {
    for (const char* name :
         {"PATH", "HOME", "AWS_SECRET_ACCESS_KEY", "NCCL", "NCCL_", "XNCCL_ALGO", "LD_LIBRARY_PATH_X", "nccl_algo", ""})
        EXPECT_FALSE(is_tuning_variable(name)) << name;
}

TEST(Environment, LeavesOutWhatLaunchersSetForTheirRanks) {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "OMPI_UNIVERSE_SIZE", "OMPI_MCA_orte_hnp_uri", "OMPI_COMMAND",
                             "OMPI_MCA_ess_base_jobid", "PMIX_RANK", "PMIX_SERVER_URI41", "OMPI_WORLD_LOCAL_SIZE",
                             "OMPI_LIBDIR_LOC", "OMPI_MCA_PREFIXES", "OPAL_USER_PARAMS_GIVEN", "PRTE_SHARED_FS",
                             "OMPI_MCA_plm_slurm_args", "HFI_NO_BACKTRACE"})
        EXPECT_FALSE(is_tuning_variable(name)) << name;
}

TEST(Environment, ReadsThisProcess) {
    setenv("MCCL_TEST", "bad \xff byte", 1);
    EXPECT_EQ(tuning_environment().at("MCCL_TEST"), "bad \xEF\xBF\xBD byte");
    EXPECT_FALSE(tuning_environment().contains("PATH"));
    unsetenv("MCCL_TEST");
}

}  // namespace
}  // namespace gpuadapt
