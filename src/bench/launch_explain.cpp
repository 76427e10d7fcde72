// SPDX-License-Identifier: Apache-2.0
#include "bench/launch_causes.hpp"

#include <gpuadapt/bench/launch.hpp>
#include <gpuadapt/core/units.hpp>

#include <algorithm>
#include <climits>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

/// Messages are wrapped at different columns by version and host name.
std::string one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
        if (!blank) {
            line += c;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    return line;
}

std::string_view word_at(std::string_view text, std::size_t at) {
    text = text.substr(std::min(at, text.size()));
    text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
    return text.substr(0, text.find(' '));
}

std::string_view word_after(std::string_view text, std::string_view key) {
    const std::size_t at = text.find(key);
    return at == std::string_view::npos ? std::string_view{} : word_at(text, at + key.size());
}

std::optional<int> small_integer(std::string_view text) {
    const auto number = parse_integer(text);
    return number && *number >= 0 && *number <= INT_MAX ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

/// The number that `text` begins with.
std::optional<int> leading_integer(std::string_view text) {
    return small_integer(text.substr(0, text.find_first_not_of("0123456789")));
}

/// "... process rank 1 with PID 4711 on node a exited on signal 9 (Killed)." or "... exiting improperly."
std::optional<DeadRank> parse_noticed(std::string_view line) {
    constexpr std::string_view kKey = "process rank ";
    for (std::size_t at = line.find(kKey); at != std::string_view::npos; at = line.find(kKey, at + 1)) {
        const std::string_view text = line.substr(at, 400);
        const auto rank = small_integer(word_after(text, kKey));
        const std::string_view host = word_after(text, " on node ");
        if (!rank || host.empty()) {
            continue;
        }
        DeadRank dead;
        dead.rank = *rank;
        dead.host = clean_utf8(host);
        const auto pid = parse_integer(word_after(text, " with PID "));
        if (pid && *pid > 0) {  // 4.1 says PID 0 of a local rank
            dead.pid = *pid;
        }
        if (const std::string_view rest = word_after(text, "exited on signal "); !rest.empty()) {
            dead.signal = leading_integer(rest);
            return dead;
        }
        if (text.find("exiting improperly") != std::string_view::npos ||
            text.find("exiting without") != std::string_view::npos) {
            return dead;
        }
    }
    return std::nullopt;
}

/// "MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD with errorcode 4."; 5.0: "... Errorcode: 4"
std::optional<DeadRank> parse_abort(std::string_view line) {
    constexpr std::string_view kKey = "MPI_ABORT was invoked on rank ";
    const std::size_t at = line.find(kKey);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view text = line.substr(at, 400);
    const auto rank = leading_integer(word_after(text, kKey));
    if (!rank) {
        return std::nullopt;
    }
    DeadRank dead;
    dead.rank = *rank;
    const std::string_view old_status = word_after(text, "with errorcode ");
    dead.exit_status = leading_integer(old_status.empty() ? word_after(text, "Errorcode: ") : old_status);
    return dead;
}

/// "Process name: [[19825,1],1] Exit code: 3" or "Process name: [prterun-a-11110@1,0] Exit code: 3"
std::optional<DeadRank> parse_exit(std::string_view line) {
    const std::size_t at = line.find("Process name: ");
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view text = line.substr(at, 400);
    std::string_view name = word_after(text, "Process name: ");
    while (!name.empty() && name.back() == ']') {
        name.remove_suffix(1);
    }
    const std::size_t comma = name.rfind(',');
    const auto rank = comma == std::string_view::npos ? std::nullopt : small_integer(name.substr(comma + 1));
    const auto status = leading_integer(word_after(text, "Exit code: "));
    if (!rank || !status) {
        return std::nullopt;
    }
    DeadRank dead;
    dead.rank = *rank;
    dead.exit_status = status;
    return dead;
}

/// The text around a match, for people: from the ruler or sentence before it to the ruler after it.
Message quote(std::string_view line, std::size_t at) {
    constexpr std::size_t kBefore = 100;
    constexpr std::size_t kRoom = 240;
    const std::string_view before = line.substr(0, at);
    const std::size_t end = std::max(before.rfind("- ") + 2, before.rfind(". ") + 2);  // npos + 2 is 1
    std::string_view text = line.substr(end > 1 && at - end < kBefore ? end : at, kRoom);
    text = text.substr(0, text.find("-----"));
    return Message::same(clean_utf8(trim(text)));
}

Finding failure(std::string_view id, std::string subject) {
    Finding finding;
    finding.severity = Severity::failure;
    finding.check = id;
    finding.subject = std::move(subject);
    return finding;
}

Text signal_advice(int signal) {
    switch (signal) {
        case 9:
            return {"Somebody or the kernel killed it; look for \"Out of memory\" in dmesg.",
                    "被人或内核杀死；在 dmesg 中查找 “Out of memory”。"};
        case 7:
            return {"Often /dev/shm is full (containers: --shm-size).", "常因 /dev/shm 已满（容器：--shm-size）。"};
        default:
            return {"Look above for the rank's own messages.", "请看上面该 rank 自己的输出。"};
    }
}

Finding died(const DeadRank& dead) {
    const std::string subject = fmt::format("rank {}{}{}", dead.rank, dead.host.empty() ? "" : " on ", dead.host);
    Finding finding = failure("launch.rank-died", subject);
    if (dead.signal) {
        finding.title = {fmt::format("{} was ended by signal {}", subject, *dead.signal),
                         fmt::format("{} 被信号 {} 终止", subject, *dead.signal)};
    } else if (dead.exit_status) {
        finding.title = {fmt::format("{} ended with status {}", subject, *dead.exit_status),
                         fmt::format("{} 以状态 {} 退出", subject, *dead.exit_status)};
    } else {
        finding.title = {subject + " ended early", subject + " 提前退出"};
    }
    if (dead.pid) {
        finding.evidence = Message::same(fmt::format("mpirun: PID {}", *dead.pid));
    }
    finding.advice = Message(signal_advice(dead.signal.value_or(0)));
    return finding;
}

std::optional<Finding> known_cause(std::string_view line) {
    for (const LaunchCause& cause : launch_causes()) {
        for (const std::string_view text : cause.texts) {
            const std::size_t at = text.empty() ? std::string_view::npos : line.find(text);
            if (at == std::string_view::npos) {
                continue;
            }
            std::string subject = "mpirun";
            if (!cause.subject_key.empty()) {
                std::string_view word = word_after(line, cause.subject_key);
                while (!word.empty() && (word.back() == ':' || word.back() == '.')) {
                    word.remove_suffix(1);
                }
                subject = word.empty() ? subject : clean_utf8(word);
            }
            Finding finding = failure(cause.id, subject);
            finding.title = Message(cause.title);
            finding.evidence = quote(line, at);
            finding.advice = Message(cause.advice);
            return finding;
        }
    }
    return std::nullopt;
}

std::optional<Finding> lost_daemon(std::string_view line) {
    const std::size_t lost = line.find("lost communication with a remote daemon");
    const std::size_t unstarted = line.find("unable to reliably start one or more daemons");
    const std::size_t at = std::min(lost, unstarted);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view host = word_after(line, "target node: ");
    if (lost != std::string_view::npos) {
        const std::size_t remote = line.find("Remote daemon:", lost);
        host = remote == std::string_view::npos ? std::string_view{} : word_after(line.substr(remote), " on node ");
    }
    Finding finding = failure("launch.daemon", host.empty() ? "mpirun" : clean_utf8(host));
    finding.title = {"mpirun cannot start its helper on a host, or has lost it",
                     "mpirun 无法在某台主机启动守护进程，或与其失去联系"};
    finding.evidence = quote(line, at);
    finding.advice = {"Try ssh HOST true, the same Open MPI path on all hosts, and open firewalls between them.",
                      "检查 ssh 主机 true 能否运行、各主机 Open MPI 路径是否相同、主机间防火墙是否放行。"};
    return finding;
}

}  // namespace

std::optional<DeadRank> parse_dead_rank(std::string_view output) {
    const std::string line = one_line(output);
    for (const auto parse : {parse_noticed, parse_abort, parse_exit}) {
        if (auto dead = parse(line)) {
            return dead;
        }
    }
    return std::nullopt;
}

std::optional<Finding> explain_mpirun(std::string_view output) {
    const std::string line = one_line(output);
    if (auto cause = known_cause(line)) {
        return cause;
    }
    // A rank whose host is gone "exits" too; a signal of its own is a cause of its own.
    const auto dead = parse_dead_rank(output);
    if (dead && dead->signal) {
        return died(*dead);
    }
    if (auto daemon = lost_daemon(line)) {
        return daemon;
    }
    return dead ? std::optional(died(*dead)) : std::nullopt;
}

}  // namespace gpuadapt
