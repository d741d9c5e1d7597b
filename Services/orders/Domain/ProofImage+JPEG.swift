/// The check of a JPEG, segment by segment.
///
/// - Source: ITU-T T.81, annex B.
extension ProofImage {
    static let jpegStart: [UInt8] = [0xFF, 0xD8]

    /// Scans of a progressive JPEG, each of which costs a decoder a pass over the picture.
    private static let scansMax = 64

    /// The JPEG without its application segments (EXIF, XMP, IPTC, thumbnails, profiles) and its comments.
    static func withoutMetadata(jpeg bytes: [UInt8]) throws(Fault) -> (bytes: [UInt8], size: Size) {
        var reader = ImageReader(bytes, at: jpegStart.count)
        var kept = jpegStart
        kept.reserveCapacity(bytes.count)
        var frame: (components: Int, size: Size)?
        var scans = 0
        while true {
            let marker = try reader.marker()
            switch marker {
            case 0xD9:
                guard scans > 0, let frame else { throw .malformed }
                guard reader.isAtEnd else { throw .trailingBytes }
                return (kept + [0xFF, marker], frame.size)
            case 0xE0...0xEF, 0xFE:
                let left = Array(try reader.segment())
                // Adobe's segment says that the colours are RGB; without it they would be others.
                if marker == 0xEE, left.count == 12, left.starts(with: Array("Adobe".utf8)), left[11] == 0 {
                    throw .unsupported
                }
                continue
            case 0xC0, 0xC1, 0xC2, 0xC4, 0xDA, 0xDB, 0xDD: break
            default: throw .unsupported
            }
            let start = reader.position
            let segment = try reader.segment()
            switch marker {
            case 0xC0, 0xC1, 0xC2:
                guard frame == nil else { throw .malformed }
                frame = try checkedFrame(Array(segment))
            case 0xC4: try checkHuffmanTables(Array(segment))
            case 0xDB: try checkQuantizationTables(Array(segment))
            case 0xDD: guard segment.count == 2 else { throw .malformed }
            default:
                guard let frame else { throw .malformed }
                try checkScan(Array(segment), components: frame.components)
                scans += 1
                guard scans <= scansMax else { throw .unsupported }
                guard reader.skipCodedData() > 0 else { throw .malformed }
            }
            kept += [0xFF, marker]
            kept += bytes[start..<reader.position]
        }
    }

    /// The number of colour components, and the size, of a frame with an acceptable one.
    private static func checkedFrame(_ frame: [UInt8]) throws(Fault) -> (components: Int, size: Size) {
        guard frame.count >= 6 else { throw .malformed }
        let count = Int(frame[5])
        guard frame[0] == 8, count == 1 || count == 3 else { throw .unsupported }
        guard frame.count == 6 + 3 * count else { throw .malformed }
        for component in 0..<count {
            let sampling = frame[7 + 3 * component]
            guard (1...4).contains(sampling >> 4), (1...4).contains(sampling & 15), frame[8 + 3 * component] < 4 else {
                throw .malformed
            }
        }
        let size = try checkedSize(
            width: Int(frame[3]) << 8 | Int(frame[4]), height: Int(frame[1]) << 8 | Int(frame[2]))
        return (count, size)
    }

    private static func checkScan(_ scan: [UInt8], components: Int) throws(Fault) {
        guard let count = scan.first.map(Int.init), (1...components).contains(count), scan.count == 4 + 2 * count else {
            throw .malformed
        }
    }

    private static func checkHuffmanTables(_ tables: [UInt8]) throws(Fault) {
        var position = 0
        while position < tables.count {
            guard position + 17 <= tables.count, tables[position] & 0xEC == 0 else { throw .malformed }
            let codes = tables[position + 1..<position + 17].reduce(0) { $0 + Int($1) }
            guard codes <= 256 else { throw .malformed }
            position += 17 + codes
        }
        guard position == tables.count, position > 0 else { throw .malformed }
    }

    private static func checkQuantizationTables(_ tables: [UInt8]) throws(Fault) {
        var position = 0
        while position < tables.count {
            guard tables[position] & 0xEC == 0 else { throw .malformed }
            position += tables[position] >> 4 == 0 ? 65 : 129
        }
        guard position == tables.count, position > 0 else { throw .malformed }
    }
}

extension ImageReader {
    /// The code of the next marker, after any fill bytes.
    fileprivate mutating func marker() throws(ProofImage.Fault) -> UInt8 {
        guard try byte() == 0xFF else { throw .malformed }
        var code = try byte()
        while code == 0xFF { code = try byte() }
        return code
    }

    /// The content of a segment with a length.
    fileprivate mutating func segment() throws(ProofImage.Fault) -> ArraySlice<UInt8> {
        let length = try number(bytes: 2)
        guard length >= 2 else { throw .malformed }
        return try slice(length - 2)
    }

    /// Moves behind a scan's coded data, to the next marker that is no restart.
    ///
    /// - Returns: the bytes of the data.
    fileprivate mutating func skipCodedData() -> Int {
        let start = position
        var next = start
        while next < bytes.count {
            guard bytes[next] == 0xFF else {
                next += 1
                continue
            }
            guard next + 1 < bytes.count else { break }
            let code = bytes[next + 1]
            guard code == 0 || (0xD0...0xD7).contains(code) else { break }
            next += 2
        }
        skip(to: next)
        return next - start
    }
}
