// SPDX-License-Identifier: Apache-2.0
#include "bench/launch_causes.hpp"

#include <gpuadapt/bench/launch.hpp>
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/memory_root.hpp>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

/// A machine whose programs say these things about their version.
class Programs {
  public:
    void add(const std::string& path, const std::string& version) {
        answers_.files[path] = {AnswerStatus::ok, "", ""};
        CommandResult result;
        result.status = CommandStatus::exited;
        result.output = version;
        answers_.commands[{path, "--version"}] = result;
    }
    void add_broken(const std::string& path) { answers_.files[path] = {AnswerStatus::ok, "", ""}; }
    void add_file(const std::string& path) { answers_.files[path] = {AnswerStatus::ok, "", ""}; }
    void add_link(const std::string& path, const std::string& target) {
        answers_.links[path] = {AnswerStatus::ok, target, ""};
    }
    Mpirun find(const std::string& path_list, const std::optional<std::string>& given = std::nullopt) const {
        MemoryRoot root(answers_);
        return find_mpirun(root, path_list, given);
    }
    std::string error(const std::string& path_list, ErrorKind kind,
                      const std::optional<std::string>& given = std::nullopt) const {
        try {
            (void)find(path_list, given);
        } catch (const Error& thrown) {
            EXPECT_EQ(thrown.kind(), kind) << thrown.what();
            return thrown.what();
        }
        return {};
    }

  private:
    Answers answers_;
};

constexpr const char* kVersion4 = "mpirun (Open MPI) 4.1.4\n\nReport bugs to ...\n";
constexpr const char* kVersion5 = "mpirun (Open MPI) 5.0.7\n";

TEST(FindMpirun, VersionsOfOpenMpi) {
    EXPECT_EQ(parse_mpirun_version(kVersion4), (MpirunVersion{4, 1, "4.1.4"}));
    EXPECT_EQ(parse_mpirun_version("mpirun (Open MPI) 5.0.7rc1\n"), (MpirunVersion{5, 0, "5.0.7rc1"}));
    EXPECT_EQ(parse_mpirun_version("mpirun (OpenRTE) 3.1.0"), (MpirunVersion{3, 1, "3.1.0"}));
    EXPECT_EQ(parse_mpirun_version("HYDRA build details:\n    Version: 4.0.2\n"), std::nullopt);
    EXPECT_EQ(parse_mpirun_version("mpirun (Open MPI) "), std::nullopt);
    EXPECT_EQ(parse_mpirun_version("mpirun (Open MPI) x.y"), std::nullopt);
    EXPECT_EQ(parse_mpirun_version("mpirun (Open MPI) 99999999999999999999.1"), std::nullopt);
}

TEST(FindMpirun, PathComesFirstThenTheKnownFolders) {
    Programs programs;
    programs.add("/opt/maca/ompi/bin/mpirun", kVersion4);
    programs.add("/opt/hpcx-v2.20/ompi/bin/mpirun", kVersion4);
    programs.add("/usr/mpi/gcc/openmpi-4.1.7a1/bin/mpirun", kVersion4);
    programs.add("/home/u/bin/mpirun", kVersion5);
    EXPECT_EQ(programs.find("/usr/bin:/home/u/bin").path, "/home/u/bin/mpirun");
    EXPECT_EQ(programs.find("/usr/bin").path, "/opt/maca/ompi/bin/mpirun");
    EXPECT_EQ(programs.find("").path, "/opt/maca/ompi/bin/mpirun");
    EXPECT_EQ(programs.find("/home/u/bin").major, 5);
    Programs others;
    others.add("/usr/mpi/gcc/openmpi-4.1.5/bin/mpirun", kVersion4);
    others.add("/usr/mpi/gcc/openmpi-4.1.7a1/bin/mpirun", kVersion4);
    others.add("/opt/hpcx/ompi/bin/mpirun", kVersion4);
    EXPECT_EQ(others.find("").path, "/usr/mpi/gcc/openmpi-4.1.7a1/bin/mpirun");
}

