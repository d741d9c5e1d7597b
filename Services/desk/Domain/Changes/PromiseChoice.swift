import Foundation
import OrderDomain
import WireCoding

/// A new window that an operator promises by one press, of one delivery or of several.
enum PromiseChoice: Hashable, Sendable {
    /// The window of the newest estimate, in whole five minutes.
    case expected
    /// The promised window, some minutes later.
    case later(minutes: Int)

    static let all: [PromiseChoice] = [.expected] + [15, 30, 60, 120].map { .later(minutes: $0) }

    private static let stepSeconds: TimeInterval = 300

    /// The window for a delivery; nil without an estimate that it needs or after its arrival, and where the window
    /// would be over.
    ///
    /// - Parameter now: domain time.
    func promise(inPlaceOf promise: Promise, estimate: Estimate?, now: Date) -> Promise? {
        switch self {
        case .expected:
            guard let estimate, estimate.arrivesAt > now else { return nil }
            let start = Self.step(of: max(estimate.earliest, now), .down)
            return Promise(start: start, end: max(Self.step(of: estimate.latest, .up), start + Self.stepSeconds))
        case .later(let minutes):
            let seconds = TimeInterval(minutes) * 60
            guard promise.end + seconds > now else { return nil }
            return Promise(start: promise.start + seconds, end: promise.end + seconds)
        }
    }

    private static func step(of date: Date, _ rule: FloatingPointRoundingRule) -> Date {
        Date(timeIntervalSince1970: (date.timeIntervalSince1970 / stepSeconds).rounded(rule) * stepSeconds)
    }

    /// The choice beside a window: `as expected`, `30 min later`.
    var text: String {
        switch self {
        case .expected: "as expected"
        case .later(let minutes): "\(minutes) min later"
        }
    }
}

extension PromiseChoice: RawRepresentable {
    var rawValue: String {
        switch self {
        case .expected: "expected"
        case .later(let minutes): "\(minutes)"
        }
    }

    init?(rawValue: String) {
        guard let choice = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = choice
    }
}

extension ChangeForm {
    /// The fields of a ``ChangeForm`` of kind `promise`.
    static func fields(of promise: Promise) -> [String: String] {
        [
            exactName(of: "start"): "\(promise.start.epochSeconds)",
            exactName(of: "end"): "\(promise.end.epochSeconds)",
        ]
    }

    /// The fields with the window that a button names, in place of those that were written.
    static func choosingWindow(_ fields: [String: String]) -> [String: String] {
        guard let ends = fields["window"]?.split(separator: "-").map(String.init), ends.count == 2 else {
            return fields
        }
        var chosen = fields.filter { !["window", "start", "end"].contains($0.key) }
        (chosen[exactName(of: "start")], chosen[exactName(of: "end")]) = (ends[0], ends[1])
        return chosen
    }
}
