import Foundation
import Testing

@testable import DeliveryProviders

@Suite("Documents of which nothing is taken for granted")
struct ProviderDocumentTests {
    /// Values as they are written, with the name, number and flag that they are read as.
    private static let written: [(text: String, name: String?, double: Double?, flag: Bool?)] = [
        (#""dropoff""#, "dropoff", nil, nil), (#""""#, nil, nil, nil), (#""12.5""#, "12.5", 12.5, nil),
        (#""J\u00f8rgen \"J\" \ud83d\ude80""#, "Jørgen \"J\" 🚀", nil, nil), (#""a\u0000b""#, "ab", nil, nil),
        ("null", nil, nil, nil), ("true", nil, nil, true), ("false", nil, nil, false),
        ("0", "0", 0, nil), ("-7", "-7", -7, nil), ("1764000000123", "1764000000123", 1_764_000_000_123, nil),
        ("9007199254740993", "9007199254740993", 9_007_199_254_740_992, nil),
        ("-9223372036854775808", "-9223372036854775808", -9_223_372_036_854_775_808, nil),
        ("5.0", "5", 5, nil), ("1e3", "1000", 1_000, nil), ("55.676098", nil, 55.676098, nil),
        ("1e300", nil, 1e300, nil), ("{}", nil, nil, nil), ("[]", nil, nil, nil),
    ]

    @Test("Values are read as what they are, whoever reads the document", arguments: written.indices)
    func values(_ index: Int) throws {
        let value = Self.written[index]
        // A key that is there twice leaves the document to the slower reader.
        for more in ["", #","twice":1,"twice":2"#] {
            let body = Data(#"{"a":{"b":[1,\#(value.text)]}\#(more)}"#.utf8)
            let read = try ProviderDocument(parsing: body)["a"]["b"][1]
            #expect(read.name == value.name, "\(more)")
            #expect(read.double == value.double, "\(more)")
            #expect(read.flag == value.flag, "\(more)")
        }
    }

    @Test("What is absent or of another type is nothing, and a number beyond all types is no reason to refuse")
    func absent() throws {
        let document = try ProviderDocument(parsing: Data(#"{"a":[{"b":1}],"c":1e999}"#.utf8))
        #expect(document["a"].elements?.count == 1)
        #expect(document["a"][0]["b"].name == "1")
        #expect(document["a"][1].name == nil)
        #expect(document["a"]["b"].name == nil)
        #expect(document["c"].double == nil)
        #expect(document["d"].elements == nil)
    }

    @Test(
        "A time of a provider is read in every form of RFC 3339, and as seconds or milliseconds",
        arguments: [
            (#""2026-11-25t09:46:54z""#, 1_795_600_014), (#""2026-11-25T09:46:54.125000000Z""#, 1_795_600_014.125),
            (#""2026-11-25T01:46:54.5-08:00""#, 1_795_600_014.5), (#""2026-11-25T09:45:60+00:00""#, 1_795_599_960),
            ("1795600014000", 1_795_600_014), ("1795600014", 1_795_600_014), ("1427343990", nil),
            ("53927476000", nil), (#""yesterday""#, nil), (#""2019-11-25T09:46:54Z""#, nil),
            (#""2026-11-27T09:46:54Z""#, nil),
        ] as [(String, Double?)])
    func times(_ text: String, seconds: Double?) throws {
        let document = try ProviderDocument(parsing: Data("[\(text)]".utf8))
        let time = document[0].time(received: Date(timeIntervalSince1970: 1_795_600_020))
        #expect(time?.timeIntervalSince1970 == seconds)
    }

    @Test("A name has every character that was written but control characters")
    func control() {
        for scalar in (0...0x2FF).compactMap({ Unicode.Scalar(UInt32($0)) }) {
            let isControl = scalar.properties.generalCategory == .control
            let name = ProviderDocument.string("a\(scalar)b").name
            #expect(name == (isControl ? "ab" : "a\(scalar)b"), "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test("What is no JSON is refused", arguments: ["", "{", "{}x", "{'a':1}", "[1}"])
    func refused(_ text: String) {
        #expect(throws: UnreadableBody.self) { try ProviderDocument(parsing: Data(text.utf8)) }
    }
}
