import Foundation
import LiveActivity

/// What became of a press on a card.
public enum PressOutcome: Hashable, Sendable {
    /// It was done, now or by an earlier press of the same link.
    case done(LinkAnswer)
    /// It was not, or nobody knows whether it was.
    case refused(DoorstepProblem)

    /// What the card says of it, in English: what was done, or why not.
    public var line: String {
        switch self {
        case .done(let answer): answer.message
        case .refused(let problem): problem.localizedDescription
        }
    }

    /// What the card is to show: what is wanted, or where that is newer what the press was answered with, with the
    /// outcome in the place of the detail until the next push.
    func content(
        _ wanted: GroceryDeliveryAttributes.ContentState
    ) -> GroceryDeliveryAttributes.ContentState {
        var content = wanted
        if case .done(let answer) = self, answer.content.revision > content.revision { content = answer.content }
        // No code: a phrase without one is shown as its text.
        content.detail = Phrase(code: "", text: line)
        return content
    }
}
