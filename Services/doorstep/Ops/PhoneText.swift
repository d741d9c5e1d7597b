import DeliveryDiagnosis
import DoorstepAPI
import Foundation

/// The iPhones of a delivery's customer as lines to print, what is known of each below its title.
struct PhoneText {
    let lines: [String]

    /// - Parameter now: domain time.
    init(_ phones: [CustomerPhoneBody], now: Date, timeZone: TimeZone) {
        lines = phones.filter(\.isPushed).map { PhoneOverview($0, now: now, timeZone: timeZone) }.flatMap { phone in
            ["  \(phone.title)"] + Self.details(phone).map { "    \($0)" }
        }
    }

    private static func details(_ phone: PhoneOverview) -> [String] {
        let cards = phone.cards.flatMap { [$0.token, $0.newestPush.map { "  last push: \($0)" }].compactMap(\.self) }
        return phone.refusals + [phone.starts] + cards + [phone.report] + phone.measured
    }
}
