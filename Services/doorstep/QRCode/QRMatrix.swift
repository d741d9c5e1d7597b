/// The squares of a code while it is drawn.
struct QRMatrix: Hashable, Sendable {
    let size: Int
    private var dark: [Bool]
    /// Whether a square belongs to a pattern rather than to the data.
    private var isFixed: [Bool]

    /// A code with its patterns, and no data yet.
    init(version: QRVersion) {
        size = version.size
        dark = Array(repeating: false, count: size * size)
        isFixed = dark
        drawTiming()
        drawFinders()
        drawAlignments(version.alignments)
        reserveFormat()
        drawVersion(version.number)
    }

    subscript(x: Int, y: Int) -> Bool { dark[y * size + x] }

    private mutating func fix(_ x: Int, _ y: Int, _ isDark: Bool) {
        dark[y * size + x] = isDark
        isFixed[y * size + x] = true
    }

    // MARK: Patterns

    private mutating func drawTiming() {
        for index in 0..<size {
            fix(6, index, index.isMultiple(of: 2))
            fix(index, 6, index.isMultiple(of: 2))
        }
    }

    /// Three of them, each with its light border.
    private mutating func drawFinders() {
        for (centerX, centerY) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            for y in max(0, centerY - 4)...min(size - 1, centerY + 4) {
                for x in max(0, centerX - 4)...min(size - 1, centerX + 4) {
                    let ring = max(abs(x - centerX), abs(y - centerY))
                    fix(x, y, ring != 2 && ring != 4)
                }
            }
        }
    }

    private mutating func drawAlignments(_ centers: [Int]) {
        guard let last = centers.last else { return }
        for centerY in centers {
            for centerX in centers {
                // Where a finder is, there is none.
                if isFinder(centerX, centerY, last) { continue }
                for y in centerY - 2...centerY + 2 {
                    for x in centerX - 2...centerX + 2 {
                        fix(x, y, max(abs(x - centerX), abs(y - centerY)) != 1)
                    }
                }
            }
        }
    }

    private func isFinder(_ x: Int, _ y: Int, _ last: Int) -> Bool {
        (x == 6 && y == 6) || (x == 6 && y == last) || (x == last && y == 6)
    }

    private mutating func reserveFormat() { drawFormatBits(0) }

    /// Level and mask with ten bits that correct them, twice (section 7.9).
    mutating func drawFormat(_ correction: QRCode.Correction, mask: Int) {
        let data = correction.formatBits << 3 | mask
        drawFormatBits((data << 10 | Self.remainder(of: data, by: 0x537, bits: 10)) ^ 0x5412)
    }

    private mutating func drawFormatBits(_ bits: Int) {
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0...5 { fix(8, index, bit(index)) }
        fix(8, 7, bit(6))
        fix(8, 8, bit(7))
        fix(7, 8, bit(8))
        for index in 9..<15 { fix(14 - index, 8, bit(index)) }
        for index in 0..<8 { fix(size - 1 - index, 8, bit(index)) }
        for index in 8..<15 { fix(8, size - 15 + index, bit(index)) }
        fix(8, size - 8, true)
    }

    /// The version with twelve bits that correct it, twice, from version 7 on (section 7.10).
    private mutating func drawVersion(_ number: Int) {
        guard number >= 7 else { return }
        let bits = number << 12 | Self.remainder(of: number, by: 0x1F25, bits: 12)
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            fix(size - 11 + index % 3, index / 3, isDark)
            fix(index / 3, size - 11 + index % 3, isDark)
        }
    }

    /// The remainder of a polynomial over GF(2), shifted by `bits`.
    private static func remainder(of data: Int, by generator: Int, bits: Int) -> Int {
        var rest = data
        for _ in 0..<bits { rest = rest << 1 ^ (rest >> (bits - 1)) * generator }
        return rest
    }

    // MARK: Data

    /// Fills the codewords in, two columns at a time from the right, up and down in turn (section 7.7.3).
    mutating func place(_ codewords: [UInt8]) {
        var index = 0
        var right = size - 1
        var isUpward = true
        while right >= 1 {
            // The column of the timing pattern is skipped.
            if right == 6 { right = 5 }
            for step in 0..<size {
                let y = isUpward ? size - 1 - step : step
                for x in [right, right - 1] where !isFixed[y * size + x] && index < codewords.count * 8 {
                    dark[y * size + x] = codewords[index / 8] >> UInt8(7 - index % 8) & 1 == 1
                    index += 1
                }
            }
            right -= 2
            isUpward.toggle()
        }
    }

    /// Turns over every square of the data for which the mask's condition holds (section 7.8.2, table 10).
    mutating func apply(mask: Int) {
        for y in 0..<size {
            for x in 0..<size where !isFixed[y * size + x] && Self.isTurned(mask, x, y) { dark[y * size + x].toggle() }
        }
    }

    private static func isTurned(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y).isMultiple(of: 2)
        case 1: y.isMultiple(of: 2)
        case 2: x.isMultiple(of: 3)
        case 3: (x + y).isMultiple(of: 3)
        case 4: (x / 3 + y / 2).isMultiple(of: 2)
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3).isMultiple(of: 2)
        default: ((x + y) % 2 + x * y % 3).isMultiple(of: 2)
        }
    }
}
