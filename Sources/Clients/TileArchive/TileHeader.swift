/// The first 127 bytes of a PMTiles file: where its parts are, what its images are, and what area they show.
package struct TileHeader: Hashable, Sendable {
    static let bytes = 127
    /// The zoom above which numbers of tiles do not fit a signed integer of 64 bits.
    static let zoomMax = 30

    /// A part of the file, within its size.
    struct Extent: Hashable, Sendable {
        let offset: Int
        let length: Int

        /// A part of this part.
        ///
        /// - Throws: ``TileArchive/Fault`` where it reaches beyond.
        func part(_ offset: Int, _ length: Int) throws -> Extent {
            guard offset >= 0, length >= 0, offset <= self.length, length <= self.length - offset else {
                throw TileArchive.Fault(description: "has a directory that leads beyond the file's parts")
            }
            return Extent(offset: self.offset + offset, length: length)
        }
    }

    /// The compression of directories and metadata.
    enum Compression: Hashable, Sendable { case none, gzip }

    /// The kinds of images that browsers draw.
    package enum ImageType: String, Hashable, Sendable {
        case png = "image/png"
        case jpeg = "image/jpeg"
        case webP = "image/webp"
        case avif = "image/avif"
    }

    /// Degrees of the earth.
    package struct Bounds: Hashable, Sendable {
        package let south: Double
        package let west: Double
        package let north: Double
        package let east: Double
    }

    let root: Extent
    let metadata: Extent
    let leaves: Extent
    let images: Extent
    let compression: Compression
    package let imageType: ImageType
    package let zooms: ClosedRange<Int>
    package let bounds: Bounds

    /// - Parameter fileBytes: the size of the whole file.
    /// - Throws: ``TileArchive/Fault``.
    init(_ bytes: [UInt8], of fileBytes: Int) throws {
        guard bytes.count >= 8, bytes.starts(with: Array("PMTiles".utf8)) else {
            throw TileArchive.Fault(description: "is no PMTiles file")
        }
        guard bytes[7] == 3 else {
            throw TileArchive.Fault(description: "is PMTiles of version \(bytes[7]); the desk reads version 3")
        }
        guard bytes.count >= Self.bytes else { throw TileArchive.Fault(description: "ends within its header") }

        func integer(_ place: Int, bytes count: Int) -> UInt64 {
            var value: UInt64 = 0
            for byte in bytes[place..<(place + count)].reversed() { value = value << 8 | UInt64(byte) }
            return value
        }
        func extent(_ place: Int, _ name: String) throws -> Extent {
            let whole = Extent(offset: 0, length: fileBytes)
            // `part` has one error, and the one below names what reaches beyond.
            guard let offset = Int(exactly: integer(place, bytes: 8)),
                let length = Int(exactly: integer(place + 8, bytes: 8)), let part = try? whole.part(offset, length)
            else { throw TileArchive.Fault(description: "ends before its \(name) does") }
            return part
        }
        func degrees(_ place: Int) -> Double {
            Double(Int32(truncatingIfNeeded: integer(place, bytes: 4))) / 10_000_000
        }

        root = try extent(8, "root directory")
        metadata = try extent(24, "metadata")
        leaves = try extent(40, "leaf directories")
        images = try extent(56, "images")
        guard root.length <= TileDirectory.bytesMax, metadata.length <= TileArchive.metadataBytesMax else {
            throw TileArchive.Fault(description: "has a root directory or metadata of more than a mebibyte")
        }
        compression = try Self.compression(bytes[97])
        guard bytes[98] <= 1 else { throw TileArchive.Fault(description: "has images that are compressed once more") }
        imageType = try Self.imageType(bytes[99])
        let (least, most) = (Int(bytes[100]), Int(bytes[101]))
        guard least <= most, most <= Self.zoomMax else {
            throw TileArchive.Fault(description: "has zooms from \(least) to \(most)")
        }
        zooms = least...most
        bounds = Bounds(south: degrees(106), west: degrees(102), north: degrees(114), east: degrees(110))
        guard -180 <= bounds.west, bounds.west <= bounds.east, bounds.east <= 180, -90 <= bounds.south,
            bounds.south <= bounds.north, bounds.north <= 90
        else { throw TileArchive.Fault(description: "has bounds that are not on earth") }
    }

    private static func compression(_ code: UInt8) throws -> Compression {
        switch code {
        case 1: return .none
        case 2: return .gzip
        default:
            throw TileArchive.Fault(
                description: "has directories of compression \(code); the desk reads none (1) and gzip (2)")
        }
    }

    private static func imageType(_ code: UInt8) throws -> ImageType {
        switch code {
        case 2: return .png
        case 3: return .jpeg
        case 4: return .webP
        case 5: return .avif
        case 1, 6:
            throw TileArchive.Fault(
                description: "has vector tiles; the desk draws images, so it needs tiles of PNG, JPEG, WebP or AVIF")
        default: throw TileArchive.Fault(description: "has tiles of an unknown kind (\(code))")
        }
    }
}
