/// A directory of a PMTiles file: which tiles are where, by ascending number.
struct TileDirectory: Sendable {
    /// The largest directory that is read, in bytes, packed and unpacked.
    static let bytesMax = 1_024 * 1_024

    /// Tiles in a row with the same image, or a leaf directory from a tile on.
    struct Entry: Sendable {
        let number: Int
        /// The count of tiles; 0 for a leaf directory.
        let run: Int
        /// In the part of the file that has images, or in the one that has leaf directories.
        let offset: Int
        let length: Int

        var isLeaf: Bool { run == 0 }
    }

    private let entries: [Entry]
    var count: Int { entries.count }

    /// - Parameter bytes: unpacked.
    /// - Throws: ``TileArchive/Fault``.
    init(_ bytes: [UInt8]) throws {
        var reader = VarintReader(bytes)
        let count = try reader.next()
        // An entry has four bytes at least: a larger count is refused before memory is reserved for it.
        guard count > 0, count <= bytes.count / 4 else {
            throw TileArchive.Fault(
                description: "has a directory of \(bytes.count) bytes that counts \(count) entries")
        }
        var numbers: [Int] = []
        numbers.reserveCapacity(count)
        for index in 0..<count {
            let step = try reader.next()
            let (number, overflows) = (numbers.last ?? 0).addingReportingOverflow(step)
            guard !overflows, step > 0 || index == 0 else {
                throw TileArchive.Fault(description: "has a directory whose tiles do not ascend")
            }
            numbers.append(number)
        }
        let runs = try (0..<count).map { _ in try reader.next() }
        let lengths = try (0..<count).map { _ in try reader.next() }
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        for index in 0..<count {
            let code = try reader.next()
            var offset = code - 1
            if code == 0 {
                let (next, overflows) = (entries.last?.offset ?? 0).addingReportingOverflow(entries.last?.length ?? 0)
                guard index > 0, !overflows else {
                    throw TileArchive.Fault(description: "has a directory without its first offset")
                }
                offset = next
            }
            guard lengths[index] > 0 else {
                throw TileArchive.Fault(description: "has a directory with an empty entry")
            }
            entries.append(Entry(number: numbers[index], run: runs[index], offset: offset, length: lengths[index]))
        }
        self.entries = entries
    }

    /// The entry that has a tile, or the leaf directory that may have it; nil for a tile that the file has not.
    func entry(of number: Int) -> Entry? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let entry = entries[low - 1]
        return entry.isLeaf || number - entry.number < entry.run ? entry : nil
    }
}

/// Reads whole numbers of 7 bits a byte, lowest first, as directories have them.
private struct VarintReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() throws -> Int {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard place < bytes.count else { throw TileArchive.Fault(description: "has a directory that ends early") }
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return Int(value) }
        }
        throw TileArchive.Fault(description: "has a directory with a number of more than 63 bits")
    }
}
