internal import Foundation

extension String {
    /// Writes the text to a file that the caller named.
    ///
    /// - Throws: `CommandFailure` of kind usage when it cannot be written.
    package func write(toFile path: String) throws(CommandFailure) {
        do {
            try Data(utf8).write(to: URL(filePath: path))
        } catch {
            throw CommandFailure(.usage, "\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
