import Deflate

/// The check of a PNG, chunk by chunk.
///
/// - Source: PNG specification, third edition, sections 5 and 11.
extension ProofImage {
    static let pngStart: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The PNG without its ancillary chunks: texts, times, EXIF, profiles, animations.
    static func withoutMetadata(
        png bytes: [UInt8], keepsTransparency: Bool
    ) throws(Fault) -> (bytes: [UInt8], size: Size) {
        var reader = ImageReader(bytes, at: pngStart.count)
        var kept = pngStart
        kept.reserveCapacity(bytes.count)
        let header = try reader.chunk()
        guard header.type == "IHDR" else { throw .malformed }
        let (colour, pixelBytes, size) = try picture(of: Array(header.content))
        kept += header.all
        var former = header.type
        var hasPalette = false
        var pixels: [UInt8] = []
        while true {
            let chunk = try reader.chunk()
            switch chunk.type {
            case "PLTE":
                guard former == "IHDR", colour != 0, colour != 4 else { throw .malformed }
                guard (3...768).contains(chunk.content.count), chunk.content.count.isMultiple(of: 3) else {
                    throw .malformed
                }
                hasPalette = true
            case "IDAT":
                guard colour != 3 || hasPalette else { throw .malformed }
                pixels += chunk.content
            case "IEND":
                guard former == "IDAT", chunk.content.isEmpty else { throw .malformed }
                // Neither fewer nor more: what unpacks to more than its header says is made to exhaust a reader.
                guard Deflate.unpackedCount(pixels, as: .zlib, bytesMax: pixelBytes) == pixelBytes else {
                    throw .malformed
                }
                guard reader.isAtEnd else { throw .trailingBytes }
                return (kept + chunk.all, size)
            // Without its transparent colours it would be another picture.
            case "tRNS":
                guard keepsTransparency else { throw .unsupported }
                guard former == "IHDR" || former == "PLTE", chunk.content.count <= 256 else { throw .malformed }
            default:
                guard chunk.isAncillary else { throw .unsupported }
                continue
            }
            kept += chunk.all
            former = chunk.type
        }
    }

    /// The colour type of a header with an acceptable size, the bytes that its pixels unpack to, and the size.
    private static func picture(
        of header: [UInt8]
    ) throws(Fault) -> (colour: UInt8, pixelBytes: Int, size: Size) {
        guard header.count == 13 else { throw .malformed }
        func number(at index: Int) -> Int { header[index..<index + 4].reduce(0) { $0 << 8 | Int($1) } }
        let (depth, colour) = (header[8], header[9])
        let kind: (depths: [UInt8], samples: Int)? =
            switch colour {
            case 0: ([1, 2, 4, 8, 16], 1)
            case 2: ([8, 16], 3)
            case 3: ([1, 2, 4, 8], 1)
            case 4: ([8, 16], 2)
            case 6: ([8, 16], 4)
            default: nil
            }
        guard let kind, kind.depths.contains(depth), header[10] == 0, header[11] == 0, header[12] <= 1 else {
            throw .malformed
        }
        let (width, height) = (number(at: 0), number(at: 4))
        let size = try checkedSize(width: width, height: height)
        // Browsers write neither; in rows of seven passes, or with twice the bytes.
        guard header[12] == 0, depth < 16 else { throw .unsupported }
        // Each row begins with its filter.
        return (colour, height * (1 + (width * kind.samples * Int(depth) + 7) / 8), size)
    }
}

/// A part of a PNG.
private struct Chunk {
    let type: String
    let content: ArraySlice<UInt8>
    /// With its length and its checksum.
    let all: ArraySlice<UInt8>
    /// Whether a reader that does not know it can leave it out.
    let isAncillary: Bool
}

extension ImageReader {
    /// The next chunk, whose checksum is right.
    fileprivate mutating func chunk() throws(ProofImage.Fault) -> Chunk {
        let start = position
        let length = try number(bytes: 4)
        let name = try slice(4)
        guard name.allSatisfy({ (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }) else { throw .malformed }
        let content = try slice(length)
        let checked = bytes[name.startIndex..<content.endIndex]
        guard try number(bytes: 4) == Int(Deflate.checksum(checked)) else { throw .malformed }
        return Chunk(
            type: String(decoding: name, as: UTF8.self), content: content, all: bytes[start..<position],
            isAncillary: (name.first ?? 0) & 0x20 != 0)
    }
}
