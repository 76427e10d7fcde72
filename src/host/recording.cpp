// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/host/files.hpp>
#include <gpuadapt/host/live_root.hpp>
#include <gpuadapt/host/recording.hpp>

#include <sys/stat.h>

namespace gpuadapt {

void RecorderRoot::save(const std::string& path) const {
    write_output_file(path, pack_recording(answers_));
}

CommandResult RecorderRoot::run(const std::vector<std::string>& argv, const CommandOptions& options) {
    const auto found = answers_.commands.find(argv);
    if (found != answers_.commands.end())
        return found->second;
    return answers_.commands[argv] = source_.run(argv, options);
}

Environment RecorderRoot::environment() {
    return answers_.environment = source_.environment();
}

std::optional<std::string> RecorderRoot::lookup(const std::string& key,
                                                const std::function<std::optional<std::string>()>& compute) {
    const auto found = answers_.lookups.find(key);
    if (found != answers_.lookups.end())
        return found->second;
    return answers_.lookups[key] = source_.lookup(key, compute);
}

TextAnswer RecorderRoot::answer_read(const std::string& path, std::size_t limit) {
    if (!is_root_path(path))
        return {};
    const auto found = answers_.files.find(path);
    if (found != answers_.files.end())
        return found->second;
    return answers_.files[path] = source_.answer_read(path, limit);
}

/// The whole file is kept, so that a later program may look at other parts of it.
TextAnswer RecorderRoot::answer_read_part(const std::string& path, std::size_t offset, std::size_t size) {
    TextAnswer answer = answer_read(path, kReadLimit);
    answer.text = offset < answer.text.size() ? answer.text.substr(offset, size) : "";
    return answer;
}

ListAnswer RecorderRoot::answer_list(const std::string& path) {
    if (!is_root_path(path))
        return {};
    const auto found = answers_.lists.find(path);
    if (found != answers_.lists.end())
        return found->second;
    return answers_.lists[path] = source_.answer_list(path);
}

TextAnswer RecorderRoot::answer_link(const std::string& path) {
    if (!is_root_path(path))
        return {};
    const auto found = answers_.links.find(path);
    if (found != answers_.links.end())
        return found->second;
    return answers_.links[path] = source_.answer_link(path);
}

AnswerStatus RecorderRoot::answer_exists(const std::string& path) {
    if (!is_root_path(path))
        return AnswerStatus::absent;
    const auto found = answers_.existence.find(path);
    if (found != answers_.existence.end())
        return found->second;
    return answers_.existence[path] = source_.answer_exists(path);
}

std::unique_ptr<Root> open_root(const std::string& from) {
    if (from.empty())
        return std::make_unique<LiveRoot>();
    struct stat info {};
    const bool is_folder = stat(from.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
    if (is_folder && stat((from + "/gpuadapt-recording").c_str(), &info) != 0 &&
        stat((from + "/sys").c_str(), &info) == 0)
        return std::make_unique<LiveRoot>(from);
    return std::make_unique<RecordingRoot>(from);
}

}  // namespace gpuadapt