TEST(FindMpirun, LibmpiIsBesideIt) {
    Programs programs;
    programs.add("/opt/maca/ompi/bin/mpirun", kVersion4);
    programs.add_link("/opt/maca/ompi/bin/mpirun", "orterun");
    programs.add_file("/opt/maca/ompi/lib/libmpi.so.40");
    const Mpirun found = programs.find("");
    EXPECT_EQ(found.program, "/opt/maca/ompi/bin/orterun");
    EXPECT_EQ(found.libmpi, "/opt/maca/ompi/lib/libmpi.so.40");

    Programs debian;
    debian.add("/usr/bin/mpirun", kVersion4);
    debian.add_link("/usr/bin/mpirun", "/etc/alternatives/mpirun");
    debian.add_link("/etc/alternatives/mpirun", "/usr/bin/mpirun.openmpi");
    debian.add_link("/usr/bin/mpirun.openmpi", "orterun");
    EXPECT_EQ(debian.find("/usr/bin").program, "/usr/bin/orterun");
    EXPECT_FALSE(debian.find("/usr/bin").libmpi.has_value());
}

TEST(FindMpirun, LinksThatGoRoundEnd) {
    Programs programs;
    programs.add("/a/mpirun", kVersion4);
    programs.add_link("/a/mpirun", "/b/mpirun");
    programs.add_link("/b/mpirun", "/a/mpirun");
    EXPECT_EQ(programs.find("/a").path, "/a/mpirun");
}

TEST(FindMpirun, AnotherMpiIsPassedOver) {
    Programs programs;
    programs.add("/usr/bin/mpirun", "HYDRA build details:\n");
    EXPECT_NE(programs.error("/usr/bin", ErrorKind::tool).find("/usr/bin/mpirun is not Open MPI's"), std::string::npos);
    programs.add("/usr/lib64/openmpi/bin/mpirun", kVersion5);
    EXPECT_EQ(programs.find("/usr/bin").path, "/usr/lib64/openmpi/bin/mpirun");
}

TEST(FindMpirun, NoneIsAnErrorThatSaysWhatToInstall) {
    const Programs programs;
    EXPECT_NE(programs.error("/usr/bin", ErrorKind::tool).find("openmpi-bin"), std::string::npos);
}

TEST(FindMpirun, TheGivenOneIsTakenOrRefused) {
    Programs programs;
    programs.add("/opt/x/bin/mpirun", kVersion5);
    programs.add("/usr/bin/mpirun", kVersion4);
    programs.add("/usr/bin/mpirun.mpich", "HYDRA build details:\n");
    programs.add("/old/mpirun", "mpirun (Open MPI) 1.10.7\n");
    programs.add_broken("/broken/mpirun");
    EXPECT_EQ(programs.find("/usr/bin", "/opt/x/bin/mpirun").major, 5);
    EXPECT_EQ(programs.find("/usr/bin", "mpirun").path, "/usr/bin/mpirun");
    for (const char* name :
         {"/usr/bin/mpirun.mpich", "mpirun.mpich", "/old/mpirun", "/broken/mpirun", "/none/mpirun"}) {
        EXPECT_EQ(programs.error("/usr/bin", ErrorKind::input, name).rfind("--mpirun " + std::string(name), 0), 0U);
    }
    EXPECT_NE(programs.error("", ErrorKind::input, "/old/mpirun").find("1.10.7"), std::string::npos);
}

using Words = std::vector<std::string>;

TEST(MpirunCommand, RanksOnTheirOwnCores) {
    LaunchPlan plan;
    plan.ranks = 2;
    plan.cores = 8;
    plan.command = {"/usr/bin/gpuadapt", "perf"};
    EXPECT_EQ(
        mpirun_command({"/usr/bin/mpirun", "", 4, 1, "4.1.4", std::nullopt}, plan),
        (Words{"/usr/bin/mpirun", "-n", "2", "--map-by", "slot", "--bind-to", "core", "/usr/bin/gpuadapt", "perf"}));
    plan.host_memory = false;
    EXPECT_EQ(mpirun_command({"mpirun", "", 5, 0, "5.0.7", std::nullopt}, plan),
              (Words{"mpirun", "-n", "2", "--map-by", "slot", "--bind-to", "none", "/usr/bin/gpuadapt", "perf"}));
}

TEST(MpirunCommand, MoreRanksThanCores) {
    LaunchPlan plan;
    plan.ranks = 4;
    plan.cores = 2;
    plan.root = true;
    plan.command = {"p"};
    EXPECT_EQ(mpirun_command({"mpirun", "", 4, 1, "4.1.4", std::nullopt}, plan),
              (Words{"mpirun", "-n", "4", "--allow-run-as-root", "--map-by", "slot", "--oversubscribe", "--bind-to",
                     "none", "p"}));
    EXPECT_EQ(mpirun_command({"mpirun", "", 5, 0, "5.0.7", std::nullopt}, plan),
              (Words{"mpirun", "-n", "4", "--allow-run-as-root", "--map-by", "slot:OVERSUBSCRIBE", "--bind-to", "none",
                     "p"}));
}

