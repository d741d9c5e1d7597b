internal import CZlib

/// Unpacks gzip (RFC 1952), bounded in what it unpacks to.
enum Gzip {
    /// The window of deflate, 15 bits, and the frame of gzip.
    private static let windowBits: Int32 = 15 + 16
    private static let chunkBytes = 16_384

    /// - Returns: nil for bytes that are no gzip, end early, or unpack to more than `bytesMax`.
    static func unpack(_ bytes: [UInt8], bytesMax: Int) -> [UInt8]? {
        // zlib keeps the stream's address, so that it may not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer {
            stream.deinitialize(count: 1)
            stream.deallocate()
        }
        guard inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(stream) }
        var input = bytes
        return input.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            var output: [UInt8] = []
            while true {
                var status = Z_OK
                let chunk = [UInt8](unsafeUninitializedCapacity: chunkBytes) { chunk, count in
                    stream.pointee.next_out = chunk.baseAddress
                    stream.pointee.avail_out = UInt32(chunkBytes)
                    status = inflate(stream, Z_NO_FLUSH)
                    count = chunkBytes - Int(stream.pointee.avail_out)
                }
                output += chunk
                guard output.count <= bytesMax else { return nil }
                if status == Z_STREAM_END { return output }
                guard status == Z_OK, !chunk.isEmpty else { return nil }
            }
        }
    }
}
