package import ArgumentParser
internal import Foundation

extension AsyncParsableCommand {
    /// Parses the arguments, runs the command that they name, and exits with the code of its failure if it has one.
    ///
    /// Returns after a success.
    /// - Parameter arguments: without the executable's name; nil for the process's own.
    package static func runAsProcess(_ arguments: [String]? = nil) async {
        do {
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exitReporting(error)
        }
    }

    /// Prints the error on standard error and exits with its code.
    package static func exitReporting(_ error: any Error) -> Never {
        if let failure = error as? CommandFailure { CommandFailure.exit(failure) }
        if error is CancellationError { Foundation.exit(CommandFailure.Kind.interrupted.rawValue) }
        let code = exitCode(for: error)
        guard code.isSuccess || code == .validationFailure else {
            CommandFailure.complain("\(error)")
            Foundation.exit(CommandFailure.Kind.unavailable.rawValue)
        }
        // The parser prints help and version; this function sets the exit code of usage errors.
        let text = fullMessage(for: error)
        if code.isSuccess {
            writeLine(text)
            Foundation.exit(0)
        }
        writeError(text)
        Foundation.exit(CommandFailure.Kind.usage.rawValue)
    }
}
