/// A statement whose interpolated values are bound, never spliced.
///
/// ```swift
/// let orders = try await pool.query("SELECT * FROM orders WHERE customer = \(customer) AND placed_at > \(since)")
/// ```
/// `\(value)` becomes `$1`, `$2` … and travels outside the text, so no value can change the statement's meaning.
/// `\(raw: text)` splices text that must never come from outside; `\(sql: fragment)` nests a fragment with its values.
///
/// Strings and arrays of strings are sent without a type, so Postgres infers it from the context (an `enum`, `inet`,
/// `uuid` … column). Where there is no context, add a cast: `unnest(\(names)::text[])`.
public struct SQL: ExpressibleByStringInterpolation, Sendable {
    enum Piece: Sendable {
        case text(String)
        case bind(PostgresParameter)
    }

    var pieces: [Piece]

    public init(stringLiteral text: String) { pieces = [.text(text)] }

    public init(stringInterpolation: Interpolation) { pieces = stringInterpolation.pieces }

    /// The text without bound values.
    ///
    /// - Parameter text: trusted: text from outside could run anything.
    public init(raw text: String) { pieces = [.text(text)] }

    /// One fragment after the other, values included.
    public static func + (first: SQL, second: SQL) -> SQL {
        var sum = first
        sum.pieces += second.pieces
        return sum
    }

    /// Appends a fragment, values included.
    public static func += (first: inout SQL, second: SQL) { first.pieces += second.pieces }

    /// The text that is sent, with `$1`, `$2` … where values are bound.
    public var text: String { statement.text }

    var statement: Statement {
        var statement = Statement("")
        for piece in pieces {
            switch piece {
            case .text(let text): statement.text += text
            case .bind(let parameter):
                statement.parameters.append(parameter)
                statement.text += "$\(statement.parameters.count)"
            }
        }
        return statement
    }

    /// Collects the pieces of a string literal.
    public struct Interpolation: StringInterpolationProtocol {
        var pieces: [Piece] = []

        public init(literalCapacity: Int, interpolationCount: Int) {
            pieces.reserveCapacity(interpolationCount * 2 + 1)
        }

        public mutating func appendLiteral(_ literal: String) { pieces.append(.text(literal)) }

        /// Binds the value.
        public mutating func appendInterpolation<Value: PostgresBindable>(_ value: Value) {
            pieces.append(.bind(value.postgresParameter))
        }

        /// Binds the value; nil binds `NULL`.
        public mutating func appendInterpolation<Value: PostgresBindable>(_ value: Value?) {
            pieces.append(.bind(value.postgresParameter))
        }

        /// Binds JSON, as in `\(.json(card))`.
        public mutating func appendInterpolation(_ value: PostgresJSON) {
            pieces.append(.bind(value.postgresParameter))
        }

        /// Splices trusted text.
        public mutating func appendInterpolation(raw text: String) { pieces.append(.text(text)) }

        /// Nests a fragment; its values are renumbered.
        public mutating func appendInterpolation(sql: SQL) { pieces += sql.pieces }
    }
}

/// A statement in libpq's form.
struct Statement: Sendable {
    var text: String
    var parameters: [PostgresParameter]

    init(_ text: String, parameters: [PostgresParameter] = []) { (self.text, self.parameters) = (text, parameters) }
}

extension SQL {
    /// A name of a table, column or schema, quoted so that it can be nothing else.
    public static func identifier(_ name: String) -> SQL {
        var quoted = "\""
        for character in name.unicodeScalars where character != "\0" {
            if character == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(character)
        }
        return SQL(raw: quoted + "\"")
    }
}
