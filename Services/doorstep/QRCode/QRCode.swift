/// A QR code of bytes, as ISO/IEC 18004 describes Model 2: pure, text in and squares out.
///
/// Byte mode, versions 1 to 40, the smallest that holds the bytes.
struct QRCode: Hashable, Sendable {
    /// The share of the code that may be unreadable.
    enum Correction: Sendable, CaseIterable {
        /// About 7 %.
        case low
        /// About 15 %.
        case medium

        /// Section 7.9.1, table 12.
        var formatBits: Int {
            switch self {
            case .low: 0b01
            case .medium: 0b00
            }
        }
    }

    /// Light modules around the code, on each side (section 6.3.8).
    static let quietModules = 4

    /// 1 to 40; a code has 17 + 4 × version modules on each side.
    let version: Int
    let mask: Int
    private let matrix: QRMatrix

    var size: Int { matrix.size }

    /// The smallest code for the bytes; nil where they exceed every code.
    ///
    /// - Parameter mask: 0 to 7; nil for the most readable one.
    init?(_ bytes: [UInt8], correction: Correction = .medium, mask: Int? = nil) {
        let fitting = QRVersion.all(correction).first { $0.bytesMax >= bytes.count }
        guard let version = fitting else { return nil }
        let codewords = version.codewords(of: bytes)
        let candidates = (mask.map { [$0] } ?? Array(0..<8)).map { number in
            var matrix = QRMatrix(version: version)
            matrix.place(codewords)
            matrix.apply(mask: number)
            matrix.drawFormat(correction, mask: number)
            return (number: number, matrix: matrix)
        }
        // Of equals the first, so that one text makes one code.
        let penalties = candidates.map { $0.matrix.penalty }
        guard let least = penalties.min(), let index = penalties.firstIndex(of: least) else { return nil }
        self.version = version.number
        self.mask = candidates[index].number
        matrix = candidates[index].matrix
    }

    /// Whether a square is dark; everything outside is light.
    func isDark(x: Int, y: Int) -> Bool {
        (0..<size).contains(x) && (0..<size).contains(y) && matrix[x, y]
    }
}
