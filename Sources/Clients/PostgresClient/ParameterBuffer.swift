import CPostgres

/// Bound values in one block of memory, for as long as a call of libpq's takes.
struct ParameterBuffer {
    private var bytes: [CChar] = []
    /// Where each value begins; nil is `NULL`.
    private var starts: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    init(_ parameters: [PostgresParameter]) {
        for parameter in parameters {
            switch parameter.payload {
            case .null, .failure: append(nil, format: 0)
            case .text(let text): append(Array(text.utf8), format: 0)
            case .binary(let bytes): append(bytes, format: 1)
            }
        }
    }

    private mutating func append(_ value: [UInt8]?, format: Int32) {
        starts.append(value.map { _ in bytes.count })
        lengths.append(Int32(value?.count ?? 0))
        formats.append(format)
        guard let value else { return }
        bytes.append(contentsOf: value.lazy.map { CChar(bitPattern: $0) })
        bytes.append(0)
    }

    /// The three arrays that `PQsendQueryPrepared` wants; libpq copies the values before it returns.
    func withPointers(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Int32
    ) -> Int32 {
        bytes.withUnsafeBufferPointer { block in
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
