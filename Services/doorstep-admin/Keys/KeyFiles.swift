import CommandOutput
import Foundation

/// Writes files of keys so that a crash leaves the former content or the new one, with the permissions and the owner of
/// the file that it replaces.
enum KeyFiles {
    /// Creates a file with the permissions and the owner of another.
    ///
    /// - Throws: `CommandFailure` where it exists, or cannot be written.
    static func create(_ url: URL, _ text: String, like model: URL) throws {
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: model.path)
        } catch {
            throw CommandFailure(.usage, "\(model.path) cannot be read")
        }
        let mode = attributes[.posixPermissions] as? Int ?? 0o600
        // Written under another name, so that a file of that name is whole.
        let draft = url.appendingPathExtension("draft")
        unlink(draft.path)
        let descriptor = open(draft.path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else { throw failure(draft) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        if let owner = attributes[.ownerAccountID] as? Int, let group = attributes[.groupOwnerAccountID] as? Int {
            guard fchown(descriptor, uid_t(owner), gid_t(group)) == 0 || uid_t(owner) == geteuid() else {
                throw failure(draft)
            }
        }
        guard fchmod(descriptor, mode_t(mode)) == 0 else { throw failure(draft) }
        do {
            try file.write(contentsOf: Data(text.utf8))
            try file.synchronize()
        } catch {
            throw CommandFailure(.usage, "\(draft.path) cannot be written (\(error.localizedDescription))")
        }
        try move(draft, to: url)
    }

    /// Replaces a file's content.
    ///
    /// - Throws: `CommandFailure` where it cannot be written; it is then unchanged.
    static func replace(_ url: URL, _ text: String) throws { try create(url, text, like: url) }

    /// Renames a file, over one of that name; a power cut does not take it back.
    ///
    /// - Throws: `CommandFailure` where it cannot be renamed.
    static func move(_ from: URL, to url: URL) throws {
        guard rename(from.path, url.path) == 0 else { throw failure(url) }
        let folder = open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY)
        guard folder >= 0 else { throw failure(url) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure(url) }
    }

    /// The text of a file.
    ///
    /// - Throws: `CommandFailure` where it cannot be read.
    static func text(of url: URL) throws -> String {
        guard let data = FileManager.default.contents(atPath: url.path) else {
            throw CommandFailure(.usage, "\(url.path) cannot be read")
        }
        return String(decoding: data, as: UTF8.self)
    }

    static func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    private static func failure(_ url: URL) -> CommandFailure {
        let reason = String(cString: strerror(errno))
        return CommandFailure(.usage, "\(url.path) cannot be written (\(reason))")
    }
}
