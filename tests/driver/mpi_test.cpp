// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/driver/mpi.hpp>
#include <gpuadapt/host/memory_root.hpp>

#include <map>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

VariableReader reader(std::map<std::string, std::string> variables) {
    return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
}

std::vector<std::string> candidates(const std::map<std::string, std::string>& variables, const std::string& parent) {
    MemoryRoot root;
    if (!parent.empty()) {
        root.add_link("/proc/77/exe", parent);
    }
    return libmpi_candidates(reader(variables), root, 77);
}

using Names = std::vector<std::string>;

TEST(Mpi, OnlyALauncherMakesAnMpiProcess) {
    EXPECT_FALSE(launched_by_mpi(reader({})));
    EXPECT_TRUE(launched_by_mpi(reader({{"OMPI_COMM_WORLD_SIZE", "2"}})));
    EXPECT_TRUE(launched_by_mpi(reader({{"PMIX_RANK", "0"}, {"SLURM_PROCID", "0"}})));
    // The shell of a batch job or of salloc is no rank.
    EXPECT_FALSE(launched_by_mpi(reader({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}})));
}

TEST(Mpi, ProcessesThatCannotFindEachOtherAreAMistake) {
    EXPECT_FALSE(launch_mistake(reader({})));
    EXPECT_FALSE(launch_mistake(reader({{"OMPI_COMM_WORLD_SIZE", "2"}, {"PMI_RANK", "1"}})));
    EXPECT_FALSE(launch_mistake(reader({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}})));
    const auto slurm = launch_mistake(reader({{"SLURM_STEP_NUM_TASKS", "16"}}));
    ASSERT_TRUE(slurm.has_value());
    EXPECT_EQ(slurm->kind(), ErrorKind::input);
    EXPECT_NE(std::string(slurm->what()).find("--mpi=pmix"), std::string::npos);
    const auto hydra = launch_mistake(reader({{"PMI_RANK", "3"}}));
    ASSERT_TRUE(hydra.has_value());
    EXPECT_NE(std::string(hydra->what()).find("MPICH"), std::string::npos);
}

TEST(Mpi, ARankThatFindsNoneOfTheOthersIsNoGroupOfOne) {
    const auto under_srun = lone_rank(reader({{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}}), 1);
    ASSERT_TRUE(under_srun.has_value());
    EXPECT_EQ(under_srun->kind(), ErrorKind::tool);
    EXPECT_NE(std::string(under_srun->what()).find("--mpi=pmix"), std::string::npos);
    EXPECT_TRUE(lone_rank(reader({{"OMPI_COMM_WORLD_SIZE", "8"}}), 1));
    EXPECT_FALSE(lone_rank(reader({{"OMPI_COMM_WORLD_SIZE", "8"}}), 8));
    EXPECT_FALSE(lone_rank(reader({{"OMPI_COMM_WORLD_SIZE", "1"}}), 1));
    // mpirun -n 1 in a step of two tasks, and a rank whose launcher says nothing.
    EXPECT_FALSE(lone_rank(reader({{"OMPI_COMM_WORLD_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}), 1));
    EXPECT_FALSE(lone_rank(reader({{"PMIX_RANK", "0"}}), 1));
    EXPECT_FALSE(lone_rank(reader({{"OMPI_COMM_WORLD_SIZE", "many"}}), 1));
}

TEST(Mpi, LibmpiOfTheMpirunThatStartedUsComesFirst) {
    EXPECT_EQ(candidates({}, ""), (Names{"libmpi.so.40", "libmpi.so"}));
    EXPECT_EQ(candidates({}, "/usr/bin/orterun"), (Names{"libmpi.so.40", "libmpi.so"}));
    EXPECT_EQ(
        candidates({}, "/opt/maca/ompi/bin/orted"),
        (Names{"/opt/maca/ompi/lib/libmpi.so.40", "/opt/maca/ompi/lib64/libmpi.so.40", "libmpi.so.40", "libmpi.so"}));
    EXPECT_EQ(candidates({{"GPUADAPT_LIBMPI", "/a/libmpi.so.40"}, {"OPAL_PREFIX", "/b"}}, "/c/bin/prted"),
              (Names{"/a/libmpi.so.40", "/b/lib/libmpi.so.40", "/b/lib64/libmpi.so.40", "/c/lib/libmpi.so.40",
                     "/c/lib64/libmpi.so.40", "libmpi.so.40", "libmpi.so"}));
    // A parent that starts no ranks says nothing.
    EXPECT_EQ(candidates({}, "/opt/slurm/sbin/slurmstepd"), (Names{"libmpi.so.40", "libmpi.so"}));
    EXPECT_EQ(candidates({{"GPUADAPT_LIBMPI", ""}, {"OPAL_PREFIX", ""}}, "orted"),
              (Names{"libmpi.so.40", "libmpi.so"}));
}

std::string start_error(const std::vector<std::string>& names) {
    try {
        (void)MpiSession::start(names);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::tool);
        return error.what();
    }
    return {};
}

TEST(Mpi, ALibraryThatIsNotThereIsNamed) {
    EXPECT_NE(start_error({"/nowhere/lib/libmpi.so.40"}).find("/nowhere/lib/libmpi.so.40"), std::string::npos);
}

TEST(Mpi, AnotherLibraryIsRefused) {
    EXPECT_NE(start_error({"libm.so.6"}).find("is no MPI library"), std::string::npos);
    // The test's stand-in for MPICH: it has MPI_Init and none of Open MPI's objects.
    EXPECT_NE(start_error({GPUADAPT_OTHER_MPI}).find("MPICH or Intel MPI"), std::string::npos);
    // ... and for an Open MPI to come, whose interface nobody has seen.
    const std::string future = start_error({GPUADAPT_FUTURE_MPI});
    EXPECT_NE(future.find("Open MPI v9.0.0"), std::string::npos) << future;
    EXPECT_NE(future.find("4.1 and 5.0"), std::string::npos);
    // ... and for a damaged one.
    EXPECT_NE(start_error({GPUADAPT_PART_MPI}).find("has no symbol MPI_"), std::string::npos);
}

}  // namespace
}  // namespace gpuadapt
