import DeliveryDiagnosis
import DoorstepAPI
import Foundation

extension [CustomerPhoneBody] {
    /// The iPhones of a delivery's customer as lines to print, with each one's details below its title.
    ///
    /// - Parameter now: domain time.
    func lines(now: Date, timeZone: TimeZone) -> [String] {
        filter(\.isPushed).map { PhoneOverview($0, now: now, timeZone: timeZone) }.flatMap { phone in
            ["  \(phone.title)"] + phone.details.map { "    \($0)" }
        }
    }
}

extension PhoneOverview {
    fileprivate var details: [String] {
        let cards = cards.flatMap { [$0.token, $0.newestPush.map { "  last push: \($0)" }].compactMap(\.self) }
        return refusals + [starts] + cards + [report] + measured
    }
}
