import ArgumentParser
import Foundation
import WireCoding

/// A time in the past as people write it: an age such as `10m`, or an instant.
enum PastTime: Hashable, Sendable {
    case ago(seconds: TimeInterval)
    case instant(Date)

    /// Nil for a text that is neither `90s`, `10m`, `2h`, `1d` nor `2026-11-21T18:24:00Z`.
    init?(_ text: String) {
        if let date = WireJSON.date(from: text) {
            self = .instant(date)
            return
        }
        let units: [Character: TimeInterval] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
            (1...100_000).contains(count)
        else { return nil }
        self = .ago(seconds: Double(count) * unit)
    }

    /// - Parameter now: domain time.
    func date(now: Date) -> Date {
        switch self {
        case .ago(let seconds): now.addingTimeInterval(-seconds)
        case .instant(let date): date
        }
    }
}

extension PastTime: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }

    var defaultValueDescription: String {
        switch self {
        case .ago(let seconds): "\(Int(seconds / 60))m"
        case .instant(let date): WireJSON.text(of: date)
        }
    }
}
