internal import Foundation
package import Logging
package import NatsClient
internal import ServiceLifecycle
internal import WireCoding

/// Answers the requests of a subject, one after the other; replicas share them.
package final class RequestResponder<Question: Decodable & Sendable, Answer: Encodable & Sendable>: Service {
    /// - Parameter question: nil where the request is none.
    package typealias Answering = @Sendable (_ question: Question?) async throws -> Answer

    private let nats: NatsClient
    private let subject: String
    private let logger: Logger
    private let waitingMax: Int
    private let answer: Answering

    /// - Parameter waitingMax: the most waiting requests; older ones would be answered too late.
    package init(
        _ nats: NatsClient, subject: String, logger: Logger, waitingMax: Int = 4, answer: @escaping Answering
    ) {
        self.nats = nats
        self.subject = subject
        self.logger = logger
        self.waitingMax = waitingMax
        self.answer = answer
    }

    /// Answers until graceful shutdown.
    ///
    /// Never fails because of an outage; a request that cannot be answered meanwhile is left without an answer.
    /// - Throws: never; failures are logged.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await self.nats.forEachMessage(
                of: self.subject, queue: "responders", bufferedMessagesMax: self.waitingMax
            ) { await self.reply(to: $0) }
        }
    }

    func reply(to message: NatsMessage) async {
        guard let reply = message.reply, AnswerSubject.mayAnswer(at: reply) else {
            logger.warning(
                "A request's reply subject is neither below answers nor an inbox; the request is ignored",
                metadata: ["subject": "\(subject)"])
            return
        }
        do {
            // The service answers an unreadable question with its fault, so that the asking service logs it.
            let question = try? WireJSON.decode(Question.self, from: Data(message.payload))
            try await nats.reply(to: message, payload: [UInt8](WireJSON.encode(answer(question))))
        } catch {
            logger.debug(
                "A request is not answered", metadata: ["subject": "\(subject)", "reason": "\(error)"])
        }
    }
}
