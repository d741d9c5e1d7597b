import AsyncHTTPClient
import DomainTime
import Foundation
import LiveActivity
import NIOCore
import NIOHTTP1
import PhoneRules
import WireCoding

/// A device that follows its customer's cards: reads its stream from any replica, resumes after the last event id when
/// it breaks, applies pushes as a phone does, and reports the state of its cards.
package actor SimulatedDevice {
    package nonisolated let customer: String
    package nonisolated let id: String
    private let stack: any StackUnderTest
    private let token: String
    package private(set) var screen: Screen
    package private(set) var connections = 0
    private var move: AsyncStream<Void>.Continuation?

    package init(_ customer: String, id: String, stack: any StackUnderTest) async throws {
        self.customer = customer
        self.id = id
        self.stack = stack
        token = try await stack.tokens.customer(customer)
        screen = Screen(now: stack.clock.now.epochSeconds)
    }

    /// Runs until it is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.read() }
            group.addTask { await self.tick() }
        }
    }

    /// Closes the connection, so that the next one goes to another replica.
    package func reconnect() { move?.yield() }

    // MARK: Reading

    private func read() async {
        while !Task.isCancelled {
            let (moves, move) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            self.move = move
            await withTaskGroup(of: Void.self) { group in
                // However a connection ends, the next one resumes after the last event id.
                group.addTask { try? await self.readOnce() }
                group.addTask { for await _ in moves { return } }
                await group.next()
                group.cancelAll()
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private func readOnce() async throws {
        let base = "\(stack.url(.dispatch))/v1/devices/\(id)"
        try await send(.PUT, base, try WireJSON.encode(RegisterDeviceBody(locale: "en", timeZone: "UTC")))
        var request = HTTPClientRequest(url: "\(base)/stream")
        request.headers.add(name: "Accept", value: "text/event-stream")
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        if screen.lastSequence > 0 { request.headers.add(name: "Last-Event-ID", value: "\(screen.lastSequence)") }
        let response = try await RetryingClient.http.execute(request, deadline: .distantFuture)
        guard response.status == .ok else {
            throw RetryingClient.ResponseError(status: Int(response.status.code), body: "stream")
        }
        connections += 1
        // Reports sent while the server was down may be lost, so every card is reported again.
        try await report(screen.phone.rememberedCards.compactMap { ReportBody(of: $0) }, to: base)
        var events = EventStream()
        for try await buffer in response.body {
            for event in events.read(buffer.readableBytesView) {
                let body = try JSONDecoder().decode(PushEnvelope.self, from: Data(event.data.utf8))
                let changes = screen.receive(body, sequence: event.id, now: stack.clock.now.epochSeconds)
                // A report that fails is sent again with the next connection.
                try? await report(changes.compactMap { ReportBody(of: $0) }, to: base)
            }
        }
    }

    private func tick() async {
        while !Task.isCancelled {
            let changes = screen.advance(to: stack.clock.now.epochSeconds)
            let base = "\(stack.url(.dispatch))/v1/devices/\(id)"
            try? await report(changes.compactMap { ReportBody(of: $0) }, to: base)
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    private func report(_ reports: [ReportBody], to base: String) async throws {
        guard !reports.isEmpty else { return }
        try await send(.POST, "\(base)/reports", try WireJSON.encode(ReportsBody(reports: reports)))
    }

    private func send(_ method: HTTPMethod, _ url: String, _ body: Data) async throws {
        let (status, answer) = try await RetryingClient.attempt(method, url, token: token, body: body)
        guard (200..<300).contains(status) else {
            throw RetryingClient.ResponseError(status: status, body: String(decoding: answer, as: UTF8.self))
        }
    }
}

extension ReportBody {
    /// Nil for what the server knows already: that it updated or ended a card.
    fileprivate init?(of event: CardEvent) {
        switch event.kind {
        case .start, .end, .dismissed: self.init(of: event.card)
        case .update, .stale: return nil
        }
    }

    fileprivate init?(of card: PhoneCard) {
        let kind: Kind
        switch card.state {
        case .pending, .active, .stale: kind = .started
        case .ended:
            guard card.wasEndedBySystem else { return nil }
            kind = .ended
        case .dismissed: kind = .dismissed
        }
        self.init(
            card: card.id, activity: card.attributes.activity, kind: kind, revision: card.content.revision)
    }
}
