internal import ArgumentParser
internal import Foundation

/// Asks before something is done that cannot be undone.
package struct Confirmation: ParsableArguments {
    @Flag(help: "Skip the confirmation prompt.")
    package var yes = false

    package init() {}

    package init(yes: Bool) { self.yes = yes }

    /// Returns when the user confirms, or when `--yes` is set.
    ///
    /// - Parameters:
    ///   - question: the action, as a question: `Drop 3 dead letters?`.
    ///   - answer: the user's input; nil where there is no terminal to prompt on.
    /// - Throws: `CommandFailure` of kind usage where there is no terminal, of kind interrupted for every other answer.
    package func ask(_ question: String, answer: (String) -> String? = askOnTerminal) throws(CommandFailure) {
        guard !yes else { return }
        guard let answer = answer(question) else {
            throw CommandFailure(
                .usage, "\(question.safeOnTerminal) There is no terminal to ask on: --yes skips the question.")
        }
        guard ["y", "yes", "j", "ja"].contains(answer.lowercased()) else { throw CommandFailure(.interrupted, "") }
    }
}

/// Asks on the terminal; nil off a terminal.
package func askOnTerminal(_ question: String) -> String? {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return nil }
    writeOutput("\(question.safeOnTerminal) [y/N] ")
    return readLine() ?? ""
}
