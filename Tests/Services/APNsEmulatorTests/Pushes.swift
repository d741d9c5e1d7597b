import Foundation

/// Bodies of pushes.
enum Pushes {
    static func body(_ event: String, at timestamp: Int, step: Int = 0) -> [UInt8] {
        var aps: [String: Any] = [
            "event": event, "timestamp": timestamp,
            "content-state": [
                "headline": ["code": "test", "values": [:] as [String: String], "text": "Step \(step)"]
                    as [String: Any],
                "phase": "picking", "progress": 0.5, "flags": [] as [String], "buttons": [] as [String],
                "revision": ["version": 1, "step": step],
            ] as [String: Any],
        ]
        if event == "start" {
            aps["attributes-type"] = "GroceryDeliveryAttributes"
            aps["attributes"] =
                ["card": "c-1", "activity": "a-1", "store": "Nordhavn", "itemCount": 3, "timeZone": "UTC"]
                as [String: Any]
            aps["input-push-token"] = 1
            aps["alert"] = ["title": "Order received", "body": "We are picking it"]
        }
        guard let data = try? JSONSerialization.data(withJSONObject: ["aps": aps]) else {
            preconditionFailure("A push of the tests is JSON")
        }
        return [UInt8](data)
    }
}
