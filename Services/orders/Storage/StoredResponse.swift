import Foundation
import PostgresClient

/// An HTTP response that is stored, so that a repeated request gets the same one.
struct StoredResponse: Sendable {
    let status: Int
    /// JSON.
    let body: Data

    init(status: Int, body: Data) {
        self.status = status
        self.body = body
    }

    /// Reads the columns `status` and `body`.
    init(_ row: PostgresRow) throws {
        self.init(status: try row.decode("status"), body: Data(try row.decode("body", as: [UInt8].self)))
    }
}
