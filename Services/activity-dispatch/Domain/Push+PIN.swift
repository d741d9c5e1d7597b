import LiveActivity
import Messages
import OrderDomain

extension Push {
    /// The checked payload with the PIN as the customer reads it; nil before the check.
    ///
    /// - Parameter pins: nil where cards have no PIN: a sealed one is replaced by none.
    func bytesForPhone(openedBy pins: PINBox?) -> [UInt8]? {
        guard wanted.content.pin != nil else { return checkedBytes }
        let delivery = wanted.attributes.delivery.flatMap(DeliveryID.init(rawValue:))
        return checkedBytes.map { bytes in
            PINBox.replacingPIN(in: bytes) { sealed in delivery.flatMap { pins?.open(sealed, of: $0) } ?? "" }
        }
    }
}

extension DeviceEvent {
    /// A stored event with the PIN as the customer reads it.
    static func data(_ data: String, openedBy pins: PINBox?) -> String {
        guard PINBox.hasPIN(in: data) else { return data }
        // The event's head names its delivery before the payload.
        let delivery = data.firstMatch(of: /"delivery":"([^"]+)"/).flatMap { DeliveryID(rawValue: String($0.output.1)) }
        let opened = PINBox.replacingPIN(in: Array(data.utf8)) { sealed in
            delivery.flatMap { pins?.open(sealed, of: $0) } ?? ""
        }
        return String(decoding: opened, as: UTF8.self)
    }
}
