internal import Glibc

/// A regular file that is read at any place by any thread.
final class ArchiveFile: Sendable {
    private let descriptor: Int32
    let bytes: Int
    /// A text of its size and the time of its last change.
    let version: String

    /// - Throws: ``TileArchive/Fault``.
    init(path: String) throws {
        // Without O_NONBLOCK the call would wait for the writer of a pipe.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw TileArchive.Fault(description: "cannot be read: \(reason)")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw TileArchive.Fault(description: "cannot be read: it is no regular file")
        }
        bytes = Int(status.st_size)
        version = String(bytes, radix: 36) + "-" + String(Int(status.st_mtim.tv_sec), radix: 36)
    }

    deinit { close(descriptor) }

    /// - Throws: ``TileArchive/Fault`` where the file ends before the extent does.
    func read(_ extent: TileHeader.Extent) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: extent.length) { buffer, count in
            while count < extent.length {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                let got = pread(descriptor, rest.baseAddress, extent.length - count, off_t(extent.offset + count))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { throw TileArchive.Fault(description: "ends early, or cannot be read any more") }
                count += got
            }
        }
    }
}
