/// The four digits by which a customer proves themselves at the door.
///
/// Its descriptions have no digit, so that none gets into a log.
struct CustomerPIN: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    static let digitsCount = 4

    let digits: String

    /// - Parameter text: as a person entered it; nil where it is not four digits, which is no attempt.
    init?(_ text: String) {
        let digits = text.filter { !$0.isWhitespace }
        guard digits.utf8.count == Self.digitsCount, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        self.digits = digits
    }

    private init(unchecked digits: String) { self.digits = digits }

    /// A new one, each of the 10,000 as likely as any other.
    static func make(using random: inout some RandomNumberGenerator) -> CustomerPIN {
        CustomerPIN(
            unchecked: (0..<digitsCount).map { _ in String(UInt8.random(in: 0...9, using: &random)) }.joined())
    }

    /// Whether both are the same, in a time that depends on neither.
    func isSame(as other: CustomerPIN) -> Bool {
        zip(digits.utf8, other.digits.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    var description: String { "a PIN" }
    var debugDescription: String { description }
}
