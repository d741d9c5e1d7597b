import Foundation
import PostgresClient
import TestSupport
import Testing

@Suite("Types", .postgresSchema, .tags(.integration), .timeLimit(.minutes(10)))
struct PostgresTypeTests {
    enum Status: String, PostgresArrayElement { case placed, delivered }

    struct OrderID: RawRepresentable, Equatable, PostgresBindable, PostgresDecodable {
        var rawValue: String
    }

    struct Misfit: Decodable {
        var title: Int
    }

    struct Card: Codable, Equatable {
        var title: String
        var steps: [Int]
    }

    /// Sends the value, lets the server store it as its type, and reads it back.
    private func roundTrip<Value: PostgresBindable & PostgresDecodable & Equatable>(
        _ value: Value, as type: String
    ) async throws {
        try await withPool { pool in
            try await pool.execute("CREATE TABLE t (v \(raw: type))")
            try await pool.execute("INSERT INTO t VALUES (\(value))")
            let row = try #require(try await pool.query("SELECT v FROM t").first)
            #expect(try row.decode("v", as: Value.self) == value)
            try await pool.execute("DROP TABLE t")
        }
    }

    @Test(
        "Text comes back as it was, whatever it looks like",
        arguments: [
            "", "plain", "O'Brien", "'; DROP TABLE t; --", "$1", "\\", "\\x00", "\"", "{a,b}", "NULL", "é 🛵\n\t",
        ])
    func text(_ value: String) async throws {
        try await roundTrip(value, as: "text")
        try await roundTrip([value, value], as: "text[]")
    }

    @Test("Integers keep their whole range", arguments: [0, -1, Int.max, Int.min])
    func integers(_ value: Int) async throws { try await roundTrip(value, as: "bigint") }

    @Test("Narrow integers keep their range and refuse more")
    func narrowIntegers() async throws {
        try await withPool { pool in
            let row = try await pool.query("SELECT \(Int16.min) AS a, \(Int32.max) AS b, \(Int64.max) AS c")[0]
            #expect(try row.decode("a", as: Int16.self) == .min)
            #expect(try row.decode("b", as: Int32.self) == .max)
            #expect(try row.decode("c", as: Int64.self) == .max)
            let error = #expect(throws: PostgresError.self) { try row.decode("c", as: Int32.self) }
            #expect(error?.code == .decoding)
        }
    }

    @Test("Numbers with a fraction come back bit by bit", arguments: [0, 0.1, -1.5e300, .pi, .leastNonzeroMagnitude])
    func doubles(_ value: Double) async throws { try await roundTrip(value, as: "double precision") }

    @Test("What is not a number stays so")
    func notANumber() async throws {
        try await withPool { pool in
            let row = try await pool.query("SELECT \(Double.nan) AS nan, \(-Double.infinity) AS low")[0]
            #expect(try row.decode("nan", as: Double.self).isNaN)
            #expect(try row.decode("low", as: Double.self) == -.infinity)
        }
    }

    @Test("Arrays with holes come back with them, in text form, binary form and with nothing in them")
    func nullableArrays() async throws {
        let dates = [nil, Date(timeIntervalSince1970: 1_795_280_400.25), nil]
        let words = ["", nil, "NULL", "{\"a\"}"]
        try await withPool { pool in
            let rows = try await pool.query(
                """
                SELECT * FROM unnest(\(PostgresNullableArray(dates))::timestamptz[],
                    \(PostgresNullableArray(words))::text[], \(PostgresNullableArray([Int?.none]))::bigint[])
                    WITH ORDINALITY AS row (date, word, nothing, number) ORDER BY number
                """)
            #expect(try rows.map { try $0.decode("date", as: Date?.self) } == dates + [nil])
            #expect(try rows.map { try $0.decode("word", as: String?.self) } == words)
            #expect(try rows.map { try $0.decode("nothing", as: Int?.self) } == [nil, nil, nil, nil])
        }
    }

    @Test("Truth, identifiers, bytes, enums and arrays come back as they were")
    func others() async throws {
        try await withPool { pool in
            let id = UUID()
            let bytes = (0...255).map { UInt8($0) }
            let row = try await pool.query(
                """
                SELECT \(true) AS yes, \(false) AS no, \(id) AS id, \(bytes) AS bytes, \(Data(bytes)) AS data,
                    \(OrderID(rawValue: "o-1"))::text AS order_id, \(Status.delivered)::text AS status,
                    \([Status.placed, .delivered])::text[] AS statuses, \([1, -2]) AS numbers, \([0.5]) AS fractions,
                    \([id]) AS ids, \([String]())::text[] AS none, \([UInt8]()) AS no_bytes
                """)[0]
            #expect(try row.decode("yes", as: Bool.self))
            #expect(try !row.decode("no", as: Bool.self))
            #expect(try row.decode("id", as: UUID.self) == id)
            #expect(try row.decode("bytes", as: [UInt8].self) == bytes)
            #expect(try row.decode("data", as: Data.self) == Data(bytes))
            #expect(try row.decode("order_id", as: OrderID.self) == OrderID(rawValue: "o-1"))
            #expect(try row.decode("status", as: Status.self) == .delivered)
            #expect(try row.decode("statuses", as: [Status].self) == [.placed, .delivered])
            #expect(try row.decode("numbers", as: [Int].self) == [1, -2])
            #expect(try row.decode("fractions", as: [Double].self) == [0.5])
            #expect(try row.decode("ids", as: [UUID].self) == [id])
            #expect(try row.decode("none", as: [String].self) == [])
            #expect(try row.decode("no_bytes", as: [UInt8].self) == [])
        }
    }