TEST(MpirunCommand, HostsVariablesAndMore) {
    LaunchPlan plan;
    plan.ranks = 16;
    plan.cores = 8;
    plan.hosts = {"a:8", "b:8"};
    plan.environment = {{"NCCL_DEBUG", "INFO"}};
    plan.exported = {"LD_LIBRARY_PATH"};
    plan.extra = {"--mca", "btl_tcp_if_include", "10.0.0.0/24"};
    plan.command = {"p"};
    EXPECT_EQ(mpirun_command({"mpirun", "", 4, 1, "4.1.4", "/o/lib/libmpi.so.40"}, plan),
              (Words{"mpirun", "-n", "16", "--map-by", "slot", "--bind-to", "core", "--host", "a:8,b:8", "-x",
                     "GPUADAPT_LIBMPI=/o/lib/libmpi.so.40", "-x", "NCCL_DEBUG=INFO", "-x", "LD_LIBRARY_PATH", "--mca",
                     "btl_tcp_if_include", "10.0.0.0/24", "p"}));
}

TEST(DeadRank, AsBothVersionsNameIt) {
    EXPECT_EQ(parse_dead_rank("-----\nmpirun noticed that process rank 3 with PID 0 on node gpu07 exited on signal 9 "
                              "(Killed).\n-----\n"),
              (DeadRank{3, "gpu07", std::nullopt, 9, std::nullopt}));
    EXPECT_EQ(parse_dead_rank("prterun noticed that process rank 12 with PID 4711 on node a-long-name exited on\n"
                              "signal 11 (Segmentation fault).\n"),
              (DeadRank{12, "a-long-name", 4711, 11, std::nullopt}));
    EXPECT_EQ(parse_dead_rank("has exited due to process rank 2 with PID 17 on node b exiting\nimproperly."),
              (DeadRank{2, "b", 17, std::nullopt, std::nullopt}));
    EXPECT_EQ(parse_dead_rank("The first process to do so was:\n\n  Process name: [[19,1],5]\n  Exit code:    3\n"),
              (DeadRank{5, "", std::nullopt, std::nullopt, 3}));
    EXPECT_EQ(parse_dead_rank("   Process name: [prterun-vm-1@1,7]\n   Exit code:    3\n"),
              (DeadRank{7, "", std::nullopt, std::nullopt, 3}));
    EXPECT_EQ(parse_dead_rank("MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD\nwith errorcode 4.\n"),
              (DeadRank{1, "", std::nullopt, std::nullopt, 4}));
    EXPECT_EQ(parse_dead_rank("MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD\n"
                              "  Proc: [[1,1],1]\n  Errorcode: 4\n"),
              (DeadRank{1, "", std::nullopt, std::nullopt, 4}));
    EXPECT_EQ(parse_dead_rank("MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD\n  Errorcode: 4\n"
                              "prterun has exited due to process rank 0 with PID 0 on node a calling\n\"abort\".")
                  ->exit_status,
              4);
    // A signal says more than the status that follows from it.
    EXPECT_EQ(parse_dead_rank("Process name: [[19,1],5] Exit code: 3 process rank 0 with PID 0 on node a exited on "
                              "signal 6 (Aborted)")
                  ->rank,
              0);
    for (const char* nothing : {"", "process rank ", "process rank x on node a exited on signal 9",
                                "process rank 99999999999 with PID 1 on node a exited on signal 9",
                                "Process name: [[1,1],] Exit code: 3", "MPI_ABORT was invoked on rank"}) {
        EXPECT_EQ(parse_dead_rank(nothing), std::nullopt) << nothing;
    }
}

struct Explained {
    const char* output;
    const char* check;
    const char* subject;
};

