package import DoorstepAPI
package import Foundation
internal import LiveActivity

/// The phone of `SampleTimeline`'s card.
package enum SamplePhone {
    package static func phone(
        activitiesEnabled: Bool = true, frequentPushesEnabled: Bool = true, hasStartToken: Bool = true,
        startFailure: CustomerPhoneBody.StartFailure? = nil, nextStartAt: Date? = nil, refused: String? = nil,
        push: CustomerPhoneBody.Push? = push(), high: CustomerPhoneBody.Count = .init(sent: 12, shown: 8, missing: 1)
    ) -> CustomerPhoneBody {
        let token = CustomerPhoneBody.Token(environment: .production, observedAt: at(-2_900))
        let none = CustomerPhoneBody.Count(sent: 0, shown: 0, missing: 0)
        return CustomerPhoneBody(
            id: "iphone-1", customer: "mette", transport: "apns", activitiesEnabled: activitiesEnabled,
            frequentPushesEnabled: frequentPushesEnabled, osVersion: "17.2", appVersion: "4.2",
            bundleID: "shop.nordhavn.app", registeredAt: at(-60), reportedAt: at(5),
            startToken: hasStartToken ? token : nil, startFailure: startFailure, nextStartAt: nextStartAt,
            circuits: refused.map {
                [.init(environment: .production, reason: $0, since: at(2), nextTryAt: at(17))]
            } ?? [],
            cards: [
                .init(
                    card: "c1", activity: "a", updateToken: .init(environment: .production, observedAt: at(2)),
                    newestPush: push)
            ],
            measured: [
                .init(hours: 1, starts: .init(sent: 1, shown: 1, missing: 0), high: high, low: none),
                .init(hours: 24, starts: none, high: high, low: .init(sent: 3, shown: 0, missing: 0)),
            ])
    }

    package static func push(
        _ result: String? = "taken", reason: String? = nil, seenAt: Double? = nil, missedAt: Double? = nil
    ) -> CustomerPhoneBody.Push {
        .init(
            at: at(13), event: "update", priority: 10, revision: Revision(version: 7, step: 2), result: result,
            reason: reason, apnsID: result == "taken" ? "eabeae54-14a8-11e5-b60b-1697f925ec7b" : nil,
            seenAt: seenAt.map(at), missedAt: missedAt.map(at))
    }

    private static func at(_ minutes: Double) -> Date { SampleDeliveries.at(minutes) }
}
