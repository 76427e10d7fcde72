// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/text.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace gpuadapt {

/// Whose matter it is when a step cannot go on. Decides the exit status: `input` 2, the others 4.
enum class ErrorKind {
    input,        ///< what the user gave: an option, a file, a form
    tool,         ///< this program or what it stands on: no mpirun, no memory, a full disk
    interrupted,  ///< a signal or a time limit ended the work
};

/// "This step cannot go on." Its text names the file, line or option, and the way out.
/// Caught once per probe, check or bench (which turns it into a Finding) and once in `main`.
class Error : public std::runtime_error {
  public:
    Error(ErrorKind kind, const std::string& text) : Error(kind, Message::same(text)) {}
    /// `what()` is the English text.
    Error(ErrorKind kind, Message message)
        : std::runtime_error(message.en), kind_(kind), message_(std::make_shared<const Message>(std::move(message))) {}
    [[nodiscard]] ErrorKind kind() const { return kind_; }
    [[nodiscard]] const Message& message() const { return *message_; }

  private:
    ErrorKind kind_;
    std::shared_ptr<const Message> message_;  ///< shared, since copying an exception must not throw
};

[[nodiscard]] inline Error input_error(const std::string& text) {
    return {ErrorKind::input, text};
}
[[nodiscard]] inline Error input_error(Message message) {
    return {ErrorKind::input, std::move(message)};
}
[[nodiscard]] inline Error tool_error(const std::string& text) {
    return {ErrorKind::tool, text};
}
[[nodiscard]] inline Error tool_error(Message message) {
    return {ErrorKind::tool, std::move(message)};
}

}  // namespace gpuadapt
