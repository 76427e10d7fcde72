// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/driver/group.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <new>
#include <numeric>

#include <unistd.h>

namespace gpuadapt {

namespace {

class SoloGroup final : public Group {
  public:
    explicit SoloGroup(std::string host) : host_(std::move(host)) {}

    [[nodiscard]] int rank() const override { return 0; }
    [[nodiscard]] int size() const override { return 1; }
    [[nodiscard]] const std::string& host() const override { return host_; }
    [[nodiscard]] std::string library() const override { return "none"; }
    void barrier() override {}
    void idle_barrier(std::optional<std::chrono::milliseconds>) override {}
    [[nodiscard]] std::string broadcast(const std::string& text, int) override { return text; }
    [[nodiscard]] std::vector<std::string> gather(const std::string& text, int) override { return {text}; }
    [[nodiscard]] std::vector<std::string> all_gather(const std::string& text) override { return {text}; }
    [[nodiscard]] std::unique_ptr<Group> split(int color, int) override {
        return color < 0 ? nullptr : std::make_unique<SoloGroup>(host_);
    }
    [[noreturn]] void abort(int status) override { _exit(status); }

  private:
    std::string host_;
};

constexpr char kBetweenLanguages = '\x1f';

/// An Error as text: its kind, whether it was agreed on before, and what it says: "1-english\x1fchinese". No error is
/// an empty text.
std::string encode(const Error& error, bool agreed) {
    return std::string{static_cast<char>('0' + static_cast<int>(error.kind())), agreed ? 'a' : '-'} +
           error.message().en + kBetweenLanguages + error.message().zh;
}

Message decode(const std::string& texts) {
    const std::size_t between = texts.find(kBetweenLanguages);
    if (between == std::string::npos)
        return Message::same(texts);
    return {texts.substr(0, between), texts.substr(between + 1)};
}

}  // namespace

std::unique_ptr<Group> make_solo_group() {
    std::array<char, 256> name{};
    const bool known = gethostname(name.data(), name.size() - 1) == 0;
    return std::make_unique<SoloGroup>(known ? name.data() : "localhost");
}

std::vector<double> Group::all_values(double value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    std::vector<double> values;
    for (const std::string& text : all_gather(bytes)) {
        double one = 0;
        std::memcpy(&one, text.data(), std::min(text.size(), sizeof one));
        values.push_back(one);
    }
    return values;
}

double Group::max(double value) {
    const std::vector<double> values = all_values(value);
    return *std::max_element(values.begin(), values.end());
}

double Group::sum(double value) {
    const std::vector<double> values = all_values(value);
    return std::accumulate(values.begin(), values.end(), 0.0);
}

double Group::mean(double value) {
    return sum(value) / size();
}

void Group::agree(const std::optional<Error>& error) {
    agree_on(error ? encode(*error, false) : std::string());
}

void Group::agree_on(const std::string& report) {
    constexpr std::size_t kHead = 2;
    const std::vector<std::string> texts = all_gather(report + '\n' + host());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::string& text = texts[i];
        const std::size_t end = text.rfind('\n');
        if (end == std::string::npos || end < kHead) {
            continue;
        }
        const auto kind = static_cast<ErrorKind>(std::clamp(text[0] - '0', 0, 2));
        Message what = decode(text.substr(kHead, end - kHead));
        if (size() > 1 && text[1] != 'a') {
            const std::string who = "rank " + std::to_string(i) + " (host " + text.substr(end + 1) + "): ";
            what = {who + what.en, who + what.zh};
        }
        throw AgreedError(kind, what);
    }
}

void Group::together(const std::function<void()>& phase) {
    std::string report;
    try {
        phase();
    } catch (const AgreedError& thrown) {
        report = encode(thrown, true);
    } catch (const Error& thrown) {
        report = encode(thrown, false);
    } catch (const std::bad_alloc&) {
        report = encode(tool_error("out of memory"), false);
    } catch (const std::exception& thrown) {
        report = encode(tool_error(thrown.what()), false);
    }
    agree_on(report);
}

int Group::ranks_on_host() {
    const std::vector<std::string> hosts = all_gather(host());
    return static_cast<int>(std::count(hosts.begin(), hosts.end(), host()));
}

}  // namespace gpuadapt
