/// The penalty of a code's mask: lower is easier to read (ISO/IEC 18004 section 7.8.3, table 11).
extension QRMatrix {
    var penalty: Int {
        let lines = (0..<size).flatMap { index in
            [(0..<size).map { self[$0, index] }, (0..<size).map { self[index, $0] }]
        }
        return lines.reduce(0) { $0 + Self.runs($1) + Self.finderLikes($1) } + blocks + imbalance
    }

    /// Three for five squares alike in a row, one for each more.
    private static func runs(_ line: [Bool]) -> Int {
        var penalty = 0
        var length = 0
        for (index, isDark) in line.enumerated() {
            length = index > 0 && line[index - 1] == isDark ? length + 1 : 1
            if length == 5 { penalty += 3 } else if length > 5 { penalty += 1 }
        }
        return penalty
    }

    /// Forty for each 1:1:3:1:1 with four light modules before or after it, which resembles a finder pattern.
    ///
    /// Modules outside of the code count as light.
    private static func finderLikes(_ line: [Bool]) -> Int {
        let light = Array(repeating: false, count: 4)
        let padded = light + line + light
        let core = [true, false, true, true, true, false, true]
        var penalty = 0
        for start in 4...(padded.count - 4 - core.count) where Array(padded[start..<start + core.count]) == core {
            if !padded[start - 4..<start].contains(true) { penalty += 40 }
            let end = start + core.count
            if !padded[end..<end + 4].contains(true) { penalty += 40 }
        }
        return penalty
    }

    /// Three for each two by two alike.
    private var blocks: Int {
        var penalty = 0
        for y in 0..<size - 1 {
            for x in 0..<size - 1
            where self[x, y] == self[x + 1, y] && self[x, y] == self[x, y + 1] && self[x, y] == self[x + 1, y + 1] {
                penalty += 3
            }
        }
        return penalty
    }

    /// Ten for each whole five per cent by which dark and light are apart from half and half.
    private var imbalance: Int {
        let total = size * size
        let dark = (0..<total).count { self[$0 % size, $0 / size] }
        return abs(dark * 20 - total * 10) / total * 10
    }
}
