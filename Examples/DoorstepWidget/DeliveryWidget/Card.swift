import Foundation
import LiveActivity
import WidgetKit

/// What there is to draw, in the words of the app's language.
struct Card {
    let attributes: GroceryDeliveryAttributes
    let content: GroceryDeliveryAttributes.ContentState
    let isStale: Bool
    let words: Words

    init(_ context: ActivityViewContext<GroceryDeliveryAttributes>) {
        attributes = context.attributes
        content = context.state
        isStale = context.isStale
        words = Words(locale: Bundle.main.preferredLocalizations.first ?? "en", hourCycle: HourCycle(.current))
    }

    /// When it is drawn, epoch seconds: a time on another day is written with its day.
    var now: Int { Int(Date.now.timeIntervalSince1970) }

    /// The whole card in sentences, for VoiceOver; without the PIN on a locked phone that hides private content.
    func spokenLabel(isPrivate: Bool) -> String {
        content.spokenLabel(attributes, words: words, now: now, isStale: isStale, isPrivate: isPrivate)
    }

    /// What fits where it is drawn, at the text size that its person has chosen.
    func layout(
        size: TextSize, isAlwaysOn: Bool = false, place: CardLayout.Place = .lockScreen
    ) -> CardLayout {
        CardLayout(
            content, attributes, words: words, now: now, isStale: isStale, isAlwaysOn: isAlwaysOn, size: size,
            place: place)
    }
}
