import Foundation
import Messages
import OrderDomain
import Testing
import TextCoding

@testable import ActivityDispatch

@Suite("PINs on their way to phones")
struct SealedPINTests {
    private let delivery = DeliveryID(UUID())

    private func event(_ pin: String) -> String {
        #"{"activity":"a","card":"c","delivery":"\#(delivery)","payload":{"aps":{"content-state":{"pin":"\#(pin)"}}}}"#
    }

    @Test("A stored event has the sealed PIN, and the device's stream the customer's")
    func stream() throws {
        let pins = PINBox(try SecretBox(keys: [1: Array(repeating: 7, count: 32)], encrypting: 1))
        let sealed = try pins.seal("0417", of: delivery)
        #expect(DeviceEvent.data(event(sealed), openedBy: pins) == event("0417"))
        #expect(DeviceEvent.data(event(sealed), openedBy: nil) == event(""), "no sealed text is shown as a PIN")
        let other = PINBox(try SecretBox(keys: [1: Array(repeating: 8, count: 32)], encrypting: 1))
        #expect(DeviceEvent.data(event(sealed), openedBy: other) == event(""))
        #expect(DeviceEvent.data(#"{"activity":"a-1"}"#, openedBy: pins) == #"{"activity":"a-1"}"#)
    }
}
