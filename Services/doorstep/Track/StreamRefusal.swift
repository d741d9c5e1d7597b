import APIClient
import CommandOutput
import Foundation
import NIOHTTP1
import StackClient

/// The server's refusal of a device's stream.
struct StreamRefusal: Error {
    let failure: CommandFailure
    /// The server's `Retry-After`; nil without one.
    let retryAfter: Duration?
    /// The most connected screens of a customer, where the customer has so many; nil for any other refusal.
    let screensMax: Int?

    /// - Parameter answer: any but a success.
    init(_ answer: APIClient.Answer) {
        failure = answer.refusal ?? CommandFailure(.unavailable, "The stream answered \(answer.status).")
        retryAfter = answer.headers.first(name: "Retry-After").flatMap { Int($0) }.map { Duration.seconds($0) }
        // An answer that is no problem document has no number of screens.
        screensMax = (try? JSONDecoder().decode(Document.self, from: answer.body))?.screensMax
    }

    private struct Document: Decodable {
        let screensMax: Int?

        enum CodingKeys: String, CodingKey { case screensMax = "streams_max" }
    }

    /// The delay before the next request: never shorter than the server asks for.
    ///
    /// - Parameters:
    ///   - backOff: the delay by the number of failures.
    ///   - jitter: a random number from 0 to 1, so that clients that were refused together do not retry together.
    func delay(backOff: Duration, jitter: Double) -> Duration {
        guard let retryAfter else { return backOff }
        return max(backOff, retryAfter * (1 + Self.jitterShare * jitter))
    }

    private static let jitterShare = 0.2
}
