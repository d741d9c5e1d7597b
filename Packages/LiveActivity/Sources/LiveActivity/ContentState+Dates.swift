public import Foundation

// A phone decodes whole seconds; what SwiftUI draws is made from them here.

extension GroceryDeliveryAttributes.ContentState {
    /// What a tap on the card's background, on the compact and on the minimal island opens, where a phone takes one URL
    /// for all three: the delivery's details.
    ///
    /// Nil where the card has no such link: never a link that does something, since a tap on a card is easily made.
    public var tapURL: URL? {
        buttons.first { $0.verb == Verb.details.rawValue }.flatMap { URL(string: $0.url) }
    }

    /// When it arrives, as dates.
    public var arrivalDates: ClosedRange<Date>? { arrival?.dates }

    /// What `Text(timerInterval:)` counts through, from `now` to the end of the arrival; nil where there is no honest
    /// timer, as `timerRange(now:isStale:)` says.
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
    /// What it opens; nil where the text is no URL.
    public var link: URL? { URL(string: url) }
}
