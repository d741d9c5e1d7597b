import Crypto
import TextCoding

/// A photo or a signature of a hand-over: checked by its bytes, and without metadata.
///
/// No pixel is kept decoded: the header has the size, and the pixels of a PNG are unpacked in pieces to be counted, so that
/// a small file of a huge picture costs no memory.
struct ProofImage: Hashable, Sendable {
    /// The content type of an image, by its bytes.
    enum Format: String, CaseIterable, Sendable {
        case jpeg, png

        var contentType: String { "image/\(rawValue)" }

        /// The end of a file's name.
        var fileExtension: String {
            switch self {
            case .jpeg: "jpg"
            case .png: "png"
            }
        }
    }

    /// Why bytes are no image that is kept.
    enum Fault: Error, Hashable, Sendable {
        /// They begin like neither a JPEG nor a PNG.
        case unknownFormat
        /// They break the format's rules, or end too early.
        case malformed
        /// It is a valid file with a feature that browsers' pictures do not have, such as arithmetic coding.
        case unsupported
        case tooManyPixels
        /// Something follows the image, as in a file that is two at once.
        case trailingBytes
    }

    /// Bytes that are accepted; the pages send fewer.
    static let bytesMax = 204_800
    static let sideMax = 4_096
    static let pixelsMax = 8_388_608

    let format: Format
    /// The image without its metadata.
    let bytes: [UInt8]
    let size: Size

    /// In pixels.
    struct Size: Hashable, Sendable {
        let width: Int
        let height: Int
    }

    /// Checks an image, and removes what is no part of its picture.
    ///
    /// - Parameter keepsTransparency: whether a PNG may have transparent colours besides an alpha channel.
    init(_ bytes: [UInt8], keepsTransparency: Bool = false) throws(Fault) {
        if bytes.starts(with: Self.jpegStart) {
            format = .jpeg
            (self.bytes, size) = try Self.withoutMetadata(jpeg: bytes)
        } else if bytes.starts(with: Self.pngStart) {
            format = .png
            (self.bytes, size) = try Self.withoutMetadata(png: bytes, keepsTransparency: keepsTransparency)
        } else {
            throw .unknownFormat
        }
    }

    /// The SHA-256 of the bytes that are kept, in hexadecimal digits: the image's name.
    var hash: String { Hexadecimal.encode(SHA256.hash(data: bytes)) }

    /// Whether a text has the form of ``hash``.
    static func isHash(_ text: String) -> Bool { text.wholeMatch(of: /[0-9a-f]{64}/) != nil }

    /// Refuses a picture without an area, and one that is larger than any screen shows.
    static func checkedSize(width: Int, height: Int) throws(Fault) -> Size {
        guard width > 0, height > 0 else { throw .malformed }
        guard width <= sideMax, height <= sideMax, width * height <= pixelsMax else { throw .tooManyPixels }
        return Size(width: width, height: height)
    }
}

extension ProofImage.Fault {
    /// The fault in words for the sender.
    var description: String {
        switch self {
        case .unknownFormat: "is neither a JPEG nor a PNG"
        case .malformed: "is not a whole JPEG or PNG"
        case .unsupported: "is a kind of JPEG or PNG that is not accepted"
        case .tooManyPixels:
            "has more than \(ProofImage.sideMax) pixels on a side, or \(ProofImage.pixelsMax) in all"
        case .trailingBytes: "has more bytes after its end"
        }
    }
}

/// Reads an image's bytes in order; a read beyond the last one is the image's fault.
struct ImageReader {
    let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8], at position: Int) {
        self.bytes = bytes
        self.position = position
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() throws(ProofImage.Fault) -> UInt8 {
        guard position < bytes.count else { throw .malformed }
        defer { position += 1 }
        return bytes[position]
    }

    /// The next bytes as a number, the highest first.
    mutating func number(bytes count: Int) throws(ProofImage.Fault) -> Int {
        try slice(count).reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func slice(_ count: Int) throws(ProofImage.Fault) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.count - position else { throw .malformed }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// Moves to a later byte.
    mutating func skip(to next: Int) { position = min(max(position, next), bytes.count) }
}
