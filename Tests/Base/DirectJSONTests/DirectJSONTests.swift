import Foundation
import SeededRandom
import Testing

@testable import DirectJSON

@Suite("JSON without a tree in between")
struct DirectJSONTests {
    static let encoder = DirectJSONEncoder()
    static let decoder = DirectJSONDecoder()

    static var foundation: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    @Test("What is written is what JSONEncoder writes, byte for byte", arguments: 0..<2_000)
    func encoding(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let sample = Sample(using: &random)
        let bytes = try #require(Self.encoder.direct(sample))
        #expect(bytes == [UInt8](try Self.foundation.encode(sample)))
    }

    @Test("What is read is what was written, in any order of keys", arguments: 0..<1_000)
    func decoding(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let sample = Sample(using: &random)
        let unordered = JSONEncoder()
        unordered.outputFormatting = random.once(in: 2) ? [] : .prettyPrinted
        for data in [try Self.foundation.encode(sample), try unordered.encode(sample)] {
            #expect(Self.decoder.direct(Sample.self, from: [UInt8](data)) == sample)
        }
    }

    @Test("Of a text with a changed byte, both read the same or nothing", arguments: 0..<1_500)
    func mutated(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var bytes = [UInt8](try Self.foundation.encode(Sample(using: &random)))
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let index = bytes.indices.randomElement(using: &random)!
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.remove(at: index)
            case 1: bytes[index] = #"{}[]",:\ 0-.eE+tfn/"#.utf8.randomElement(using: &random)!
            case 2: bytes[index] = UInt8.random(in: 0...255, using: &random)
            default: bytes.insert(bytes.randomElement(using: &random)!, at: index)
            }
        }
        guard let direct = Self.decoder.direct(Sample.self, from: bytes) else { return }
        #expect(try JSONDecoder().decode(Sample.self, from: Data(bytes)) == direct)
    }

    @Test(
        "Unusual JSON reads as JSONDecoder reads it",
        arguments: [
            "1", "-0", "01", "1.0", "1e2", "10E-1", "9223372036854775808", " 7 ", "7x", "", "[1]", "null", "\"1\"",
            "\u{FEFF}1", "+1", "1.", ".5", "-", "1e-400", "-1e-400", "0e-400", "0.0e-1", "255", "256", "-1", "128",
        ])
    func numbers(text: String) {
        let bytes = [UInt8](text.utf8)
        #expect(
            (try? Self.decoder.decode(Int.self, from: bytes))
                == (try? JSONDecoder().decode(Int.self, from: Data(bytes))))
        #expect(
            (try? Self.decoder.decode(Double.self, from: bytes))
                == (try? JSONDecoder().decode(Double.self, from: Data(bytes))))
        #expect(
            (try? Self.decoder.decode(UInt8.self, from: bytes))
                == (try? JSONDecoder().decode(UInt8.self, from: Data(bytes))))
        #expect(
            (try? Self.decoder.decode(Int8.self, from: bytes))
                == (try? JSONDecoder().decode(Int8.self, from: Data(bytes))))
    }

    @Test(
        "Texts of any escapes read as JSONDecoder reads them",
        arguments: [
            #""\u00e9""#, #""\ud83e\udd5b""#, #""\ud83e""#, #""\/\b\f\n\r\t\"\\""#, #""\x""#, "\"\n\"", #""a"#, #""\""#,
        ])
    func texts(text: String) {
        let bytes = [UInt8](text.utf8)
        #expect(
            (try? Self.decoder.decode(String.self, from: bytes))
                == (try? JSONDecoder().decode(String.self, from: Data(bytes))))
    }

    @Test(
        "Bytes that are no UTF-8 are read by neither",
        arguments: [[0x22, 0xFF, 0x22], [0x22, 0xF0, 0x9F, 0xA5, 0x22]])
    func notUTF8(bytes: [UInt8]) {
        #expect((try? Self.decoder.decode(String.self, from: bytes)) == nil)
        #expect((try? JSONDecoder().decode(String.self, from: Data(bytes))) == nil)
    }

    @Test(
        "A key twice or with escapes reads as JSONDecoder reads it",
        arguments: [
            #"{"a":1,"a":2}"#, #"{"b":1,"a":2,"b":3}"#, #"{"\u0061":1}"#, #"{"":1}"#,
            "{}", "{\"\u{E9}\":1,\"e\u{301}\":2}",
        ])
    func keys(text: String) throws {
        let bytes = [UInt8](text.utf8)
        #expect(
            try Self.decoder.decode([String: Int].self, from: bytes)
                == JSONDecoder().decode([String: Int].self, from: Data(bytes)))
    }

    @Test("What a type passes over is passed over as with JSONDecoder, and costs no second reading")
    func lenient() throws {
        let bytes = [UInt8](#"{"list":["one","none","the second",3,"one"],"number":"7"}"#.utf8)
        let direct = try #require(Self.decoder.direct(Lenient.self, from: bytes))
        #expect(try JSONDecoder().decode(Lenient.self, from: Data(bytes)) == direct)
        #expect(direct == Lenient(list: [.one, .two, .one], number: nil))
    }

    @Test("Nothing stays of a value that could not be written and whose error was caught")
    func caught() throws {
        #expect(Self.encoder.direct(Catching()) == nil)
        #expect(try Self.encoder.encode(Catching()) == [UInt8](Self.foundation.encode(Catching())))
    }

    private struct Part: Codable, Equatable {
        var name: String
        var size: Int?
        var parts: [Part]?
        var byName: [String: Int]?

        enum Key: CodingKey { case name, size }
    }

    @Test(
        "A document is whole where its type asked for every property, at every depth",
        arguments: [
            (#"{"name":"a"}"#, true), (#"{"name":"a","size":null}"#, true), (#"{"name":"a","colour":1}"#, false),
            (#"{"name":"a","parts":[{"name":"b","size":2},{"size":3,"name":"c"}]}"#, true),
            (#"{"name":"a","parts":[{"name":"b"},{"name":"c","colour":{}}]}"#, false),
            (#"{"name":"a","byName":{"x":1,"y":2}}"#, true), (#"{"name":"a","byName":{"x":1},"":0}"#, false),
            (#"{"name":"a","name":"b"}"#, false), (#"{"name":1}"#, false), (#"{"name":"a",}"#, false), ("[]", false),
        ])
    func whole(text: String, isWhole: Bool) throws {
        let bytes = [UInt8](text.utf8)
        let whole = Self.decoder.decodeWhole(Part.self, from: bytes)
        #expect((whole != nil) == isWhole)
        if isWhole { #expect(try JSONDecoder().decode(Part.self, from: Data(bytes)) == whole) }
    }

    @Test("Keys in the order of PostgreSQL's `jsonb`, shorter ones first, are read directly, and a repeated one is not")
    func keysByLength() {
        // Longer ones come first as texts.
        let keys = zip(1..., "zyxwvut").flatMap { length, letter in
            (0..<10).map { String(repeating: letter, count: length) + "\($0)" }
        }
        func read(_ keys: some Collection<String>) -> [String: Int]? {
            let members = keys.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",")
            return Self.decoder.direct([String: Int].self, from: [UInt8]("{\(members)}".utf8))
        }
        #expect(keys.sorted() != keys && read(keys)?.count == 70)
        #expect(read(keys.prefix(20) + ["aaaaaaaaa", "aaaaaaaaa"]) == nil)
    }

    /// Keeps its encoder.
    private final class Keeper: Encodable {
        var encoder: (any Encoder)?
        func encode(to encoder: any Encoder) throws {
            self.encoder = encoder
            var container = encoder.container(keyedBy: Part.Key.self)
            try container.encode(1, forKey: .name)
        }
    }

    /// Writes with the encoder of another value.
    private struct Borrower: Encodable {
        let keeper: Keeper
        func encode(to encoder: any Encoder) throws {
            var container = try #require(keeper.encoder).container(keyedBy: Part.Key.self)
            try container.encode(2, forKey: .size)
        }
    }

    private struct Lenders: Encodable {
        let keeper = Keeper()
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(keeper)
            try container.encode(Borrower(keeper: keeper))
        }
    }

    @Test("An encoder that a type keeps is no other value's, and what it writes late is left to JSONEncoder")
    func keptEncoder() { #expect(Self.encoder.direct(Lenders()) == nil) }

    @Test("Nesting without an end is refused, not followed")
    func depth() {
        let bytes = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(throws: DecodingError.self) { try Self.decoder.decode([Int].self, from: bytes) }
    }

    @Test("An error is JSONDecoder's, with the path to what is wrong")
    func error() throws {
        let bytes = [UInt8](#"{"name":"x","a":1,"deeper":[{"name":3,"a":1}]}"#.utf8)
        let error = try #require(throws: DecodingError.self) {
            try Self.decoder.decode(Sample.Nested.self, from: bytes)
        }
        guard case .typeMismatch(_, let context) = error else { throw error }
        #expect(context.codingPath.map(\.stringValue) == ["deeper", "Index 0", "name"])
    }

    @Test("What is not written directly is left to JSONEncoder")
    func left() throws {
        #expect(Self.encoder.direct(Turns()) == nil)
        #expect(try Self.encoder.encode(Turns()) == [UInt8](Self.foundation.encode(Turns())))
        #expect(Self.encoder.direct(["é": 1, "z": 2]) == nil)
        #expect(try Self.encoder.encode(Decimal(string: "0.1")!) == [UInt8]("0.1".utf8))
        #expect(try Self.encoder.encode(Float(0.1)) == [UInt8]("0.1".utf8))
        #expect(throws: EncodingError.self) { try Self.encoder.encode([Double.nan]) }
        #expect(try Self.encoder.encode(Data([1, 2])) == [UInt8](#""AQI=""#.utf8))
        #expect(try Self.encoder.encode(URL(string: "https://a.example/b")!) == [UInt8](#""https://a.example/b""#.utf8))
    }

    @Test("Dates are written and read as they are asked for")
    func dates() throws {
        let encoder = DirectJSONEncoder(dateText: { "\(Int($0.timeIntervalSince1970))" })
        let decoder = DirectJSONDecoder(
            date: { Double($0).map(Date.init(timeIntervalSince1970:)) }, dateExample: "a number")
        let dates = [Date(timeIntervalSince1970: 5), nil]
        #expect(encoder.direct(dates) == [UInt8](#"["5",null]"#.utf8))
        #expect(decoder.direct([Date?].self, from: [UInt8](#"["5",null]"#.utf8)) == dates)
        #expect(throws: DecodingError.self) { try decoder.decode([Date].self, from: [UInt8](#"["soon"]"#.utf8)) }
    }
}

/// Passes over what it does not know.
private struct Lenient: Decodable, Equatable {
    var list: [Sample.Code]
    var number: Int?

    enum Keys: CodingKey { case list, number }
    struct Skipped: Decodable {}

    init(list: [Sample.Code], number: Int?) {
        self.list = list
        self.number = number
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        number = try? container.decode(Int.self, forKey: .number)
        list = []
        var elements = try container.nestedUnkeyedContainer(forKey: .list)
        while !elements.isAtEnd {
            if let code = try? elements.decode(Sample.Code.self) {
                list.append(code)
            } else {
                _ = try elements.decode(Skipped.self)
            }
        }
    }
}

/// Catches the error of a member that is half written.
private struct Catching: Encodable {
    struct Half: Encodable {
        enum Keys: CodingKey { case a, b }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(1, forKey: .a)
            throw CancellationError()
        }
    }

    enum Keys: CodingKey { case half, whole }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try? container.encode(Half(), forKey: .half)
        try container.encode(2, forKey: .whole)
    }
}

/// Fills two containers by turns.
private struct Turns: Encodable {
    enum Keys: CodingKey { case one, other, a, b }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var one = container.nestedContainer(keyedBy: Keys.self, forKey: .one)
        var other = container.nestedUnkeyedContainer(forKey: .other)
        try one.encode(1, forKey: .a)
        try other.encode(2)
        try one.encode(3, forKey: .b)
    }
}
