import Foundation
import LiveActivity

/// Pushes decoded from JSON, as a phone decodes them.
enum Pushes {
    /// When the tests begin, epoch seconds.
    static let noon = 1_795_262_400

    static func start(
        _ timestamp: Int, step: Int = 0, staleAt: Int? = nil, relevance: Double? = nil, isAlerting: Bool = true,
        hasAttributes: Bool = true
    ) -> PushPayload {
        var aps = body("start", timestamp, step: step, staleAt: staleAt, relevance: relevance)
        if hasAttributes {
            aps["attributes-type"] = "GroceryDeliveryAttributes"
            aps["attributes"] =
                [
                    "activity": "delivery-1", "delivery": "d-1", "reference": "G-1042", "store": "Nordhavn",
                    "itemCount": 18, "timeZone": "Europe/Copenhagen",
                ] as [String: Any]
        }
        if isAlerting { aps["alert"] = ["title": "Order received", "body": "We are picking it", "sound": "default"] }
        return decode(aps)
    }

    static func update(_ timestamp: Int, step: Int = 0, staleAt: Int? = nil, relevance: Double? = nil) -> PushPayload {
        decode(body("update", timestamp, step: step, staleAt: staleAt, relevance: relevance))
    }

    static func end(_ timestamp: Int, step: Int = 0, dismissalAt: Int? = nil) -> PushPayload {
        var aps = body("end", timestamp, step: step, staleAt: nil, relevance: nil)
        aps["dismissal-date"] = dismissalAt
        return decode(aps)
    }

    private static func body(
        _ event: String, _ timestamp: Int, step: Int, staleAt: Int?, relevance: Double?
    ) -> [String: Any] {
        var aps: [String: Any] = [
            "event": event, "timestamp": timestamp,
            "content-state": [
                "headline": ["code": "test", "values": [:] as [String: String], "text": "Step \(step)"]
                    as [String: Any],
                "phase": "picking", "progress": 0.5, "flags": [] as [String], "buttons": [] as [String],
                "revision": ["version": 1, "step": step],
            ] as [String: Any],
        ]
        aps["stale-date"] = staleAt
        aps["relevance-score"] = relevance
        return aps
    }

    private static func decode(_ aps: [String: Any]) -> PushPayload {
        do {
            let data = try JSONSerialization.data(withJSONObject: ["aps": aps])
            return try JSONDecoder().decode(PushPayload.self, from: data)
        } catch {
            preconditionFailure("A push of the tests must decode: \(error)")
        }
    }
}
