internal import CZlib

/// Packs by deflate (RFC 1951), and unpacks piece by piece: a small file that unpacks to much costs little memory.
public enum Deflate {
    /// The format around the packed bytes.
    public enum Frame: Sendable {
        /// RFC 1950, as in a PNG.
        case zlib
        /// RFC 1952.
        case gzip

        /// The window of deflate, and zlib's sign of the frame.
        fileprivate var windowBits: Int32 {
            switch self {
            case .zlib: 15
            case .gzip: 15 + 16
            }
        }
    }

    private static let pieceBytes = 16_384

    /// Packs bytes in the frame of zlib (RFC 1950).
    public static func pack(_ bytes: [UInt8]) -> [UInt8] {
        var count = compressBound(UInt(bytes.count))
        return [UInt8](unsafeUninitializedCapacity: Int(count)) { packed, packedCount in
            guard compress(packed.baseAddress, &count, bytes, UInt(bytes.count)) == Z_OK else {
                preconditionFailure("zlib packs any bytes into the room that it asked for")
            }
            packedCount = Int(count)
        }
    }

    /// The CRC-32 of bytes, as gzip and each chunk of a PNG have it.
    public static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: crc32(0, $0.baseAddress, UInt32($0.count))) }
    }

    /// Unpacks bytes that are one frame.
    ///
    /// - Parameter bytesMax: how many it may unpack to.
    /// - Returns: nil for bytes that are no such frame, end early or go on behind it, or unpack to more.
    public static func unpack(_ bytes: [UInt8], as frame: Frame, bytesMax: Int) -> [UInt8]? {
        var unpacked: [UInt8] = []
        let count = unpack(bytes, as: frame, bytesMax: bytesMax) { unpacked += $0 }
        return count == nil ? nil : unpacked
    }

    /// Counts what bytes unpack to, and keeps none of it.
    ///
    /// - Returns: nil as ``unpack(_:as:bytesMax:)``.
    public static func unpackedCount(_ bytes: [UInt8], as frame: Frame, bytesMax: Int) -> Int? {
        unpack(bytes, as: frame, bytesMax: bytesMax) { _ in }
    }

    private static func unpack(
        _ bytes: [UInt8], as frame: Frame, bytesMax: Int, each: (UnsafeBufferPointer<UInt8>) -> Void
    ) -> Int? {
        // zlib keeps the stream's address, so that it may not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: pieceBytes)
        defer {
            stream.deinitialize(count: 1)
            stream.deallocate()
            piece.deallocate()
        }
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, frame.windowBits, ZLIB_VERSION, size) == Z_OK else { return nil }
        defer { inflateEnd(stream) }
        var input = bytes
        return input.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            var count = 0
            while true {
                stream.pointee.next_out = piece.baseAddress
                stream.pointee.avail_out = UInt32(pieceBytes)
                let status = inflate(stream, Z_NO_FLUSH)
                let unpacked = pieceBytes - Int(stream.pointee.avail_out)
                count += unpacked
                guard count <= bytesMax else { return nil }
                each(UnsafeBufferPointer(rebasing: piece[..<unpacked]))
                if status == Z_STREAM_END { return stream.pointee.avail_in == 0 ? count : nil }
                guard status == Z_OK, unpacked > 0 else { return nil }
            }
        }
    }
}
