import DeliveryDiagnosis
import OrderDomain

extension PlannedMove {
    /// The fields of a ``ChangeForm`` of kind `courier`.
    var fields: [String: String] {
        [
            "version": "\(version)", "courier": target.courier?.rawValue ?? "nobody",
            "stops": target.courier == nil ? "" : target.stopsBefore.map { "\($0)" } ?? "",
        ]
    }

    /// The move as a form's value: id, version, courier and stops, former courier and stops; `*` for none.
    var text: String {
        "\(delivery) \(version) \(target.text) \(former.text)"
    }

    init?(_ text: String) {
        let parts = text.split(separator: " ").map(String.init)
        guard parts.count == 6, let delivery = DeliveryID(rawValue: parts[0]), let version = Int(parts[1]),
            let target = Place(parts[2], parts[3]), let former = Place(parts[4], parts[5])
        else { return nil }
        self.init(delivery, version: version, to: target, from: former)
    }
}

extension PlannedMove.Place {
    /// No courier, and no number: neither is an id of a courier.
    private static let none = "*"

    fileprivate var text: String {
        "\(courier?.rawValue ?? Self.none) \(stopsBefore.map { "\($0)" } ?? Self.none)"
    }

    fileprivate init?(_ courier: String, _ stops: String) {
        let (id, number) = (CourierID(rawValue: courier), Int(stops))
        guard id != nil || courier == Self.none, number != nil || stops == Self.none else { return nil }
        self.init(courier: id, stopsBefore: number)
    }
}
