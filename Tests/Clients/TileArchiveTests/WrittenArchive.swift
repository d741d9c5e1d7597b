import Foundation

@testable import TileArchive

/// A PMTiles file as a test writes it, part by part, so that each part can be wrong.
struct WrittenArchive {
    struct Entry {
        var number: Int
        var run = 1
        var offset: Int
        var length: Int
    }

    var root: [UInt8]
    var metadata = Array(#"{"attribution": "<b>Sample</b> &amp; Sons"}"#.utf8)
    var leaves: [UInt8] = []
    var images: [UInt8] = []
    /// The bytes of the header by their places, written last.
    var changes: [Int: UInt8] = [:]

    /// Zooms 0 to 2 with an image of one byte each: the zoom.
    static var threeZooms: WrittenArchive {
        WrittenArchive(
            root: directory([
                Entry(number: 0, offset: 0, length: 1), Entry(number: 1, run: 4, offset: 1, length: 1),
                Entry(number: 5, run: 16, offset: 2, length: 1),
            ]), images: [0, 1, 2])
    }

    /// The same behind one leaf directory.
    static var withLeaf: WrittenArchive {
        var archive = threeZooms
        archive.leaves = archive.root
        archive.root = directory([Entry(number: 0, run: 0, offset: 0, length: archive.leaves.count)])
        return archive
    }

    static func varint(_ number: UInt64) -> [UInt8] {
        var (rest, bytes) = (number, [UInt8]())
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    static func directory(_ entries: [Entry]) -> [UInt8] {
        var former = 0
        var bytes = varint(UInt64(entries.count))
        for entry in entries {
            bytes += varint(UInt64(entry.number - former))
            former = entry.number
        }
        for entry in entries { bytes += varint(UInt64(entry.run)) }
        for entry in entries { bytes += varint(UInt64(entry.length)) }
        for entry in entries { bytes += varint(UInt64(entry.offset + 1)) }
        return bytes
    }

    var bytes: [UInt8] {
        var header = Array("PMTiles".utf8) + [3]
        var place = TileHeader.bytes
        for part in [root, metadata, leaves, images] {
            header += Self.littleEndian(UInt64(place), bytes: 8) + Self.littleEndian(UInt64(part.count), bytes: 8)
            place += part.count
        }
        header += [UInt8](repeating: 0, count: 24)
        // Clustered; neither directories nor images are compressed; PNG; zooms 0 to 2.
        header += [1, 1, 1, 2, 0, 2]
        for degrees in [12.5, 55.6, 12.7, 55.75] {
            let number = UInt32(bitPattern: Int32((degrees * 10_000_000).rounded()))
            header += Self.littleEndian(UInt64(number), bytes: 4)
        }
        header += [UInt8](repeating: 0, count: TileHeader.bytes - header.count)
        for (place, byte) in changes { header[place] = byte }
        return header + root + metadata + leaves + images
    }

    private static func littleEndian(_ number: UInt64, bytes count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }

    /// Opens the file's bytes, from a file that is deleted again.
    static func open(_ bytes: [UInt8]) throws -> TileArchive {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pmtiles")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }  // The test does not depend on it.
        return try TileArchive(path: file.path)
    }

    func open() throws -> TileArchive { try Self.open(bytes) }
}
