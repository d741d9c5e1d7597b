import Deflate
import TestSupport

@testable import Orders

/// Pictures as bytes, made without an encoder: their segments and chunks are right, and no reader looks at their pixels.
enum SampleImage {
    // MARK: JPEG

    static let start: [UInt8] = [0xFF, 0xD8]
    static let end: [UInt8] = [0xFF, 0xD9]
    static let quantization: [UInt8] = segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
    /// One table of one code.
    static let huffman: [UInt8] = segment(0xC4, [0, 1] + [UInt8](repeating: 0, count: 16))
    /// Where the picture was taken, as cameras write it.
    static let exif: [UInt8] = segment(0xE1, Array("Exif\0\0MM\0*GPS 55.7089 12.5954".utf8))

    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count + 2
        let head: [UInt8] = [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)]
        return head + content
    }

    static func frame(width: Int = 64, height: Int = 48, marker: UInt8 = 0xC0, components: Int = 3) -> [UInt8] {
        var content: [UInt8] = [8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
        content.append(UInt8(components))
        for component in 1...components {
            let part: [UInt8] = component == 1 ? [1, 0x22, 0] : [UInt8(component), 0x11, 1]
            content += part
        }
        return segment(marker, content)
    }

    /// A scan with coded data, in which 0xFF is stuffed and a restart occurs.
    static func scan() -> [UInt8] {
        let coded: [UInt8] = [0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56]
        return segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0]) + coded
    }

    /// - Parameter metadata: segments before the frame.
    static func jpeg(metadata: [UInt8] = [], frame: [UInt8] = SampleImage.frame(), scans: Int = 1) -> [UInt8] {
        var bytes = start + metadata + quantization
        bytes += frame
        bytes += huffman
        for _ in 0..<scans { bytes += scan() }
        return bytes + end
    }

    // MARK: PNG

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func number(_ value: Int) -> [UInt8] {
        [UInt8(value >> 24 & 255), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    static func chunk(_ type: String, _ content: [UInt8] = []) -> [UInt8] {
        let checked = Array(type.utf8) + content
        return number(content.count) + checked + number(Int(Deflate.checksum(checked[...])))
    }

    static func header(
        width: Int = 64, height: Int = 48, depth: UInt8 = 8, colour: UInt8 = 2, interlace: UInt8 = 0
    ) -> [UInt8] {
        let rest: [UInt8] = [depth, colour, 0, 0, interlace]
        return chunk("IHDR", number(width) + number(height) + rest)
    }

    /// A black picture of 64 by 48 pixels, its pixels in two chunks.
    ///
    /// - Parameters:
    ///   - samples: bytes of a pixel.
    ///   - extra: chunks between the header and the pixels.
    ///   - pixels: zlib's frame.
    static func png(
        header: [UInt8] = SampleImage.header(), samples: Int = 3, extra: [UInt8] = [], pixels: [UInt8]? = nil
    ) -> [UInt8] {
        let pixels = pixels ?? PackedZeros.zlib(count: 48 * (1 + 64 * samples))
        var bytes = signature + header + extra
        bytes += chunk("IDAT", Array(pixels.prefix(5)))
        bytes += chunk("IDAT", Array(pixels.dropFirst(5)))
        return bytes + chunk("IEND")
    }
}
