import APIClient
import AsyncHTTPClient
import CommandOutput
import EmulatorAPI
import FlowControl
import Foundation
import NIOCore
import NIOHTTP1
import StackClient
import WireCoding

/// The emulator's events of one phone.
enum EmulatedPhoneEvent: Sendable {
    /// Seconds of the phones' time in one of the wall clock.
    case rate(Double)
    case phone(EmulatedPhoneBody)
    /// The stream is closed and will be opened again.
    case lost
}

/// Follows a phone of `apns-emulator`, creates it if it is missing, and sends it actions.
struct EmulatedPhoneFeed: Sendable {
    static let backOff = BackOff(first: .milliseconds(500), longest: .seconds(10), jitterShare: 0.5)
    /// Bytes of one event: a phone remembers 64 cards.
    static let eventBytesMax = 4 << 20

    /// A phone to be made where there is none of this name.
    struct New: Sendable {
        let hasIsland: Bool
        let language: String
        let allowsActivities: Bool
    }

    let client: HTTPClient
    /// Base URL of the emulator's control side, without a slash at its end.
    let url: String
    let id: String
    let new: New
    /// The customer of the new phone; nil without a token.
    let customer: CustomerSettings?

    private var api: APIClient { APIClient(client) }

    /// The phone as it is now; made where there was none, and then registered by its app as the customer's.
    func phone(withPushes hasPushes: Bool = false) async throws -> EmulatedPhoneBody {
        let answer = try await api.send(.GET, "\(url)/phones/\(id)\(hasPushes ? "" : "?pushes=false")", token: nil)
        if answer.status != 404 { return try answer.decode(EmulatedPhoneBody.self) }
        guard let customer else {
            throw CommandFailure(
                .notFound,
                "There is no emulated phone \(id). To add it, name its customer's token with --token-file or "
                    + "DOORSTEP_CUSTOMER_TOKEN_FILE.")
        }
        var body = NewEmulatedPhoneBody(id: id, bundleID: "shop.nordhavn.app")
        body.customerToken = try customer.token()
        body.island = new.hasIsland
        body.language = new.language
        body.activities = new.allowsActivities
        return try await api.send(.POST, "\(url)/phones", token: nil, json: try WireJSON.encode(body))
            .decode(EmulatedPhoneBody.self)
    }

    func act(_ action: PhoneActionBody) async throws {
        let body = try WireJSON.encode(action)
        _ = try await api.send(.POST, "\(url)/phones/\(id)/actions", token: nil, json: body)
            .decode(EmulatedPhoneBody.self)
    }

    /// Follows the phone until it is cancelled, connecting again whenever that is needed.
    ///
    /// - Throws: `CommandFailure` when a retry would not help, or the emulator never answers.
    func run(deliver: @escaping @Sendable (EmulatedPhoneEvent) async throws -> Void) async throws {
        let stream = ReopenedStream(backOff: Self.backOff, jitter: { .random(in: 0...1) })
        try await stream.run { isOpen in
            try await readOnce(&isOpen, deliver: deliver)
        } giveUp: { error in
            error as? CommandFailure
                ?? CommandFailure(.unavailable, "\(APIClient.origin(of: url)) \(CommandFailure.reason(of: error))")
        } wait: { _, backOff in
            try await deliver(.lost)
            return backOff
        }
    }

    private struct Clock: Decodable {
        let rate: Double
    }

    /// Reads one connection to its end.
    private func readOnce(
        _ isOpen: inout Bool, deliver: (EmulatedPhoneEvent) async throws -> Void
    ) async throws {
        _ = try await phone()
        let clock = try await api.send(.GET, "\(url)/clock", token: nil).decode(Clock.self)
        isOpen = true
        try await ReopenedStream.deliver { try await deliver(.rate(clock.rate)) }
        var request = HTTPClientRequest(url: "\(url)/phones/\(id)/stream")
        request.headers.add(name: "Accept", value: "text/event-stream")
        let response = try await client.execute(request, deadline: .distantFuture)
        guard response.status == .ok else {
            throw CommandFailure(.unavailable, "The phone's stream answered \(response.status.code).")
        }
        var parser = EventStreamParser(lineBytesMax: Self.eventBytesMax)
        for try await buffer in response.body {
            for event in try parser.read(buffer.readableBytesView) where event.name == "phone" {
                let phone = try JSONDecoder().decode(EmulatedPhoneBody.self, from: Data(event.data.utf8))
                try await ReopenedStream.deliver { try await deliver(.phone(phone)) }
            }
        }
    }
}
