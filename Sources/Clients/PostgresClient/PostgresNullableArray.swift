/// Values of which some are nil, bound as an array, for `unnest`: `"unnest(\(PostgresNullableArray(ends))::timestamptz[])"`.
///
/// The statement casts the array to its type.
public struct PostgresNullableArray: PostgresBindable {
    public static var postgresType: PostgresType { .inferred }
    public let postgresParameter: PostgresParameter

    /// Nil becomes `NULL`; a value that cannot be encoded makes its statement throw instead of being sent.
    public init<Value: PostgresBindable>(_ values: [Value?]) { self.init(values, as: .inferred) }

    init<Value: PostgresBindable>(_ values: [Value?], as type: PostgresType) {
        let payloads = values.map(\.postgresParameter.payload)
        for case .failure(let error) in payloads {
            postgresParameter = .failure(error)
            return
        }
        let binaries: [[UInt8]?] = payloads.map { if case .binary(let bytes) = $0 { bytes } else { nil } }
        guard binaries.allSatisfy({ $0 == nil }) else {
            postgresParameter = PostgresParameter(type, binary: BinaryArray(of: Value.postgresType, binaries).bytes)
            return
        }
        let texts: [String?] = payloads.map { if case .text(let text) = $0 { text } else { nil } }
        postgresParameter = PostgresParameter(type, text: arrayLiteral(of: texts))
    }
}
