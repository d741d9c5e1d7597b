import Foundation
import SeededRandom

/// A value with everything that types of ours have, drawn from a seed.
struct Sample: Codable, Hashable {
    var zeta: String
    var alpha: Int
    var beta: Double
    var flag: Bool
    var date: Date
    var missing: Int?
    var nested: Nested?
    var list: [Nested]
    var holes: [Int?]
    var words: [String: String]
    var byNumber: [Int: String]
    var choice: Choice
    var code: Code
    var small: UInt8
    var large: UInt64
    var ids: [UUID]
    var flat: Flat

    struct Nested: Codable, Hashable {
        var name: String
        var a: Int64
        var deeper: [Nested]?
    }

    /// With the containers within containers that the compiler writes for values of cases.
    enum Choice: Codable, Hashable {
        case none
        case after(seconds: Int, note: String?)
        case several([Choice])
    }

    enum Code: String, Codable, Hashable, CaseIterable { case one, two = "the second", three = "π" }

    /// Two containers of one encoder.
    struct Flat: Codable, Hashable {
        var head: Nested
        var tail: String

        enum CodingKeys: CodingKey { case tail }

        init(head: Nested, tail: String) {
            self.head = head
            self.tail = tail
        }

        init(from decoder: any Decoder) throws {
            head = try Nested(from: decoder)
            tail = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .tail)
        }

        func encode(to encoder: any Encoder) throws {
            try head.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(tail, forKey: .tail)
        }
    }
}

extension Sample {
    init(using random: inout SeededGenerator) {
        zeta = Self.text(using: &random)
        alpha = [0, -1, .max, .min, 42, Int.random(in: -1_000...1_000, using: &random)].randomElement(using: &random)!
        beta = Self.double(using: &random)
        flag = Bool.random(using: &random)
        date = Date(timeIntervalSince1970: (Double.random(in: -1e9...4e9, using: &random) * 1_000).rounded() / 1_000)
        missing = random.once(in: 2) ? nil : 7
        nested = random.once(in: 2) ? nil : Nested(depth: 3, using: &random)
        list = (0..<Int.random(in: 0..<4, using: &random)).map { _ in Nested(depth: 1, using: &random) }
        holes = (0..<Int.random(in: 0..<4, using: &random)).map { $0 % 2 == 0 ? nil : $0 }
        words = Dictionary(
            ["name", "Name", "nam", "name10", "name9", "a_b", "a-b", ""].shuffled(using: &random).prefix(5)
                .map { ($0, Self.text(using: &random)) }, uniquingKeysWith: { first, _ in first })
        byNumber = [Int.random(in: 4..<20, using: &random): "x", 3: "y"]
        choice = Choice(depth: 2, using: &random)
        code = Code.allCases.randomElement(using: &random)!
        small = UInt8.random(in: 0...255, using: &random)
        large = random.next()
        ids = [UUID(uuidString: "0B6D7F1E-3C1A-4C5B-9A55-0123456789AB")!]
        flat = Flat(head: Nested(depth: 0, using: &random), tail: Self.text(using: &random))
    }

    private static func text(using random: inout SeededGenerator) -> String {
        let parts = [
            "milk", "", "Nørrebro", "🥛", "e\u{301}", "\"", "\\", "/", "\n\t\r", "\u{08}\u{0C}", "\u{7F}",
            "\u{0}\u{1}\u{1F}", "\u{2028}",
            "\u{FFFD}", " ", "null", "a longer text that does not fit into sixteen bytes",
        ]
        return (0..<Int.random(in: 0..<4, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined()
    }

    private static func double(using random: inout SeededGenerator) -> Double {
        [
            0, -0.0, 1, -1.5, 1 / 3, 1e16, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 55.676_098,
            Double.random(in: -180...180, using: &random),
        ].randomElement(using: &random)!
    }
}

extension Sample.Nested {
    fileprivate init(depth: Int, using random: inout SeededGenerator) {
        name = random.once(in: 2) ? "bread" : "Brød"
        a = Int64.random(in: -9...9, using: &random)
        deeper =
            depth == 0
            ? nil
            : (0..<Int.random(in: 0..<3, using: &random)).map { _ in .init(depth: depth - 1, using: &random) }
    }
}

extension Sample.Choice {
    fileprivate init(depth: Int, using random: inout SeededGenerator) {
        self =
            switch Int.random(in: 0..<(depth == 0 ? 2 : 3), using: &random) {
            case 0: .none
            case 1: .after(seconds: 3, note: random.once(in: 2) ? nil : "later")
            default: .several([.init(depth: depth - 1, using: &random), .none])
            }
    }
}
