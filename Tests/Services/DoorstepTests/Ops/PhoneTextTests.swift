import CommandLineTestSupport
import DeliverySamples
import DoorstepAPI
import Foundation
import Testing

@testable import Doorstep

@Suite("What is said of a customer's iPhones")
struct PhoneTextTests {
    static let phones: [String: CustomerPhoneBody] = [
        "well": SamplePhone.phone(push: SamplePhone.push(seenAt: 13.6)),
        "refused-key": SamplePhone.phone(
            refused: "InvalidProviderToken", push: SamplePhone.push("halted", reason: "InvalidProviderToken")),
        "throttled": SamplePhone.phone(
            frequentPushesEnabled: false, push: SamplePhone.push(missedAt: 13.5),
            high: .init(sent: 12, shown: 3, missing: 7)),
        "token-gone": SamplePhone.phone(hasStartToken: false, push: SamplePhone.push("gone", reason: "Unregistered")),
        "switched-off": SamplePhone.phone(activitiesEnabled: false, push: nil),
    ]

    @Test("What is said of each phone is what was reviewed", arguments: phones.keys.sorted())
    func golden(name: String) throws {
        let phone = try #require(Self.phones[name])
        let text = [phone].lines(now: SampleDeliveries.at(14), timeZone: .gmt).joined(separator: "\n") + "\n"
        try expectGolden(text, "ops/phone-\(name).txt")
    }
}
