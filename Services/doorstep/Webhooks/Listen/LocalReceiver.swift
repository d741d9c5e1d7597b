import AsyncHTTPClient
import CommandOutput
import DoorstepAPI
import Foundation
import NIOCore
import NIOHTTP1
import StackClient

/// The program on this machine that events are posted to.
struct LocalReceiver: Sendable {
    /// The time-out of an answer, the same as in `partners`.
    static let answerTimeout = TimeAmount.seconds(15)
    /// Bytes of an answer that are read at most; nothing of it is shown.
    static let answerBytesMax = 1_048_576

    let client: HTTPClient
    let url: String

    enum Answer: Hashable, Sendable {
        case status(Int)
        /// A clause without its subject: `refuses connections: nothing listens there`.
        case absent(reason: String)
    }

    /// Posts an event byte for byte, with its headers.
    func post(_ event: ForwardedEventBody) async -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        for (name, value) in event.headers { request.headers.replaceOrAdd(name: name, value: value) }
        request.headers.replaceOrAdd(name: "Content-Type", value: "application/json")
        request.body = .bytes(Data(event.body.utf8))
        do {
            let response = try await client.execute(request, timeout: Self.answerTimeout)
            // A body that is read to its end keeps the connection for the next event; the status alone is printed.
            _ = try? await response.body.collect(upTo: Self.answerBytesMax)
            return .status(Int(response.status.code))
        } catch {
            return .absent(reason: CommandFailure.reason(of: error))
        }
    }
}
