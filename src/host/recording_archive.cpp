// SPDX-License-Identifier: Apache-2.0
#include "host/archive_reader.hpp"
#include "host/gzip.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/recording.hpp>

#include <memory>
#include <vector>

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace gpuadapt {

namespace {

struct ArchiveWriteFree {
    void operator()(archive* value) const { archive_write_free(value); }
};
struct EntryFree {
    void operator()(archive_entry* value) const { archive_entry_free(value); }
};

const char* archive_message(archive* writer) {
    const char* text = archive_error_string(writer);
    return text != nullptr ? text : "unknown error";
}

la_ssize_t append_bytes(archive*, void* sink, const void* bytes, std::size_t size) {
    static_cast<std::string*>(sink)->append(static_cast<const char*>(bytes), size);
    return static_cast<la_ssize_t>(size);
}

void require_ok(archive* writer, int status) {
    if (status != ARCHIVE_OK)
        throw tool_error(fmt::format("cannot pack the recording: {}", archive_message(writer)));
}

std::string read_all(const Fd& fd, const std::string& path, std::size_t limit) {
    std::string bytes;
    std::vector<char> buffer(std::size_t{1} << 16);
    while (true) {
        const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
        if (got == 0)
            return bytes;
        if (got < 0)
            fail_input(path, system_message());
        bytes.append(buffer.data(), static_cast<std::size_t>(got));
        if (bytes.size() > limit)
            fail_input(path, Message(fmt::format("larger than {} bytes", limit), fmt::format("超过 {} 字节", limit)));
    }
}

}  // namespace

Answers read_recording(const std::string& path, const RecordingLimits& limits) {
    const Fd fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat info {};
    if (!fd.valid() || fstat(fd.get(), &info) != 0)
        fail_input(path, system_message());
    if (S_ISREG(info.st_mode)) {
        const std::string bytes = read_all(fd, path, largest_archive(limits));
        if (const auto damage = gzip_damage(bytes, largest_archive(limits)))
            fail_damaged(path, {}, *damage);
        return unpack_recording(bytes, path, limits);
    }
    if (!S_ISDIR(info.st_mode))
        fail_input(path, Message(ArchiveRules{}.wrong));
    return read_members(read_folder(fd, path, limits), path);
}

Answers unpack_recording(std::string_view bytes, const std::string& name, const RecordingLimits& limits) {
    return read_members(read_archive(bytes, name, limits, {}).files, name);
}

std::string pack_recording(const Answers& answers) {
    std::string packed;
    const std::unique_ptr<archive, ArchiveWriteFree> writer(archive_write_new());
    const std::unique_ptr<archive_entry, EntryFree> entry(archive_entry_new());
    require_ok(writer.get(), archive_write_set_format_pax_restricted(writer.get()));
    require_ok(writer.get(), archive_write_add_filter_gzip(writer.get()));
    // Without the time of day: the same answers give the same bytes.
    require_ok(writer.get(), archive_write_set_filter_option(writer.get(), "gzip", "timestamp", nullptr));
    require_ok(writer.get(), archive_write_set_bytes_in_last_block(writer.get(), 1));
    require_ok(writer.get(), archive_write_open(writer.get(), &packed, nullptr, append_bytes, nullptr));
    for (const auto& [name, bytes] : write_members(answers)) {
        archive_entry_clear(entry.get());
        archive_entry_set_pathname(entry.get(), name.c_str());
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        archive_entry_set_perm(entry.get(), 0644);
        archive_entry_set_mtime(entry.get(), 0, 0);
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
        require_ok(writer.get(), archive_write_header(writer.get(), entry.get()));
        if (archive_write_data(writer.get(), bytes.data(), bytes.size()) != static_cast<la_ssize_t>(bytes.size()))
            require_ok(writer.get(), ARCHIVE_FATAL);
    }
    require_ok(writer.get(), archive_write_close(writer.get()));
    return packed;
}

}  // namespace gpuadapt
