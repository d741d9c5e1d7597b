import CommandOutput
import Foundation
import InterfaceTexts
import LiveActivity
import OrderDomain
import StackClient

/// The question after the end in a terminal: a number answers it.
extension Open {
    /// Asks whether everything was all right, and sends the answer; without a number of the list nothing is sent.
    ///
    /// - Throws: `CommandFailure` with the reason of `orders` where the answer is refused.
    func askForFeedback(
        about shown: LinkAnswer, _ settings: CustomerSettings, _ words: Words
    ) async throws {
        let kinds = DeliveryFeedback.Kind.allCases
        OutputStyle.writeSentence(([words.texts("page.feedback")] + words.feedbackChoices).joined(separator: "\n"))
        guard let delivery = shown.attributes.delivery, let number = readLine().flatMap({ Int($0) }),
            kinds.indices.contains(number - 1)
        else { return OutputStyle.writeSentence(words.texts("open.nothing_done")) }
        let kind = kinds[number - 1]
        try await FeedbackCommand.send(kind, about: delivery, settings)
        OutputStyle.writeSentence(words.given(kind))
    }
}

extension Words {
    /// The answers to the question after the end, each with its number from 1.
    var feedbackChoices: [String] {
        zip(1..., DeliveryFeedback.Kind.allCases).map { number, kind in "  \(number)  \(text(of: kind))" }
    }

    /// The confirmation of an answer.
    func given(_ kind: DeliveryFeedback.Kind) -> String {
        texts("page.feedback.given", ["answer": text(of: kind)])
    }

    private func text(of kind: DeliveryFeedback.Kind) -> String { texts("page.feedback.\(kind.rawValue)") }
}
