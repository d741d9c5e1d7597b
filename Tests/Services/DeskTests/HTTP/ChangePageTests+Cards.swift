import DeliverySamples
import DoorstepAPI
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import Desk

extension ChangePageTests {
    @Test("Cards are reported as sent again or ended only where some were", arguments: ["resend", "end-cards"])
    func cards(kind: String) async throws {
        try await DeskUnderTest.run { desk, client in
            try desk.services.know(Self.delivery)
            let body = DeliveryBody(Self.delivery, dropOff: nil, links: [], for: Principal(.operator("ada")))
            let verb = kind == "resend" ? "resend" : "end-card"
            let change = "POST /v1/activities/\(body.activity)/\(verb)"
            let ada = try await desk.browser(client, role: .supervisor)
            func commit() async throws -> (TestResponse, html: String) {
                try await ada.post(
                    Self.path + "/change/\(kind)",
                    [("version", "\(Self.delivery.version)"), ("reason", "stuck"), ("step", "commit")])
            }
            try desk.services.answer("activity-dispatch", change, OverriddenBody(cards: 2), status: 202)
            #expect(try await commit().0.headers[.location] == Self.path + "?done=\(kind)")

            try desk.services.answer("activity-dispatch", change, OverriddenBody(cards: 0), status: 202)
            let none = try await commit()
            #expect(none.0.status == .unprocessableContent && none.html.contains("no card was changed"))
            #expect(none.html.contains("value=\"stuck\""), "the reason is still in the form")

            desk.services.set(away: ["activity-dispatch"])
            let away = try await commit()
            #expect(away.0.status == .serviceUnavailable && away.0.headers[.location] == nil)

            desk.services.set(away: [])
            try desk.services.answer("activity-dispatch", "/v1/activities", ActivitiesBody(activities: [], phones: []))
            let missing = try await commit()
            #expect(missing.0.status == .unprocessableContent && missing.html.contains("it has no cards"))
        }
    }

    @Test("Of several deliveries one of which no card was changed is not reported as sent again")
    func cardsOfSeveral() async throws {
        try await DeskUnderTest.run { desk, client in
            try desk.services.know(Self.delivery)
            let body = DeliveryBody(Self.delivery, dropOff: nil, links: [], for: Principal(.operator("ada")))
            try desk.services.answer(
                "activity-dispatch", "POST /v1/activities/\(body.activity)/resend", OverriddenBody(cards: 0),
                status: 202)
            let ada = try await desk.browser(client, role: .supervisor)
            let done = try await ada.post(
                "/bulk",
                [
                    ("kind", "resend"), ("reason", "stuck"), ("step", "commit"),
                    ("delivery", "\(Self.delivery.id) \(Self.delivery.version)"),
                ])
            #expect(done.html.contains("no card was changed") && !done.html.contains("sent again"))

            desk.services.set(away: ["activity-dispatch"], .ofReads)
            let unread = try await ada.post(
                "/bulk",
                [
                    ("kind", "resend"), ("reason", "stuck"), ("step", "commit"),
                    ("delivery", "\(Self.delivery.id) \(Self.delivery.version)"),
                ])
            #expect(unread.html.contains("not done: activity-dispatch does not answer"))
            #expect(!unread.html.contains("may have been made"))
        }
    }
}
