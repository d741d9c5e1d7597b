/// A one-dimensional array in Postgres's binary form, made element by element.
///
/// - Source: `array_recv` in PostgreSQL's `src/backend/utils/adt/arrayfuncs.c`: the number of dimensions, whether there
///   are nulls, the elements' type; each dimension's length and lower bound; each element's length in bytes and bytes.
struct BinaryArray {
    private(set) var bytes: [UInt8] = []

    /// - Parameters:
    ///   - bytesPerElement: how much room is made before.
    ///   - hasNulls: whether an element may be `NULL`.
    init(of type: PostgresType, count: Int, bytesPerElement: Int, hasNulls: Bool = false) {
        bytes.reserveCapacity(20 + count * (4 + bytesPerElement))
        append(count == 0 ? 0 : 1)
        append(hasNulls ? 1 : 0)
        append(Int32(bitPattern: type.oid))
        guard count > 0 else { return }
        append(Int32(count))
        append(1)
    }

    /// An array of elements in their binary form; nil becomes `NULL`.
    init<Element: Collection<UInt8>>(of type: PostgresType, _ elements: [Element?]) {
        let size = elements.reduce(0) { $0 + ($1?.count ?? 0) }
        self.init(
            of: type, count: elements.count, bytesPerElement: size / max(1, elements.count) + 1,
            hasNulls: elements.contains { $0 == nil })
        for element in elements {
            append(element.map { Int32($0.count) } ?? -1)
            if let element { bytes.append(contentsOf: element) }
        }
    }

    /// Appends one element that is a number of eight bytes.
    mutating func append(element number: UInt64) {
        append(8)
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ number: Int32) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

extension Int {
    public static func postgresParameter(of array: [Int]) -> PostgresParameter {
        var binary = BinaryArray(of: .int8, count: array.count, bytesPerElement: 8)
        for number in array { binary.append(element: UInt64(bitPattern: Int64(number))) }
        return PostgresParameter(.int8Array, binary: binary.bytes)
    }
}

extension Double {
    public static func postgresParameter(of array: [Double]) -> PostgresParameter {
        var binary = BinaryArray(of: .float8, count: array.count, bytesPerElement: 8)
        for number in array { binary.append(element: number.bitPattern) }
        return PostgresParameter(.float8Array, binary: binary.bytes)
    }
}

/// Texts bound as `text[]`, for `unnest`; sent in binary form, so that no character of them is quoted.
public struct PostgresTextArray: PostgresBindable {
    public static var postgresType: PostgresType { .textArray }
    public let postgresParameter: PostgresParameter

    /// Nil becomes `NULL`.
    public init(_ values: [String?]) {
        postgresParameter = PostgresParameter(
            .textArray, binary: BinaryArray(of: .text, values.map { $0?.utf8 }).bytes)
    }
}

/// Values bound as `bytea[]`, for `unnest`.
public struct PostgresBytesArray: PostgresBindable {
    public static var postgresType: PostgresType { .byteaArray }
    public let postgresParameter: PostgresParameter

    public init(_ values: [[UInt8]]) {
        postgresParameter = PostgresParameter(.byteaArray, binary: BinaryArray(of: .bytea, values).bytes)
    }
}
