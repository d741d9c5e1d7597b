import Foundation

/// A stored HTTP response, so that a repeated request gets the same one.
struct StoredResponse: Sendable {
    let status: Int
    /// JSON.
    let body: Data
}
