// SPDX-License-Identifier: Apache-2.0
#include "driver/mpi_group.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/driver/library.hpp>
#include <gpuadapt/driver/mpi.hpp>

#include <algorithm>
#include <array>

namespace gpuadapt {

namespace {

constexpr std::array kSonames{"libmpi.so.40", "libmpi.so"};

std::string_view folder_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// Programs of Open MPI that become the parent of a rank.
bool starts_ranks(std::string_view program) {
    constexpr std::array kPrograms{"mpirun", "mpiexec", "orterun", "orted", "prterun", "prted", "prte", "prun"};
    return std::find(kPrograms.begin(), kPrograms.end(), name_of(program)) != kPrograms.end();
}

void add_prefix(std::vector<std::string>& candidates, const std::string& prefix) {
    candidates.push_back(prefix + "/lib/libmpi.so.40");
    candidates.push_back(prefix + "/lib64/libmpi.so.40");
}

void add_unique(std::vector<std::string>& candidates, const std::vector<std::string>& more) {
    for (const std::string& one : more) {
        if (std::find(candidates.begin(), candidates.end(), one) == candidates.end()) {
            candidates.push_back(one);
        }
    }
}

std::string read_version(const mpi::Api& api) {
    std::array<char, mpi::kTextRoom> text{};
    int length = 0;
    mpi::require(api, api.get_library_version(text.data(), &length), "MPI_Get_library_version");
    text.back() = '\0';
    const std::string_view all = text.data();
    return clean_utf8(trim(all.substr(0, all.find('\n'))));
}

std::string processor_name(const mpi::Api& api) {
    std::array<char, mpi::kTextRoom> text{};
    int length = 0;
    mpi::require(api, api.get_processor_name(text.data(), &length), "MPI_Get_processor_name");
    text.back() = '\0';
    return clean_utf8(text.data());
}

/// Throws unless `version` is of a line whose binary interface is the one declared in mpi_api.hpp.
void check_version(const std::string& version, const std::string& path) {
    constexpr std::string_view kName = "Open MPI v";
    const std::size_t at = version.find(kName);
    const char major =
        at == std::string::npos || at + kName.size() >= version.size() ? '\0' : version[at + kName.size()];
    if (major != '4' && major != '5') {
        throw tool_error(Message{path + " is \"" + version + "\"; gpuadapt works with Open MPI 4.1 and 5.0",
                                 path + " 是 “" + version + "”；gpuadapt 支持 Open MPI 4.1 和 5.0"});
    }
}

class Session final : public MpiSession {
  public:
    explicit Session(Library library) : library_(std::move(library)), path_(library_.path()) {
        if (library_.find("ompi_mpi_comm_world") == nullptr) {
            const bool mpich = library_.find("MPIR_Err_return_comm") != nullptr ||
                               library_.find("MPIR_Process") != nullptr || library_.find("MPI_Init") != nullptr;
            throw tool_error(Message{path_ + (mpich ? " is no Open MPI (MPICH or Intel MPI?)" : " is no MPI library") +
                                         "; install Open MPI 4.1 or 5.0 or start the program with its mpirun",
                                     path_ + (mpich ? " 不是 Open MPI（可能是 MPICH 或 Intel MPI）" : " 不是 MPI 库") +
                                         "；请安装 Open MPI 4.1 或 5.0，或用它的 mpirun 启动"});
        }
        api_ = mpi::load_api(library_);
        version_ = read_version(api_);  // MPI allows this call before MPI_Init
        check_version(version_, path_);
        library_.keep_loaded();  // Open MPI's plug-ins and exit handlers outlive MPI_Finalize
        int provided = 0;
        // More than MPI_THREAD_SINGLE makes Open MPI lock, which costs each small operation some 80 ns. One thread
        // calls MPI here; another one only to abort the job.
        mpi::require(api_, api_.init_thread(nullptr, nullptr, mpi::kThreadSingle, &provided), "MPI_Init_thread");
        mpi::require(api_, api_.comm_set_errhandler(api_.comm_world, api_.errors_return), "MPI_Comm_set_errhandler");
        mpi::require(api_, api_.comm_set_errhandler(api_.comm_self, api_.errors_return), "MPI_Comm_set_errhandler");
        world_ = std::make_unique<MpiGroup>(api_, api_.comm_world, false, processor_name(api_),
                                            version_.substr(0, version_.find(',')));
        refuse_mixture();
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() override {
        world_.reset();
        api_.finalize();
    }

    [[nodiscard]] Group& world() override { return *world_; }
    [[nodiscard]] const std::string& library_path() const override { return path_; }
    [[nodiscard]] const std::string& library_version() const override { return version_; }

  private:
    /// Builds of one version may differ in their package text; what must be equal stands before the first comma.
    void refuse_mixture() {
        const auto release = [](const std::string& version) { return version.substr(0, version.find(',')); };
        const std::vector<std::string> versions = world_->all_gather(version_);
        for (std::size_t i = 1; i < versions.size(); ++i) {
            if (release(versions[i]) != release(versions[0])) {
                world_.reset();
                api_.finalize();
                const std::string other = "rank " + std::to_string(i) + " \"" + versions[i] + '"';
                throw tool_error(Message{"the ranks run different MPI libraries: rank 0 \"" + versions[0] + "\", " +
                                             other + "; install the same Open MPI on all hosts",
                                         "各 rank 的 MPI 库不同：rank 0 \"" + versions[0] + "\"，" + other +
                                             "；请在所有主机安装相同的 Open MPI"});
            }
        }
    }

    Library library_;
    std::string path_;
    std::string version_;
    mpi::Api api_;
    std::unique_ptr<MpiGroup> world_;
};

}  // namespace

bool launched_by_mpi(const VariableReader& variable) {
    return variable("OMPI_COMM_WORLD_SIZE").has_value() || variable("PMIX_RANK").has_value();
}

std::optional<Error> launch_mistake(const VariableReader& variable) {
    if (launched_by_mpi(variable)) {
        return std::nullopt;
    }
    if (variable("PMI_RANK") || variable("MPI_LOCALNRANKS")) {
        return input_error(
            Message{"this process was started by a launcher that speaks PMI-1 or PMI-2 (mpiexec of MPICH or Intel MPI, "
                    "or srun --mpi=pmi2); start it with Open MPI's mpirun or with srun --mpi=pmix",
                    "本进程由使用 PMI-1 或 PMI-2 的启动器启动（MPICH、Intel MPI 的 mpiexec，或 srun --mpi=pmi2）；"
                    "请用 Open MPI 的 mpirun 或 srun --mpi=pmix 启动"});
    }
    const std::optional<std::string> tasks = variable("SLURM_STEP_NUM_TASKS");
    if (tasks && parse_integer(*tasks).value_or(1) > 1) {
        return input_error(
            Message{"srun started " + *tasks +
                        " processes that cannot find each other; use srun --mpi=pmix (srun --mpi=list shows what there "
                        "is) or mpirun",
                    "srun 启动了 " + *tasks +
                        " 个互不相连的进程；请用 srun --mpi=pmix（srun --mpi=list 可查看支持的类型）或 mpirun"});
    }
    return std::nullopt;
}

std::optional<Error> lone_rank(const VariableReader& variable, int world_size) {
    if (world_size > 1) {
        return std::nullopt;
    }
    // mpirun comes first: below srun it starts a job of its own.
    std::optional<std::string> announced = variable("OMPI_COMM_WORLD_SIZE");
    if (!announced) {
        announced = variable("SLURM_STEP_NUM_TASKS");
    }
    if (!announced || parse_integer(*announced).value_or(1) <= 1) {
        return std::nullopt;
    }
    const std::string ranks = clean_utf8(*announced);
    return tool_error(
        Message{"the launcher started " + ranks +
                    " ranks, but MPI cannot find the others (it does not reach the launcher's PMIx server); use srun "
                    "--mpi=pmix or mpirun with the Open MPI that belongs to it, in a container too",
                "启动器启动了 " + ranks +
                    " 个 rank，但 MPI 找不到其他 rank（连不上启动器的 PMIx 服务）；请用 srun --mpi=pmix 或 "
                    "mpirun，并使用与之匹配的 Open MPI，在容器中也是如此"});
}

std::vector<std::string> libmpi_candidates_of(const std::string& mpirun_program) {
    std::vector<std::string> candidates;
    const std::string prefix(folder_of(folder_of(mpirun_program)));
    if (!prefix.empty() && prefix != "/usr") {  // there the dynamic linker knows the folder, which differs by system
        add_prefix(candidates, prefix);
    }
    candidates.insert(candidates.end(), kSonames.begin(), kSonames.end());
    return candidates;
}

std::vector<std::string> libmpi_candidates(const VariableReader& variable, Root& root, long parent_pid) {
    std::vector<std::string> candidates;
    if (const auto given = variable(std::string(kLibmpiVariable)); given && !given->empty()) {
        candidates.push_back(*given);
    }
    if (const auto prefix = variable("OPAL_PREFIX"); prefix && !prefix->empty()) {
        add_prefix(candidates, *prefix);
    }
    const auto parent = root.link("/proc/" + std::to_string(parent_pid) + "/exe");
    if (parent && starts_ranks(*parent)) {
        add_unique(candidates, libmpi_candidates_of(*parent));
    }
    add_unique(candidates, {kSonames.begin(), kSonames.end()});
    return candidates;
}

std::unique_ptr<MpiSession> MpiSession::start(const std::vector<std::string>& candidates) {
    return std::make_unique<Session>(Library::open_first(candidates, Library::Visibility::global));
}

}  // namespace gpuadapt
