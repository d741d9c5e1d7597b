import CPostgres

/// Bound values in one block of memory, valid for one call of libpq.
struct ParameterBuffer {
    private var bytes: [UInt8] = []
    /// The beginning of each value; nil for `NULL`.
    private var starts: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    init(_ parameters: [PostgresParameter]) {
        for parameter in parameters {
            switch parameter.payload {
            case .null, .failure: append(nil as [UInt8]?, format: 0)
            case .text(let text): append(text.utf8, format: 0)
            case .binary(let bytes): append(bytes, format: 1)
            }
        }
    }

    private mutating func append(_ value: (some Collection<UInt8>)?, format: Int32) {
        formats.append(format)
        starts.append(value.map { _ in bytes.count })
        guard let value else { return lengths.append(0) }
        lengths.append(Int32(value.count))
        bytes.append(contentsOf: value)
        bytes.append(0)
    }

    /// The three arrays for `PQsendQueryPrepared`; libpq copies the values before it returns.
    func withPointers(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Int32
    ) -> Int32 {
        bytes.withUnsafeBytes { raw in
            let block = raw.assumingMemoryBound(to: CChar.self)
            let pointers = starts.map { start in start.flatMap { block.baseAddress?.advanced(by: $0) } }
            return pointers.withUnsafeBufferPointer { values in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer { formats in
                        body(values.baseAddress, lengths.baseAddress, formats.baseAddress)
                    }
                }
            }
        }
    }
}
