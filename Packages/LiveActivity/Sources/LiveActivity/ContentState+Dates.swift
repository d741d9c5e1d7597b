public import Foundation

// A phone decodes whole seconds; these properties make SwiftUI's dates from them.

extension GroceryDeliveryAttributes.ContentState {
    /// The URL for a tap on the card's background, on the compact and on the minimal island, where a phone accepts one
    /// URL for all three: the delivery's details.
    ///
    /// Nil where the card has no such link: never a link with an effect, since a card is easily tapped by accident.
    public var tapURL: URL? {
        buttons.first { $0.verb == Verb.details.rawValue }.flatMap { URL(string: $0.url) }
    }

    /// When it arrives, as dates.
    public var arrivalDates: ClosedRange<Date>? { arrival?.dates }

    /// The interval for `Text(timerInterval:)`, from `now` to the end of the arrival; nil without an honest timer, as
    /// in `timerRange(now:isStale:)`.
    public func timerInterval(now: Date, isStale: Bool = false) -> ClosedRange<Date>? {
        let seconds = now.timeIntervalSince1970.rounded(.down)
        guard let whole = Int(exactly: seconds), let range = timerRange(now: whole, isStale: isStale) else {
            return nil
        }
        return Window(from: range.lowerBound, to: range.upperBound).dates
    }
}

extension Window {
    /// The window as dates.
    public var dates: ClosedRange<Date> {
        // Decoding sets no order: a range that is upside down is a crash.
        let start = Date(timeIntervalSince1970: TimeInterval(min(from, to)))
        return start...Date(timeIntervalSince1970: TimeInterval(max(from, to)))
    }
}

extension CardButton {
    /// The link's URL; nil where the text is not a URL.
    public var link: URL? { URL(string: url) }
}
