/// A QR version at one correction level: the number of its codewords and blocks.
struct QRVersion: Hashable, Sendable {
    /// 1 to 40.
    let number: Int
    private let correctionPerBlock: Int
    private let blocks: Int

    /// ISO/IEC 18004 table 9: correction codewords of each block, and blocks, by version.
    private static let low: [(perBlock: Int, blocks: Int)] = [
        (7, 1), (10, 1), (15, 1), (20, 1), (26, 1), (18, 2), (20, 2), (24, 2), (30, 2), (18, 4), (20, 4), (24, 4),
        (26, 4), (30, 4), (22, 6), (24, 6), (28, 6), (30, 6), (28, 7), (28, 8), (28, 8), (28, 9), (30, 9), (30, 10),
        (26, 12), (28, 12), (30, 12), (30, 13), (30, 14), (30, 15), (30, 16), (30, 17), (30, 18), (30, 19), (30, 19),
        (30, 20), (30, 21), (30, 22), (30, 24), (30, 25),
    ]
    private static let medium: [(perBlock: Int, blocks: Int)] = [
        (10, 1), (16, 1), (26, 1), (18, 2), (24, 2), (16, 4), (18, 4), (22, 4), (22, 5), (26, 5), (30, 5), (22, 8),
        (22, 9), (24, 9), (24, 10), (28, 10), (28, 11), (26, 13), (26, 14), (26, 16), (26, 17), (28, 17), (28, 18),
        (28, 20), (28, 21), (28, 23), (28, 25), (28, 26), (28, 28), (28, 29), (28, 31), (28, 33), (28, 35), (28, 37),
        (28, 38), (28, 40), (28, 43), (28, 45), (28, 47), (28, 49),
    ]

    /// Smallest first.
    static func all(_ correction: QRCode.Correction) -> [QRVersion] {
        let table =
            switch correction {
            case .low: low
            case .medium: medium
            }
        return table.enumerated().map {
            QRVersion(number: $0.offset + 1, correctionPerBlock: $0.element.perBlock, blocks: $0.element.blocks)
        }
    }

    var size: Int { 17 + 4 * number }

    /// Centres of alignment patterns along one side (annex E): from 6 to the end, evenly spaced by an even number.
    var alignments: [Int] {
        guard number > 1 else { return [] }
        let count = number / 7 + 2
        // Rounded up to an even step; version 32 alone departs from the rule.
        let step = number == 32 ? 26 : (number * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<count - 1).reversed().map { size - 7 - $0 * step }
    }

    /// Modules that carry bits, after finders, timing, alignment, format and version.
    var dataModules: Int {
        var modules = (16 * number + 128) * number + 64
        if number >= 2 {
            let count = number / 7 + 2
            modules -= (25 * count - 10) * count - 55
            if number >= 7 { modules -= 36 }
        }
        return modules
    }

    private var codewordsTotal: Int { dataModules / 8 }
    private var dataCodewords: Int { codewordsTotal - correctionPerBlock * blocks }
    /// Bits of the count of bytes (table 3).
    private var countBits: Int { number < 10 ? 8 : 16 }

    /// Bytes that it holds.
    var bytesMax: Int { (dataCodewords * 8 - 4 - countBits) / 8 }

    /// The bytes with mode, count, padding and correction, in the order in which they are placed (sections 7.4 to 7.6).
    ///
    /// - Precondition: there are at most ``bytesMax``.
    func codewords(of bytes: [UInt8]) -> [UInt8] {
        var bits = QRBits()
        bits.append(0b0100, count: 4)
        bits.append(bytes.count, count: countBits)
        for byte in bytes { bits.append(Int(byte), count: 8) }
        // A terminator of four zeros, as far as there is room, and zeros to the end of the byte.
        bits.append(0, count: min(4, dataCodewords * 8 - bits.count))
        var data = bits.bytes
        for index in 0..<dataCodewords - data.count { data.append(index.isMultiple(of: 2) ? 0xEC : 0x11) }
        return interleaved(data)
    }

    private func interleaved(_ data: [UInt8]) -> [UInt8] {
        let code = ReedSolomon(degree: correctionPerBlock)
        let short = dataCodewords / blocks
        let longFrom = blocks - dataCodewords % blocks
        var parts: [(data: ArraySlice<UInt8>, correction: [UInt8])] = []
        var start = 0
        for block in 0..<blocks {
            let part = data[start..<start + short + (block >= longFrom ? 1 : 0)]
            parts.append((part, code.remainder(of: part)))
            start = part.endIndex
        }
        var result: [UInt8] = []
        result.reserveCapacity(codewordsTotal)
        for index in 0...short {
            for part in parts where index < part.data.count { result.append(part.data[part.data.startIndex + index]) }
        }
        for index in 0..<correctionPerBlock { for part in parts { result.append(part.correction[index]) } }
        return result
    }
}

/// Bits in the order in which they are read.
struct QRBits {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    /// Appends the lowest `count` bits of a number, the highest of them first.
    mutating func append(_ number: Int, count bits: Int) {
        for shift in (0..<bits).reversed() {
            if count.isMultiple(of: 8) { bytes.append(0) }
            if number >> shift & 1 == 1 { bytes[count / 8] |= 0x80 >> UInt8(count % 8) }
            count += 1
        }
    }
}
