import Foundation
import SeededRandom
import Testing

@testable import Doorstep

@Suite("QR codes")
struct QRCodeTests {
    /// Annex I of ISO/IEC 18004: the data of its example symbol, version 1 at level M, and the codewords that correct it.
    @Test("Correction codewords are those of the standard's example")
    func standardExample() {
        let data: [UInt8] = [
            0x10, 0x20, 0x0C, 0x56, 0x61, 0x80, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11,
        ]
        #expect(
            ReedSolomon(degree: 10).remainder(of: data) == [
                0xA5, 0x24, 0xD4, 0xC1, 0xED, 0x36, 0xC7, 0x87, 0x2C, 0x55,
            ])
    }

    @Test("A codeword is zero at every root of its generator", arguments: [7, 10, 18, 26, 30])
    func roots(degree: Int) {
        var random = SeededGenerator(seed: UInt64(degree))
        let data = (0..<100).map { _ in UInt8.random(in: 0...255, using: &random) }
        let word = data + ReedSolomon(degree: degree).remainder(of: data)
        var root: UInt8 = 1
        for _ in 0..<degree {
            #expect(word.reduce(UInt8(0)) { ReedSolomon.product($0, root) ^ $1 } == 0)
            root = ReedSolomon.product(root, 2)
        }
    }

    /// Table 7 of ISO/IEC 18004, byte mode.
    @Test(
        "Capacities are those of the standard",
        arguments: [
            (1, 17, 14), (2, 32, 26), (6, 134, 106), (7, 154, 122), (9, 230, 180), (10, 271, 213), (20, 858, 666),
            (26, 1_367, 1_059), (27, 1_465, 1_125), (32, 1_952, 1_538), (40, 2_953, 2_331),
        ] as [(Int, Int, Int)])
    func capacities(version: Int, low: Int, medium: Int) {
        #expect(QRVersion.all(.low)[version - 1].bytesMax == low)
        #expect(QRVersion.all(.medium)[version - 1].bytesMax == medium)
    }

    /// Annex E of ISO/IEC 18004.
    @Test(
        "Alignment patterns are where the standard has them",
        arguments: [
            (1, []), (2, [6, 18]), (6, [6, 34]), (7, [6, 22, 38]), (14, [6, 26, 46, 66]), (22, [6, 26, 50, 74, 98]),
            (32, [6, 34, 60, 86, 112, 138]), (36, [6, 24, 50, 76, 102, 128, 154]),
            (39, [6, 26, 54, 82, 110, 138, 166]),
            (40, [6, 30, 58, 86, 114, 142, 170]),
        ] as [(Int, [Int])])
    func alignments(version: Int, centers: [Int]) {
        #expect(QRVersion.all(.low)[version - 1].alignments == centers)
    }

    @Test("A whole code, square by square")
    func whole() throws {
        let code = try #require(QRCode(Array("doorstep".utf8), correction: .medium, mask: 3))
        let rows = (0..<code.size).map { y in
            String((0..<code.size).map { x in code.isDark(x: x, y: y) ? "#" as Character : "." })
        }
        #expect(code.version == 1 && rows == Self.doorstep)
    }

    /// As another encoder (qrcode 8 for Python) draws the same bytes at the same version, level and mask.
    private static let doorstep = [
        "#######.##.##.#######",
        "#.....#.#..#..#.....#",
        "#.###.#....##.#.###.#",
        "#.###.#.####..#.###.#",
        "#.###.#.......#.###.#",
        "#.....#..#....#.....#",
        "#######.#.#.#.#######",
        "........###..........",
        "#.##.###..#...#..#.##",
        "....##.#....#...##..#",
        ".#.####...#.#.##..###",
        "##..#....#..##.###.#.",
        "##...###.###.......#.",
        "........##...#..#.#..",
        "#######.##...######..",
        "#.....#.#..#####.##..",
        "#.###.#..###..##..#..",
        "#.###.#.##...#.#...#.",
        "#.###.#.##.#.#.......",
        "#.....#....##.###...#",
        "#######.#.###...###..",
    ]

    /// FNV-1a over the squares as the same other encoder draws them, mask 5.
    @Test(
        "Larger codes are the same square by square, with alignment patterns, version and blocks of two lengths",
        arguments: [
            (2, .low, 30, 0x1CBCB80230E8F42E),
            (7, .low, 150, 0x0B7EBA712EB86A79),
            (10, .medium, 210, 0x33858C2C05FEB15D),
            (21, .low, 900, 0x7B5AC0FDFB892706),
            (32, .medium, 1_500, 0xB244232E6BF362FA),
            (40, .medium, 2_300, 0xDE96EF25817B3319),
        ] as [(Int, QRCode.Correction, Int, UInt64)])
    func larger(version: Int, correction: QRCode.Correction, bytes: Int, hash: UInt64) throws {
        let text = (0..<bytes).map { UInt8(($0 * 7 + 3) % 94 + 33) }
        let code = try #require(QRCode(text, correction: correction, mask: 5))
        let squares = (0..<code.size).flatMap { y in (0..<code.size).map { x in code.isDark(x: x, y: y) } }
        let drawn = squares.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ ($1 ? 1 : 0)) &* 0x0000_0100_0000_01b3 }
        #expect(code.version == version && drawn == hash)
    }

    @Test(
        "The format's fifteen bits are the standard's for each level and mask",
        arguments: [
            (.low, 0, 0b111_0111_1100_0100), (.low, 7, 0b110_1001_0111_0110),
            (.medium, 0, 0b101_0100_0001_0010), (.medium, 5, 0b100_0000_1100_1110),
        ] as [(QRCode.Correction, Int, Int)])
    func format(correction: QRCode.Correction, mask: Int, bits: Int) throws {
        let code = try #require(QRCode(Array("x".utf8), correction: correction, mask: mask))
        // Along the first copy: up the column right of the finder, then along the row below it (figure 25).
        let places =
            [(8, 0), (8, 1), (8, 2), (8, 3), (8, 4), (8, 5), (8, 7), (8, 8), (7, 8)]
            + [(5, 8), (4, 8), (3, 8), (2, 8), (1, 8), (0, 8)]
        let drawn = places.enumerated().reduce(0) {
            $0 | (code.isDark(x: $1.element.0, y: $1.element.1) ? 1 << $1.offset : 0)
        }
        #expect(drawn == bits)
    }

    @Test(
        "The smallest version that holds the bytes is taken, and what none holds is no code",
        arguments: [
            (0, 1), (17, 1), (18, 2), (271, 10), (272, 11), (2_953, 40),
        ] as [(Int, Int)])
    func smallest(bytes: Int, version: Int) {
        #expect(QRCode(Array(repeating: 65, count: bytes), correction: .low)?.version == version)
        #expect(QRCode(Array(repeating: 65, count: 2_954), correction: .low) == nil)
    }

    @Test("The mask that is chosen is the one that reads best")
    func bestMask() throws {
        let bytes = Array("https://couriers.example.com/ingest/traccar?id=dp0".utf8)
        let chosen = try #require(QRCode(bytes, correction: .low))
        #expect(chosen == QRCode(bytes, correction: .low, mask: chosen.mask))
        #expect(Set((0..<8).map { QRCode(bytes, correction: .low, mask: $0) }).count == 8)
    }

    @Test("Drawn, each line is as wide as the code with its border, and light on dark is dark on light turned over")
    func drawing() throws {
        let code = try #require(QRCode(Array("doorstep".utf8)))
        let dark = QRDrawing(code: code).lines
        let light = QRDrawing(code: code, isOnLight: true).lines
        #expect(dark.count == (code.size + 8 + 1) / 2)
        #expect(dark.allSatisfy { $0.count == code.size + 8 })
        // Two rows of border above.
        #expect(dark[0].allSatisfy { $0 == "█" } && light[0].allSatisfy { $0 == " " })
        let turned: [Character: Character] = ["█": " ", " ": "█", "▀": "▄", "▄": "▀"]
        for (one, other) in zip(dark.dropLast(), light) { #expect(String(one.compactMap { turned[$0] }) == other) }
    }
}
