import Foundation
import SeededRandom
import Testing

@testable import TileArchive

@Suite("A file of map images")
struct TileArchiveTests {
    private static var sample: String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples/four-zooms.pmtiles").path
    }

    @Test("A file of another writer, with gzip, is read: its header, attribution and images")
    func sample() throws {
        let archive = try TileArchive(path: Self.sample)
        #expect(archive.header.imageType == .png && archive.header.zooms == 0...3)
        #expect(archive.header.bounds == .init(south: 55.6, west: 12.5, north: 55.75, east: 12.7))
        #expect(archive.attribution == "© Sample Mappers")
        let images = try (0...3).map { try #require(try archive.image(zoom: $0, column: 0, row: 0)) }
        #expect(Set(images).count == 4, "each zoom has a colour of its own")
        for (zoom, image) in images.enumerated() {
            #expect(image.starts(with: [0x89] + Array("PNG".utf8)))
            let last = (1 << zoom) - 1
            #expect(try archive.image(zoom: zoom, column: last, row: last) == image)
        }
        #expect(try archive.image(zoom: 4, column: 0, row: 0) == nil)
    }

    @Test("Tiles are numbered as the specification's examples and another implementation have it")
    func numbers() {
        let cases = [
            (0, 0, 0, 0), (1, 0, 0, 1), (1, 0, 1, 2), (1, 1, 1, 3), (1, 1, 0, 4), (12, 3_423, 1_763, 19_078_479),
            (16, 35_000, 20_500, 5_084_914_117),
            (30, 1_073_741_823, 1_073_741_823, 1_152_921_504_606_846_975),
        ]
        for (zoom, column, row, number) in cases {
            #expect(TileNumber.of(zoom: zoom, column: column, row: row) == number)
        }
        for (zoom, column, row) in [(0, 1, 0), (2, 4, 0), (2, 0, -1), (-1, 0, 0), (31, 0, 0), (64, 0, 0)] {
            #expect(TileNumber.of(zoom: zoom, column: column, row: row) == nil)
        }
    }

    @Test("Runs and leaf directories lead to the same images", arguments: [false, true])
    func runs(hasLeaf: Bool) throws {
        let archive = try (hasLeaf ? WrittenArchive.withLeaf : .threeZooms).open()
        for zoom in 0...2 {
            for column in 0..<(1 << zoom) {
                for row in 0..<(1 << zoom) {
                    #expect(try archive.image(zoom: zoom, column: column, row: row) == [UInt8(zoom)])
                }
            }
        }
        #expect(archive.attribution == "Sample & Sons")
    }

    @Test("A place that the file has no image of has none")
    func gaps() throws {
        var written = WrittenArchive.threeZooms
        written.root = WrittenArchive.directory([.init(number: 7, run: 2, offset: 0, length: 3)])
        let archive = try written.open()
        let found = try (0..<4).flatMap { column in
            try (0..<4).map { try archive.image(zoom: 2, column: column, row: $0) }
        }
        #expect(found.count { $0 == [0, 1, 2] } == 2 && found.count { $0 == nil } == 14)
        #expect(try archive.image(zoom: 0, column: 0, row: 0) == nil)
        #expect(try archive.image(zoom: 2, column: 4, row: 0) == nil)
    }

    @Test("An attribution is read as text: tags are left out, entities are letters")
    func attributions() {
        #expect(PlainText.ofMarkup("<a href=\"https://x.example\">&copy; OpenStreetMap</a>\n<br>") == "© OpenStreetMap")
        #expect(PlainText.ofMarkup("&amp;lt;b&amp;gt;") == "&lt;b&gt;")
        #expect(PlainText.ofMarkup("<b></b> ") == nil)
    }

    @Test(
        "A file that the desk cannot draw is refused with the reason",
        arguments: [
            ([99: 1], "has vector tiles; the desk draws images"), ([99: 6], "has vector tiles"),
            ([99: 0], "unknown kind (0)"), ([7: 2], "PMTiles of version 2"), ([0: 0x51], "is no PMTiles file"),
            ([97: 3], "compression 3"), ([98: 2], "compressed once more"), ([100: 3], "zooms from 3 to 2"),
            ([101: 31], "zooms from 0 to 31"), ([117: 0x7F], "not on earth"),
            ([15: 0xFF], "ends before its root directory"), ([23: 1], "ends before its root directory"),
            ([63: 0x7F], "ends before its images"), ([97: 2], "no gzip"),
        ] as [([Int: UInt8], String)])
    func refusals(changes: [Int: UInt8], reason: String) {
        var written = WrittenArchive.threeZooms
        written.changes = changes
        let fault = #expect(throws: TileArchive.Fault.self) { try written.open() }
        #expect(fault?.description.contains(reason) == true, "\(String(describing: fault))")
    }

    @Test("A path without a regular file is refused with the reason")
    func paths() {
        for path in ["/nowhere/streets.pmtiles", "/tmp", "/dev/null"] {
            let fault = #expect(throws: TileArchive.Fault.self) { try TileArchive(path: path) }
            #expect(fault?.description.hasPrefix("cannot be read: ") == true)
        }
    }

    @Test("A directory that counts more entries than it has bytes is refused before memory is reserved")
    func hugeCounts() {
        for count in [UInt64(1) << 20, 1 << 40, UInt64(Int.max), 0] {
            var written = WrittenArchive.threeZooms
            written.root.replaceSubrange(0..<1, with: WrittenArchive.varint(count))
            #expect(throws: TileArchive.Fault.self) { try written.open() }
        }
        #expect(throws: TileArchive.Fault.self) { try TileDirectory([UInt8](repeating: 0xFF, count: 64)) }
    }

    @Test("A leaf directory that leads to itself or beyond its part is refused when it is read")
    func misleadingLeaves() throws {
        var cyclic = WrittenArchive.withLeaf
        cyclic.leaves = WrittenArchive.directory([.init(number: 0, run: 0, offset: 0, length: 5)])
        #expect(cyclic.leaves.count == 5)
        cyclic.root = cyclic.leaves
        var outside = WrittenArchive.withLeaf
        outside.root = WrittenArchive.directory([.init(number: 0, run: 0, offset: 1 << 40, length: 5)])
        var image = WrittenArchive.threeZooms
        image.root = WrittenArchive.directory([.init(number: 0, offset: 2, length: 2)])
        for (written, reason) in [(cyclic, "3 levels"), (outside, "beyond"), (image, "beyond")] {
            let archive = try written.open()
            let fault = #expect(throws: TileArchive.Fault.self) {
                try archive.image(zoom: 0, column: 0, row: 0)
            }
            #expect(fault?.description.contains(reason) == true)
        }
    }

    @Test("A file that is cut short anywhere, or has any of its bits changed, is read or refused, and nothing else")
    func faultyBytes() throws {
        var generator = SeededGenerator(seed: 31)
        let sample = try [UInt8](Data(contentsOf: URL(filePath: Self.sample)))
        for whole in [sample, WrittenArchive.withLeaf.bytes] {
            var outcomes: [Bool] = []
            func open(_ bytes: [UInt8]) throws {
                do {
                    let archive = try WrittenArchive.open(bytes)
                    for zoom in 0...3 { _ = try archive.image(zoom: zoom, column: 0, row: 0) }
                    outcomes.append(true)
                } catch is TileArchive.Fault {
                    outcomes.append(false)
                }
            }
            for count in 0..<whole.count { try open(Array(whole.prefix(count))) }
            #expect(outcomes.allSatisfy { !$0 }, "the last byte is an image's")
            for _ in 0..<500 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let place = Int.random(in: 0..<bytes.count, using: &generator)
                    bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                }
                try open(bytes)
            }
        }
    }
}
