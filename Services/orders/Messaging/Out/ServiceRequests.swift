import Foundation
import NatsClient
import WireCoding

/// Sends requests to other services, and reads their answers.
struct ServiceRequests: Sendable {
    /// Sends a request to a subject, and returns the reply.
    typealias Send = @Sendable (_ payload: [UInt8], _ subject: String) async throws -> [UInt8]

    private let send: Send

    init(_ send: @escaping Send) { self.send = send }

    init(_ nats: NatsClient, timeout: Duration) {
        self.init { try await nats.request($0, to: $1, timeout: timeout).payload }
    }

    /// - Throws: where nothing answers in time, or the answer is of another type.
    func callAsFunction<Answer: Decodable>(
        _ question: some Encodable, to subject: String, as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        let answer = try await send([UInt8](WireJSON.encode(question)), subject)
        return try WireJSON.decode(type, from: Data(answer))
    }
}

/// The fault that a service names in place of an answer.
struct RefusedRequest: Error, CustomStringConvertible {
    let description: String
}
