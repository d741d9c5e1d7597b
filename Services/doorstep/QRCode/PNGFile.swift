import CommandOutput
import Foundation

/// A new picture file, of which a command finds out before it changes anything that it can be made.
///
/// Readable by its owner alone: a code may hold a credential.
struct PNGFile {
    private let path: String

    /// - Throws: `CommandFailure` of kind usage where the file is there already, or none can be made in its folder.
    init(_ path: String) throws(CommandFailure) {
        guard access(path, F_OK) != 0 else { throw CommandFailure(.usage, "\(path) cannot be written: it exists") }
        let folder = URL(filePath: path).deletingLastPathComponent().path
        guard access(folder, W_OK | X_OK) == 0 else {
            throw CommandFailure(.usage, "\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
        self.path = path
    }

    /// - Parameter image: nil for a text that no code holds.
    /// - Returns: why the file could not be written; there is none then.
    func write(_ image: PNGImage?) -> String? {
        guard let image else { return "\(path) is not written: the link is too long for a code" }
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard file >= 0 else { return "\(path) cannot be written: \(String(cString: strerror(errno)))" }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(image.bytes))
            return nil
        } catch {
            unlink(path)
            return "\(path) cannot be written: \(error.localizedDescription)"
        }
    }
}