const Explained kExplained[] = {
    {"mpirun has detected an attempt to run as root.\n", "launch.root", "mpirun"},
    {"Host key verification failed.\nORTE was unable to reliably start one or more daemons.\n", "launch.host-key",
     "mpirun"},
    {"u@gpu08: Permission denied (publickey,password).\n", "launch.ssh-permission", "mpirun"},
    {"ssh: Could not resolve hostname gpu99: Name or service not known\nPRTE has lost communication with a remote "
     "daemon.\n",
     "launch.host-name", "gpu99"},
    {"ssh: connect to host gpu08 port 22: Connection refused\n", "launch.ssh-refused", "gpu08"},
    {"bash: orted: command not found\n", "launch.daemon-missing", "mpirun"},
    {"/bin/sh: 1: /usr/bin/prted: not found\n", "launch.daemon-missing", "mpirun"},
    {"There are not enough slots available in the system\nto satisfy the 9 slots\n", "launch.slots", "mpirun"},
    {"All nodes which are allocated for this job are already filled.\n", "launch.slots", "mpirun"},
    {"PRTE detected a parse error in the hostfile:\n  h\n", "launch.hostfile", "mpirun"},
    {"it could not access\nor execute an executable:\n\nExecutable: /opt/gpuadapt\nNode: a\n", "launch.program",
     "/opt/gpuadapt"},
    {"mpirun: Error: unknown option \"--foo\"\n", "launch.option", "mpirun"},
    {"An unrecognized option was included on the command line:\n\n  Option: --foo\n", "launch.option", "--foo"},
    {"prterun was unable to launch the specified application as it lacked\npermissions to execute an executable:\n\n"
     "   Executable: /no/gpuadapt\n   Node: a\n",
     "launch.program", "/no/gpuadapt"},
    {"processes to more cpus than are available in your allocation:\n", "launch.cores", "mpirun"},
    {"A requested component was not found, or\nwas unable to be opened.\nFramework: pml\nComponent: ucx2\n",
     "launch.component", "ucx2"},
    {"At least one pair of MPI processes are unable to reach each other for\nMPI communications.\n",
     "launch.unreachable", "mpirun"},
    {"mpirun noticed that process rank 1 with PID 0 on node a exited on signal 7 (Bus error).\n", "launch.rank-died",
     "rank 1 on a"},
    {"PRTE has lost communication with a remote daemon.\n HNP daemon : [x@0,0] on node a\n Remote daemon: [x@0,1] on "
     "node b\nprterun has exited due to process rank 2 with PID 9 on node b exiting\nimproperly.",
     "launch.daemon", "b"},
    {"[mpiexec@a] HYDT_bscd_pbs_launch_procs\n", "launch.other-mpi", "mpirun"},
};

TEST(Explain, NamesTheCauseBehindItsConsequences) {
    for (const Explained& test : kExplained) {
        const auto finding = explain_mpirun(test.output);
        ASSERT_TRUE(finding.has_value()) << test.output;
        EXPECT_EQ(finding->check, test.check) << test.output;
        EXPECT_EQ(finding->subject, test.subject) << test.output;
        EXPECT_EQ(finding->severity, Severity::failure);
        EXPECT_FALSE(finding->advice.empty());
    }
    EXPECT_FALSE(explain_mpirun("all is well\n").has_value());
    EXPECT_FALSE(explain_mpirun("").has_value());
    // What a rank that works says about ssh is no failed launch.
    EXPECT_FALSE(explain_mpirun("OMPI_MCA_plm_rsh_agent=ssh\n").has_value());
}

TEST(Explain, KnowsTheWayToMoreSlotsInsideASlurmJob) {
    const std::string advice = explain_mpirun("There are not enough slots available in the system\n")->advice.en;
    EXPECT_NE(advice.find("sbatch with -n"), std::string::npos) << advice;
}

TEST(Explain, EveryCauseIsWholeAndCanBeFound) {
    for (const LaunchCause& cause : launch_causes()) {
        EXPECT_EQ(cause.id.rfind("launch.", 0), 0U);
        EXPECT_FALSE(cause.title.en.empty() || cause.title.zh.empty()) << cause.id;
        EXPECT_FALSE(cause.advice.en.empty() || cause.advice.zh.empty()) << cause.id;
        ASSERT_FALSE(cause.texts[0].empty());
        for (const std::string_view text : cause.texts) {
            if (!text.empty()) {
                EXPECT_EQ(explain_mpirun("x\n" + std::string(text) + "\ny")->check, cause.id) << text;
            }
        }
    }
}

TEST(Explain, QuotesTheMessage) {
    EXPECT_EQ(explain_mpirun("noise\n------\nThere are not enough slots available\nin the system.\n------\nmore")
                  ->evidence.en,
              "There are not enough slots available in the system.");
    const std::string bad = "\xff\xfe------ HYDU_\x01\xff";
    EXPECT_TRUE(is_utf8(explain_mpirun(bad)->evidence.en));
}

}  // namespace
}  // namespace gpuadapt