    @Test("Arrays of numbers and of JSON travel in binary form as they are, the empty ones too")
    func binaryArrays() async throws {
        try await withPool { pool in
            struct Name: Codable, Hashable { var name: String }
            let names = [Name(name: #"a "quoted" \ {1,2}"#), Name(name: "é\u{1F6B2}"), Name(name: "")]
            let numbers = [Int.min, -1, 0, .max]
            let fractions = [-0.0, .pi, .infinity, -1e-300]
            let rows = try await pool.query(
                """
                SELECT name::jsonb AS name, number FROM unnest(\(PostgresJSONArray(names)), \(Array(numbers.prefix(3))))
                    WITH ORDINALITY AS pairs (name, number, place) ORDER BY place
                """)
            #expect(try rows.map { try $0.decodeJSON("name") } == names)
            #expect(try rows.map { try $0.decode("number") } == Array(numbers.prefix(3)))
            let row = try await pool.query(
                """
                SELECT \(numbers) AS numbers, \(fractions) AS fractions, \([Int]()) AS no_numbers,
                    \([Double]()) AS no_fractions, cardinality(\(PostgresJSONArray([Name]()))) AS no_names
                """)[0]
            #expect(try row.decode("numbers", as: [Int].self) == numbers)
            #expect(try row.decode("fractions", as: [Double].self) == fractions)
            #expect(try row.decode("no_numbers", as: [Int].self) == [])
            #expect(try row.decode("no_fractions", as: [Double].self) == [])
            #expect(try row.decode("no_names", as: Int.self) == 0)
        }
    }

    @Test("Strings take the type of the column they meet")
    func inferred() async throws {
        try await withPool { pool in
            try await pool.execute("CREATE TYPE mood AS ENUM ('placed', 'delivered')")
            try await pool.execute("CREATE TABLE t (s mood, address inet, id uuid)")
            let id = UUID()
            try await pool.execute("INSERT INTO t VALUES (\(Status.placed), \("10.0.0.1"), \(id.uuidString))")
            #expect(try await pool.query("SELECT FROM t WHERE id = ANY(\([id.uuidString]))").count == 1)
            #expect(try await pool.query("SELECT FROM t WHERE s = \(Status.placed)").count == 1)
        }
    }

    @Test("A date is exact to the microsecond, before 2000 and before Christ too")
    func dates() async throws {
        try await withPool { pool in
            for text in [
                "2026-11-21 09:05:42.123456+00", "2026-11-21 09:05:42+00", "2026-11-21 09:05:42.1+00",
                "2000-01-01 00:00:00+00", "1999-12-31 23:59:59.999999+00", "2024-02-29 12:00:00.000001+00",
                "1900-03-01 00:00:00+00", "0001-01-01 00:00:00+00", "0044-03-15 12:00:00+00 BC",
                "12026-01-01 00:00:00+00",
            ] {
                let read = try await pool.query("SELECT \(text)::timestamptz AS at")[0].decode("at", as: Date.self)
                let back = try await pool.query("SELECT (\(read))::text AS at")[0].decode("at", as: String.self)
                #expect(back == text)
            }
            let epoch = try await pool.query("SELECT to_timestamp(1795252800.25) AS at")[0].decode("at", as: Date.self)
            #expect(epoch == Date(timeIntervalSince1970: 1_795_252_800.25))
            await #expect(throws: PostgresError.self) { try await pool.query("SELECT \(Date.distantFuture + 1e13)") }
        }
    }

    @Test("NULL is nil, and an error where nothing optional was asked for")
    func null() async throws {
        try await withPool { pool in
            let row = try await pool.query("SELECT \(nil as Int?) AS a, \(Int?.some(3)) AS b, \(nil as Date?) AS c")[0]
            #expect(try row.decode("a", as: Int?.self) == nil)
            #expect(try row.decode("b", as: Int?.self) == 3)
            #expect(try row.decode("c", as: Date?.self) == nil)
            let error = #expect(throws: PostgresError.self) { try row.decode("a", as: Int.self) }
            #expect(error?.message == "column a is NULL")
        }
    }

    @Test("JSON goes in and out, and a misfit names its path but no value")
    func json() async throws {
        try await withPool { pool in
            try await pool.execute("CREATE TABLE t (card jsonb)")
            let card = Card(title: "secret'", steps: [1, 2])
            try await pool.execute("INSERT INTO t VALUES (\(.json(card)))")
            let row = try await pool.query("SELECT card, card->'steps'->>1 AS second FROM t")[0]
            #expect(try row.decodeJSON("card", as: Card.self) == card)
            #expect(try row.decode("second", as: String.self) == "2")
            let error = #expect(throws: PostgresError.self) { try row.decodeJSON("card", as: Misfit.self) }
            #expect(error?.description.contains("title") == true)
            #expect(error?.description.contains("secret") == false)
        }
    }

    @Test("A column that is missing, doubled or unknown is an error")
    func columns() async throws {
        try await withPool { pool in
            let row = try await pool.query("SELECT 1 AS a, 2 AS a, 'unheard of' AS s")[0]
            #expect(throws: PostgresError.self) { try row.decode("a", as: Int.self) }
            #expect(throws: PostgresError.self) { try row.decode("b", as: Int.self) }
            let error = #expect(throws: PostgresError.self) { try row.decode("s", as: Status.self) }
            #expect(error?.description.contains("unheard of") == false)
        }
    }
}
