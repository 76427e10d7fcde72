// SPDX-License-Identifier: Apache-2.0
//
// Feeds a fuzz entry without libFuzzer: every file of the given folders as it is, cut off, with bytes changed, doubled
// and joined to its neighbour. What is fed depends only on the files, so that a failure comes back on each run. The
// entry fails by crashing, by an assert or by a sanitizer; the last line printed then names what was fed.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

struct Seed {
    std::string name;
    std::string bytes;
};

// Damaged forms of one file. More find little more: the open-ended search is libFuzzer's work (scripts/fuzz).
constexpr std::size_t kTruncations = 64;
constexpr int kChanges = 256;
// Beyond this a file is fed as it is and cut off a few times only, so that a large sample does not take minutes.
constexpr std::size_t kLargeBytes = 262144;

void feed(const std::string& what, const std::string& bytes) {
    // Flushed at once: it is the only trace when the next call crashes.
    std::printf("\r%-100.100s", what.c_str());
    std::fflush(stdout);
    // A buffer of exactly this length, so that a read past the end is seen by the sanitizers.
    const std::vector<uint8_t> exact(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

std::size_t feed_truncated(const Seed& seed) {
    const std::size_t cuts = seed.bytes.size() > kLargeBytes ? 4 : kTruncations;
    const std::size_t step = std::max<std::size_t>(1, seed.bytes.size() / cuts);
    std::size_t fed = 0;
    for (std::size_t length = 0; length < seed.bytes.size(); length += step) {
        feed(seed.name + " cut to " + std::to_string(length), seed.bytes.substr(0, length));
        ++fed;
    }
    return fed;
}

/// One to four bytes are flipped, replaced by a byte that means something to parsers, removed or repeated.
std::string changed(std::string bytes, std::mt19937& random) {
    static constexpr char kTelling[] = {'\0', '\n', '\r', ' ', '-',    '9',    '"',   '{',
                                        '[',  '<',  '/',  '#', '\x7f', '\x80', '\xff'};
    for (auto left = 1 + random() % 4; left > 0 && !bytes.empty(); --left) {
        const std::size_t at = random() % bytes.size();
        switch (random() % 4) {
            case 0:
                bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1U << (random() % 8)));
                break;
            case 1:
                bytes[at] = kTelling[random() % sizeof kTelling];
                break;
            case 2:
                bytes.erase(at, 1 + random() % 16);
                break;
            default:
                bytes.insert(at, bytes.substr(at, 1 + random() % 64));
                break;
        }
    }
    return bytes;
}

std::size_t feed_changed(const Seed& seed) {
    if (seed.bytes.empty() || seed.bytes.size() > kLargeBytes) {
        return 0;
    }
    std::mt19937 random(static_cast<std::mt19937::result_type>(seed.bytes.size()));
    for (int n = 0; n < kChanges; ++n) {
        feed(seed.name + " change " + std::to_string(n), changed(seed.bytes, random));
    }
    return kChanges;
}

std::vector<Seed> read_folder(const std::filesystem::path& folder) {
    std::vector<Seed> seeds;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            std::ifstream in(entry.path(), std::ios::binary);
            seeds.push_back({entry.path().filename().string(), {std::istreambuf_iterator<char>(in), {}}});
        }
    }
    std::sort(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) { return a.name < b.name; });
    return seeds;
}

std::size_t replay(const std::filesystem::path& folder) {
    const std::vector<Seed> seeds = read_folder(folder);
    if (seeds.empty()) {
        throw std::runtime_error(folder.string() + " holds no files: an entry without a corpus tests nothing");
    }
    feed("nothing", "");
    std::size_t fed = 1;
    const Seed* before = &seeds.back();
    for (const Seed& seed : seeds) {
        feed(seed.name, seed.bytes);
        feed(seed.name + " twice", seed.bytes + seed.bytes);
        feed(before->name + " then " + seed.name, before->bytes + seed.bytes);
        fed += 3 + feed_truncated(seed) + feed_changed(seed);
        before = &seed;
    }
    std::printf("\r%-100s\r%zu files, %zu inputs\n", "", seeds.size(), fed);
    return fed;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s CORPUS_FOLDER...\n", argv[0]);
        return 2;
    }
    try {
        for (int i = 1; i < argc; ++i) {
            replay(argv[i]);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "\n%s: %s\n", argv[0], error.what());
        return 1;
    }
    return 0;
}
