import Foundation
import LiveActivity

/// The outcome of a press on a card.
public enum PressOutcome: Hashable, Sendable {
    /// It was done, now or by an earlier press of the same link.
    case done(LinkAnswer)
    /// It was not done, or its outcome is unknown.
    case refused(DoorstepProblem)

    /// The card's line about the outcome, in English: the change, or the reason of a refusal.
    ///
    /// Without an answer it is a fixed sentence, since the Lock Screen shows it.
    public var line: String {
        switch self {
        case .done(let answer): answer.message
        case .refused(let problem): problem.status == nil ? problem.title : problem.localizedDescription
        }
    }

    /// The card's content after the press.
    func content(
        _ wanted: GroceryDeliveryAttributes.ContentState
    ) -> GroceryDeliveryAttributes.ContentState {
        guard case .done(let answer) = self else { return wanted.afterPress(line, answering: nil) }
        return wanted.afterPress(line, answering: answer.content)
    }
}
