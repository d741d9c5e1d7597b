import CommandOutput
import InterfaceTexts
import LiveActivity
import OrderDomain
import PhoneRules

/// The question after the end: a card's button asks it, and the next key answers it.
extension TrackSession {
    /// Shows the answers below the card, each with its digit.
    func askForFeedback(on card: PhoneCard) {
        guard card.attributes.delivery != nil else { return }
        state.answers[card.id] = ScreenState.Answer(
            text: words.texts("page.feedback"), lines: words.feedbackChoices, until: elapsed() + Self.detailsTime)
        state.feedbackCard = card.id
    }

    /// Removes the question from the screen: every key answers it or closes it.
    ///
    /// - Returns: the card that it was about; nil where none was on the screen any more.
    func closeFeedbackQuestion() -> String? {
        guard let card = state.feedbackCard else { return nil }
        state.feedbackCard = nil
        guard let question = state.answers.removeValue(forKey: card), question.until > elapsed() else { return nil }
        return card
    }

    /// Sends the answer of a digit; any other key answers nothing.
    func answerFeedback(_ character: Character, on id: String) async {
        let kinds = DeliveryFeedback.Kind.allCases
        guard let card = state.focusedCard, card.id == id, let delivery = card.attributes.delivery,
            let number = character.wholeNumberValue, kinds.indices.contains(number - 1)
        else { return }
        let kind = kinds[number - 1]
        answer(id, words.texts("screen.asking"))
        output.show(state)
        changesSent += 1
        defer { if !Task.isCancelled { changesSent -= 1 } }
        do {
            try await actions.feedback(delivery, kind)
            answer(id, words.given(kind))
        } catch _ where Task.isCancelled {
            // The person has left: that is no answer.
        } catch let failure as CommandFailure {
            answer(id, words.refused(CardButton(verb: Verb.feedback.rawValue, title: "", url: ""), failure))
        } catch {
            answer(id, "\(error)".safeOnTerminal)
        }
    }
}
