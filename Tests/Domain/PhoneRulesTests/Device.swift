import Foundation
import LiveActivity
import PhoneRules

/// An iPhone of the tests with one app on it, and the pushes to it.
struct Device {
    var phone: PushedPhone
    var time = Pushes.noon
    private var pushesCount = 0

    init(version: String = "18.0", change: (inout PushedPhone.Settings) -> Void = { _ in }) {
        guard let version = OSVersion(version) else { preconditionFailure("A version of the tests") }
        var settings = PushedPhone.Settings(osVersion: version, bundleID: "shop.nordhavn.app", tokenSeed: 1)
        change(&settings)
        phone = PushedPhone(settings, at: Pushes.noon)
    }

    /// Starts a card.
    mutating func start(change: (inout [String: Any]) -> Void = { _ in }) -> PushOutcome? {
        push("start", time, token: phone.startToken, change: change)
    }

    /// Updates the first card, or the one whose token it is.
    mutating func update(
        _ timestamp: Int, token: String? = nil, step: Int = 0, priority: Int = 10,
        change: (inout [String: Any]) -> Void = { _ in }
    ) -> PushOutcome? {
        push("update", timestamp, token: token, step: step, priority: priority, change: change)
    }

    mutating func push(
        _ event: String, _ timestamp: Int, token: String? = nil, step: Int = 0, priority: Int = 10,
        change: (inout [String: Any]) -> Void = { _ in }
    ) -> PushOutcome? {
        let bytes = body(event, timestamp, step: step, change: change)
        return settled(deliver(bytes, token: token, priority: priority)).values.first
    }

    mutating func deliver(
        _ bytes: [UInt8], token: String? = nil, id: String? = nil, priority: Int = 10, expiration: Int? = nil
    ) -> [PhoneEffect] {
        pushesCount += 1
        let token = token ?? phone.activities.lazy.compactMap(\.updateToken).first ?? ""
        return phone.deliver(
            PendingPush(
                id: id ?? "push-\(pushesCount)", token: token, priority: priority, expiration: expiration, bytes: bytes),
            at: time)
    }

    func settled(_ effects: [PhoneEffect]) -> [String: PushOutcome] {
        effects.reduce(into: [:]) { if case .settled(let id, let outcome) = $1 { $0[id] = outcome } }
    }

    func notices(_ effects: [PhoneEffect]) -> [AppNotice] {
        effects.compactMap { if case .app(let notice) = $0 { notice } else { nil } }
    }

    func body(
        _ event: String, _ timestamp: Int, step: Int = 0, change: (inout [String: Any]) -> Void = { _ in }
    ) -> [UInt8] {
        var aps: [String: Any] = [
            "event": event, "timestamp": timestamp, "content-state": Self.content(headline: "Step \(step)", step: step),
        ]
        if event == "start" {
            aps["attributes-type"] = "GroceryDeliveryAttributes"
            aps["attributes"] = Self.attributes(store: "Nordhavn")
            aps["alert"] = ["title": "Order received", "body": "We are picking it"]
            aps["input-push-token"] = 1
        }
        change(&aps)
        guard let data = try? JSONSerialization.data(withJSONObject: ["aps": aps]) else {
            preconditionFailure("A push of the tests is JSON")
        }
        return [UInt8](data)
    }

    static func attributes(store: String) -> [String: Any] {
        ["card": "c-1", "activity": "delivery-1", "store": store, "itemCount": 18, "timeZone": "Europe/Copenhagen"]
    }

    static func content(headline: String, step: Int = 0) -> [String: Any] {
        [
            "headline": ["code": "test", "values": [:] as [String: String], "text": headline] as [String: Any],
            "phase": "picking", "progress": 0.5, "flags": [] as [String], "buttons": [] as [String],
            "revision": ["version": 1, "step": step],
        ]
    }
}
