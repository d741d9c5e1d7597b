internal import DirectJSON

/// JetStream, for data that must not be lost: streams, acknowledged publishing, durable consumers.
///
/// Speaks JetStream's JSON protocol over core NATS requests, so that every wait is cancellable and no message keeps a
/// handle of the C library alive.
/// - Source: nats-architecture-and-design, ADR-1 (API), ADR-13 (pull), ADR-15 (publishing and acknowledging).
public struct JetStream: Sendable {
    let transport: ReconnectingConnection

    /// Sends one request of the management API and decodes its reply.
    /// - Throws: refused with JetStream's own code, or not found; or a failure of the request.
    func call<Answer: Decodable>(
        _ api: String, _ request: some Encodable, as type: Answer.Type, operation: String,
        timeout: Duration = .seconds(5)
    ) async throws -> Answer {
        let payload = try DirectJSONEncoder().encode(request)
        let reply = try await transport.request(
            payload, to: "$JS.API.\(api)", headers: [:], timeout: timeout, operation: operation)
        return try Self.decode(reply.payload, as: type, operation: operation)
    }

    /// The reply in `payload`.
    /// - Throws: the error that JetStream replied, or malformed answer.
    static func decode<Answer: Decodable>(
        _ payload: [UInt8], as type: Answer.Type, operation: String
    ) throws(NatsError) -> Answer {
        let reply: Reply<Answer>
        do { reply = try DirectJSONDecoder().decode(Reply<Answer>.self, from: payload) } catch {
            throw NatsError(.malformedAnswer, "\(error)", operation: operation)
        }
        switch reply {
        case .answer(let answer): return answer
        case .failure(let failure): throw failure.error(operation: operation)
        }
    }

    /// - Throws: invalid argument if the name could not be one token of a subject.
    static func validate(name: String, operation: String) throws(NatsError) {
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), !name.contains(where: ".*>/\\".contains)
        else { throw NatsError(.invalidArgument, "'\(name)' is not a name", operation: operation) }
    }
}

/// A JetStream response: an answer or an error.
private enum Reply<Answer: Decodable>: Decodable {
    case answer(Answer)
    case failure(Failure)

    private enum CodingKeys: CodingKey { case error }

    init(from decoder: any Decoder) throws {
        // A reply without a readable error is decoded as an answer, and that error is thrown.
        if let failure = try? decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Failure.self, forKey: .error)
        {
            self = .failure(failure)
        } else {
            self = .answer(try Answer(from: decoder))
        }
    }

    struct Failure: Decodable {
        var code: Int
        var errorCode: Int?
        var description: String?

        enum CodingKeys: String, CodingKey {
            case code
            case errorCode = "err_code"
            case description
        }

        func error(operation: String) -> NatsError {
            // 503 is JetStream's "not now": no leader, no storage, shutting down.
            NatsError(
                code == 404 ? .notFound : .refused, description ?? "code \(code)", operation: operation,
                jetStreamCode: errorCode ?? code, isRetriable: code == 503)
        }
    }
}
