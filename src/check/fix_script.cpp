// SPDX-License-Identifier: Apache-2.0
#include "check/remedy.hpp"

#include <gpuadapt/check/fix_script.hpp>

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace gpuadapt::check {
namespace {

constexpr Text kHead = {
    "# Written by gpuadapt check-env for {}. Read it before you run it, as root:\n"
    "#   sh THIS_FILE apply     makes the changes below; they hold until the next boot\n"
    "#   sh THIS_FILE undo      takes them back\n",
    "# 由 gpuadapt check-env 为 {} 生成。执行前请先阅读；以 root 执行：\n"
    "#   sh 本文件 apply     执行以下修改，重启后失效\n"
    "#   sh 本文件 undo      恢复原值\n"};

constexpr std::string_view kTail =
    "failed=0\n"
    "case \"${1:-}\" in\n"
    "    apply) apply ;;\n"
    "    undo) undo ;;\n"
    "    *) echo \"usage: sh $0 apply|undo\" >&2; exit 2 ;;\n"
    "esac\n"
    "exit \"$failed\"\n";

struct Step {
    std::string told;
    std::vector<std::string> apply, undo;
};

/// A change that two findings ask for is made once, and taken back once.
std::vector<Step> steps_of(const std::vector<Finding>& findings, Lang lang) {
    std::vector<Step> steps;
    std::set<std::string> made, taken_back;
    for (const Finding& finding : findings) {
        if (!finding.remedy || finding.waiver)
            continue;
        Step step;
        step.told = fmt::format("{} {}: {}", finding.check, finding.subject, finding.title.get(lang));
        for (const std::string& line : finding.remedy->now)
            if (made.insert(line).second)
                step.apply.push_back(line);
        for (const std::string& line : finding.remedy->now_undo)
            if (taken_back.insert(line).second)
                step.undo.push_back(line);
        if (!step.apply.empty())
            steps.push_back(std::move(step));
    }
    return steps;
}

void add_step(std::string& text, const std::string& told, const std::vector<std::string>& lines) {
    text += fmt::format("    echo {}\n", shell_word(told));
    for (const std::string& line : lines)
        text += fmt::format("    {}{}\n", line, line.starts_with('#') ? "" : " || failed=1");
}

}  // namespace

std::string fix_script(const std::vector<Finding>& findings, const std::string& host, Lang lang) {
    const std::vector<Step> steps = steps_of(findings, lang);
    std::string text = "#!/bin/sh\n" + fmt::format(fmt::runtime(kHead.get(lang)), clean_utf8(host));
    text += "\napply() {\n";
    for (const Step& step : steps)
        add_step(text, step.told, step.apply);
    text += steps.empty() ? "    :\n}\n" : "}\n";
    text += "\nundo() {\n";
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
        add_step(text, step->told, {step->undo.rbegin(), step->undo.rend()});
    text += steps.empty() ? "    :\n}\n\n" : "}\n\n";
    return text + std::string(kTail);
}

}  // namespace gpuadapt::check
