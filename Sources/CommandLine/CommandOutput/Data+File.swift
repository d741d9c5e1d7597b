package import Foundation

extension Data {
    /// The bytes of a file that the caller named; `-` is standard input.
    ///
    /// - Throws: `CommandFailure` of kind usage where it cannot be read.
    package init(ofFile path: String) throws(CommandFailure) {
        guard path == "-" else {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw CommandFailure(.usage, "\(path) cannot be read")
            }
            self = data
            return
        }
        do {
            self = try FileHandle.standardInput.readToEnd() ?? Data()
        } catch {
            throw CommandFailure(.usage, "standard input cannot be read: \(error.localizedDescription)")
        }
    }
}
