import CommandOutput
import Deflate
import Foundation

/// A black and white picture as a PNG file (ISO/IEC 15948), one bit a pixel.
struct PNGImage {
    let width: Int
    let height: Int
    let isDark: (_ x: Int, _ y: Int) -> Bool

    /// The whole file.
    var bytes: [UInt8] {
        let header = Self.bigEndian(width) + Self.bigEndian(height) + [1, 0, 0, 0, 0]  // 1 bit of grey, no interlace
        return [0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A]
            + Self.chunk("IHDR", header) + Self.chunk("IDAT", Deflate.pack(rows)) + Self.chunk("IEND", [])
    }

    /// Each row begins with its filter, 0 for none; a set bit is white.
    private var rows: [UInt8] {
        (0..<height).flatMap { y -> [UInt8] in
            var row = [UInt8](repeating: 0, count: 1 + (width + 7) / 8)
            for x in 0..<width where !isDark(x, y) { row[1 + x / 8] |= 0x80 >> UInt8(x % 8) }
            return row
        }
    }

    /// Length, type, data and CRC-32 (section 5.3).
    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return bigEndian(data.count) + body + bigEndian(Int(Deflate.checksum(body[...])))
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

extension PNGImage {
    /// A code with its quiet border.
    ///
    /// - Parameter scale: pixels of a module on each side.
    init(_ code: QRCode, scale: Int = 8) {
        let border = QRCode.quietModules
        let side = (code.size + 2 * border) * scale
        self.init(width: side, height: side) { x, y in
            code.isDark(x: x / scale - border, y: y / scale - border)
        }
    }
}
