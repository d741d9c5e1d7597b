import DoorstepAPI
import Foundation
import OrderDomain

/// The intended delivery among a search's results.
enum DeliveryChoice {
    case one(BoardBody.Row)
    /// Worst first.
    case several([BoardBody.Row])
    case none

    /// Hours after its end for which a delivery's card may still be on a screen.
    ///
    /// - Source: `DismissalPolicy`: a card is dismissed four hours after its end at the latest.
    static let cardHoursMax = 4.0

    /// Hours after its end for which the card of a delivery with this status may still be on a screen.
    ///
    /// A hand-over may be confirmed up to twelve hours later, and its card ends with the confirmation.
    private static func onScreenHoursMax(of status: StatusCode) -> Double {
        cardHoursMax + (status == .delivered ? Delivery.reportedEndHoursMax : 0)
    }

    /// Prefers whole-word matches to prefixes, and live deliveries to ended ones; of ended ones, those with a card that
    /// may still be on a screen.
    ///
    /// - Parameters:
    ///   - rows: the search's results, worst first.
    ///   - now: domain time.
    init(_ rows: [BoardBody.Row], for text: String, now: Date) {
        let named = rows.narrowed { $0.isNamed(text) }
        let live = named.filter { $0.endedAt == nil }
        let onScreen = named.narrowed { row in
            row.endedAt.map { now.timeIntervalSince($0) < Self.onScreenHoursMax(of: row.status) * 3_600 } ?? true
        }
        let meant = live.isEmpty ? onScreen : live
        self = meant.count == 1 ? .one(meant[0]) : meant.isEmpty ? .none : .several(meant)
    }
}

extension [BoardBody.Row] {
    /// Whether they are an order's live bags with one promise, and the text is the order's reference.
    func areBags(of text: String) -> Bool {
        guard let first, first.reference.lowercased() == text.lowercased() else { return false }
        return allSatisfy {
            $0.endedAt == nil && $0.store == first.store && $0.reference == first.reference
                && $0.promise == first.promise
        }
    }

    /// Whether they are the beginning of a search's results, worst first, that ends after all live ones, and the text
    /// is the whole name of a live one: no later result is meant then.
    func namesAllLive(_ text: String) -> Bool {
        guard let last, last.endedAt != nil, last.need == nil else { return false }
        return contains { $0.endedAt == nil && $0.isNamed(text) }
    }

    /// The rows that fulfil the condition, or all where none does.
    fileprivate func narrowed(_ condition: (BoardBody.Row) -> Bool) -> [BoardBody.Row] {
        let kept = filter(condition)
        return kept.isEmpty ? self : kept
    }
}

extension BoardBody.Row {
    /// Whether the text is its id, its reference, its customer or its courier, in any case.
    fileprivate func isNamed(_ text: String) -> Bool {
        [id.rawValue, reference, customer?.rawValue, courier?.rawValue, courierName].contains {
            $0?.lowercased() == text.lowercased()
        }
    }
}
