import CommandLineTestSupport
import CommandOutput
import DeliverySamples
import DoorstepAPI
import Foundation
import OrderDomain
import Testing
import TimePresentation

@testable import Doorstep

@Suite("Addresses that events are sent to, in the terminal")
struct EndpointTextTests {
    private static let times = StoreTimes(timeZone: "Europe/Copenhagen", now: SampleDeliveries.at(55))

    private static func endpoint(
        _ id: String, _ url: String, events: [WebhookEventType] = [], state: EndpointBody.State = .enabled,
        reason: String? = nil, waiting: Int = 0, secret: String? = nil
    ) -> EndpointBody {
        EndpointBody(
            id: SampleDeliveries.id(id), url: url, events: events,
            store: events.isEmpty ? nil : StoreID(rawValue: "nordhavn"), description: "the \u{1B}[31mtill",
            signature: .symmetric, state: state, disabledReason: reason,
            failingSince: state == .failing ? SampleDeliveries.at(5) : nil,
            pausedUntil: state == .failing ? SampleDeliveries.at(60) : nil, waiting: waiting,
            createdAt: SampleDeliveries.placedAt, secret: secret,
            formerSecretUntil: secret == nil ? nil : SampleDeliveries.at(24 * 60))
    }

    @Test("The list has what is wrong first, and says of what is disabled why")
    func list() throws {
        let text = [
            Self.endpoint("endpoint-1", "https://well.example/hook"),
            Self.endpoint("endpoint-2", "https://asked.example/hook", state: .disabled, reason: "asked"),
            Self.endpoint(
                "endpoint-3", "https://failing.example/hook", events: [.changed, .init(reached: .delivered)],
                state: .failing, waiting: 7),
            Self.endpoint("endpoint-4", "https://gone.example/hook", state: .disabled, reason: "gone"),
        ].table.text
        try expectGolden(text + "\n", "webhooks/list.txt")
        #expect([EndpointBody]().table.text == "no webhooks")
    }

    @Test("One address is shown with its secret where that was just made, and nothing of it steers the terminal")
    func show() throws {
        let text = Self.endpoint(
            "endpoint-3", "https://failing.example/hook", events: [.changed], state: .failing, waiting: 1,
            secret: "whsec_c2VjcmV0"
        ).text(Self.times)
        try expectGolden(text + "\n", "webhooks/show.txt")
        #expect(!text.contains("\u{1B}"))
        #expect(!Self.endpoint("endpoint-1", "https://well.example/hook").text(Self.times).contains("secret"))
    }

    private static func delivery(
        _ id: String, state: EventDeliveryBody.State, attempts: Int, status: Int? = nil, error: String? = nil,
        next: Double? = nil, isReplay: Bool = false, log: [AttemptBody]? = nil, body: String? = nil
    ) -> EventDeliveryBody {
        EventDeliveryBody(
            event: SampleDeliveries.id(id), type: .init(reached: .enRoute), delivery: nil, state: state,
            isReplay: isReplay, attempts: attempts, createdAt: SampleDeliveries.placedAt,
            nextAttemptAt: next.map { SampleDeliveries.at($0) }, lastStatus: status, lastError: error, log: log,
            body: body)
    }

    @Test("The log has what each event was answered, and says how to go on")
    func log() throws {
        let text = EventDeliveriesBody(
            deliveries: [
                Self.delivery("msg_1", state: .waiting, attempts: 2, error: "no connection in time", next: 5),
                Self.delivery("msg_2", state: .delivered, attempts: 1, status: 204, isReplay: true),
                Self.delivery("msg_3", state: .waiting, attempts: 0, next: 0),
            ], next: "c2"
        ).table(Self.times).text
        try expectGolden(text + "\n", "webhooks/log.txt")
        #expect(EventDeliveriesBody(deliveries: [], next: nil).table(Self.times).text == "no events")
    }

    @Test("One event is shown with each attempt and its body")
    func event() throws {
        let log = [
            AttemptBody(
                at: SampleDeliveries.placedAt, milliseconds: 15_000, status: nil, error: "no answer in time",
                answer: nil),
            AttemptBody(
                at: SampleDeliveries.at(5), milliseconds: 12, status: 500, error: nil, answer: "out of\norder"),
        ]
        let text = Self.delivery(
            "msg_1", state: .waiting, attempts: 2, status: 500, next: 35, log: log,
            body: #"{"type":"delivery.en_route"}"#
        ).text(Self.times)
        try expectGolden(text + "\n", "webhooks/event.txt")
    }

    @Test("How many events will be sent is said in words")
    func queued() {
        let texts = [0, 1, 12].map { QueuedBody(queued: $0).text }
        #expect(texts == ["Nothing will be sent", "1 event will be sent", "12 events will be sent"])
    }

    @Test("An event that a person mistypes is answered with those that there are")
    func mistyped() throws {
        #expect(try WebhookEventType.argument("delivery.en_route").status == .enRoute)
        #expect {
            _ = try WebhookEventType.argument("delivery.teleported")
        } throws: { "\($0)".contains("delivery.en_route") && "\($0)".contains("delivery.changed") }
    }

    @Test("A time is an instant, and nothing else")
    func times() throws {
        #expect(try WebhooksReplay.time("2026-11-21T17:00:00Z") == SampleDeliveries.placedAt)
        #expect(throws: (any Error).self) { try WebhooksReplay.time("17:00") }
    }
}
