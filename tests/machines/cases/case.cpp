// SPDX-License-Identifier: Apache-2.0
#include "machines/cases/case.hpp"

#include "check/judgement.hpp"

#include <stdexcept>
#include <utility>

namespace gpuadapt::test {
namespace {

std::string& config_of(Answers& answers, const std::string& address) {
    const auto found = answers.files.find("/sys/bus/pci/devices/" + address + "/config");
    if (found == answers.files.end())
        throw std::runtime_error("no configuration space of " + address);
    return found->second.text;
}

unsigned byte_at(const std::string& space, std::size_t at) {
    return static_cast<unsigned char>(space.at(at));
}

void put_word(std::string& space, std::size_t at, std::uint16_t value) {
    space.at(at) = static_cast<char>(value & 0xff);
    space.at(at + 1) = static_cast<char>(value >> 8);
}

std::size_t exchange(std::string& text, const std::string& from, const std::string& to) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size(), ++count)
        text.replace(at, from.size(), to);
    return count;
}

void need(bool done, const std::string& what) {
    if (!done)
        throw std::runtime_error("the change finds nothing: " + what);
}

}  // namespace

Change file(std::string path, std::string text) {
    return [path = std::move(path), text = std::move(text)](Answers& answers) {
        answers.files[path] = {AnswerStatus::ok, text + "\n", ""};
    };
}

Change no_file(std::string path) {
    return [path = std::move(path)](Answers& answers) { need(answers.files.erase(path) > 0, path); };
}

Change replaced(std::string pattern, std::string from, std::string to) {
    return [=](Answers& answers) {
        std::size_t count = 0;
        for (auto& [path, answer] : answers.files)
            if (check::matches(pattern, path))
                count += exchange(answer.text, from, to);
        need(count > 0, pattern + ": " + from);
    };
}

Change answer_replaced(std::string word, std::string from, std::string to) {
    return [=](Answers& answers) {
        std::size_t count = 0;
        for (auto& [words, result] : answers.commands)
            for (const std::string& one : words)
                if (one.find(word) != std::string::npos) {
                    count += exchange(result.output, from, to);
                    break;
                }
        need(count > 0, word + ": " + from);
    };
}

Change capability_word(std::string address, int id, int offset, std::uint16_t value) {
    return [=](Answers& answers) {
        std::string& space = config_of(answers, address);
        for (std::size_t at = byte_at(space, 0x34), steps = 0; at >= 0x40 && steps < 48;
             at = byte_at(space, at + 1), ++steps)
            if (byte_at(space, at) == static_cast<unsigned>(id))
                return put_word(space, at + static_cast<std::size_t>(offset), value);
        need(false, address);
    };
}

Change extended_word(std::string address, int id, int offset, std::uint16_t value) {
    return [=](Answers& answers) {
        std::string& space = config_of(answers, address);
        for (std::size_t at = 0x100, steps = 0; at >= 0x100 && steps < 96; ++steps) {
            if ((byte_at(space, at) | byte_at(space, at + 1) << 8) == static_cast<unsigned>(id))
                return put_word(space, at + static_cast<std::size_t>(offset), value);
            at = byte_at(space, at + 2) >> 4 | byte_at(space, at + 3) << 4;
        }
        need(false, address);
    };
}

Change config_bytes(std::string address, std::size_t offset, std::string bytes) {
    return [=](Answers& answers) { config_of(answers, address).replace(offset, bytes.size(), bytes); };
}

Change link(std::string path, std::string target) {
    return [=](Answers& answers) { answers.links[path] = {AnswerStatus::ok, target, ""}; };
}

Change both(Change first, Change second) {
    return [=](Answers& answers) {
        first(answers);
        second(answers);
    };
}

}  // namespace gpuadapt::test
