internal import Deflate
internal import Foundation
internal import Synchronization

/// Map images by zoom, column and row, out of one file in the format PMTiles, version 3.
///
/// It keeps the root directory and a few leaf directories in memory, and reads each image from the file when it is
/// asked for. A file that was made to mislead costs a ``Fault``, a bounded part of memory and four reads.
///
/// - Source: the PMTiles specification, version 3.
package final class TileArchive: Sendable {
    /// Why a file is rejected.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// The largest image that is served, in bytes.
    static let imageBytesMax = 2 * 1_024 * 1_024
    /// The largest metadata that is read, in bytes once unpacked.
    static let metadataBytesMax = 1_024 * 1_024
    /// Leaf directories between the root and an image; writers make one level.
    private static let leavesMax = 3
    /// Entries of leaf directories in memory, of 32 bytes each.
    private static let keptEntriesMax = 524_288

    package let header: TileHeader
    /// The makers of the images, as plain text; nil where the metadata names none.
    package let attribution: String?
    /// A text that differs for a file with other images: it has the size and the time of the last change in it.
    package let version: String

    private let file: ArchiveFile
    private let root: TileDirectory
    private let leaves = Mutex<[TileHeader.Extent: TileDirectory]>([:])

    private struct Metadata: Decodable { let attribution: String? }

    /// Opens a file, and reads its header, root directory and metadata.
    ///
    /// - Throws: ``Fault``, whose text follows a file's name: `has vector tiles …`.
    package init(path: String) throws {
        file = try ArchiveFile(path: path)
        version = file.version
        header = try TileHeader(file.read(.init(offset: 0, length: min(file.bytes, TileHeader.bytes))), of: file.bytes)
        root = try TileDirectory(
            Self.unpacked(file.read(header.root), header.compression, bytesMax: TileDirectory.bytesMax))
        var attribution: String?
        if header.metadata.length > 0 {
            let text = try Self.unpacked(
                file.read(header.metadata), header.compression, bytesMax: Self.metadataBytesMax)
            do {
                attribution = try JSONDecoder().decode(Metadata.self, from: Data(text)).attribution
            } catch {
                throw Fault(description: "has metadata that is no JSON object")
            }
        }
        self.attribution = attribution.flatMap { PlainText.ofMarkup($0) }
    }

    /// Reads an image; nil where the file has none there.
    ///
    /// It blocks for the time of at most four reads.
    ///
    /// - Throws: ``Fault`` for a file that contradicts itself or was cut short since it was opened.
    package func image(zoom: Int, column: Int, row: Int) throws -> [UInt8]? {
        guard header.zooms.contains(zoom), let number = TileNumber.of(zoom: zoom, column: column, row: row) else {
            return nil
        }
        var directory = root
        for _ in 0...Self.leavesMax {
            guard let entry = directory.entry(of: number) else { return nil }
            guard entry.isLeaf else {
                guard entry.length <= Self.imageBytesMax else {
                    throw Fault(description: "has an image of \(entry.length) bytes")
                }
                return try file.read(header.images.part(entry.offset, entry.length))
            }
            directory = try leaf(at: header.leaves.part(entry.offset, entry.length))
        }
        throw Fault(description: "has leaf directories in more than \(Self.leavesMax) levels")
    }

    private func leaf(at extent: TileHeader.Extent) throws -> TileDirectory {
        if let kept = leaves.withLock({ $0[extent] }) { return kept }
        guard extent.length <= TileDirectory.bytesMax else {
            throw Fault(description: "has a leaf directory of \(extent.length) bytes")
        }
        let directory = try TileDirectory(
            Self.unpacked(file.read(extent), header.compression, bytesMax: TileDirectory.bytesMax))
        leaves.withLock { leaves in
            let kept = leaves.values.reduce(0) { $0 + $1.count }
            if kept + directory.count > Self.keptEntriesMax { leaves.removeAll() }
            leaves[extent] = directory
        }
        return directory
    }

    private static func unpacked(
        _ bytes: [UInt8], _ compression: TileHeader.Compression, bytesMax: Int
    ) throws -> [UInt8] {
        switch compression {
        case .none: return bytes
        case .gzip:
            guard let unpacked = Deflate.unpack(bytes, as: .gzip, bytesMax: bytesMax) else {
                throw Fault(description: "has a part that is no gzip of at most \(bytesMax) bytes")
            }
            return unpacked
        }
    }
}
