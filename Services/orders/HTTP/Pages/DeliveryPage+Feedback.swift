import CardPresentation
import Foundation
import InterfaceTexts
import LiveActivity
import OrderDomain
import WireCoding

/// The question after the end, whether everything was all right, with a button for each answer.
extension DeliveryPage {
    /// Nil for a delivery that was not delivered, and where it is too late for a first answer.
    var feedback: [String: Any]? {
        let delivery = state.delivery
        let given = delivery.feedback
        var values: [String: Any] = ["title": words.texts("page.feedback")]
        if let given {
            values["given"] = words.texts("page.feedback.given", ["answer": answer(given)])
            if given.settledAt != nil {
                values["note"] = words.texts("page.feedback.settled")
            } else if given.kind.isProblem {
                values["note"] = words.texts("page.feedback.asked")
            }
        }
        values["form"] = form
        return values["form"] == nil && given == nil ? nil : values
    }

    /// The form of an answer; nil where none is accepted now.
    private var form: [String: Any]? {
        let delivery = state.delivery
        guard delivery.acceptsFeedback(at: Date(timeIntervalSince1970: Double(now))),
            let link = Link.legal(for: delivery).first(where: { $0.verb == .feedback })
        else { return nil }
        let chosen = delivery.feedback?.items ?? []
        // A page keeps what is ticked by these ids, until another answer was recorded.
        let answeredAt = delivery.feedback?.at.epochSeconds ?? 0
        return [
            "path": "/l/\(signer.token(of: link))/feedback",
            "choice": [
                "legend": words.texts("page.feedback.items"),
                "items": delivery.items.enumerated().map { place, item -> [String: Any] in
                    [
                        "id": "feedback-item-\(place)-\(answeredAt)", "place": place,
                        "name": item.name.withoutDirectionControls, "isChosen": chosen.contains(item.id),
                    ]
                },
            ] as [String: Any],
            "buttons": DeliveryFeedback.Kind.allCases.map { kind -> [String: Any] in
                ["kind": kind.rawValue, "label": text(of: kind), "isMain": !kind.isProblem]
            },
        ]
    }

    /// The customer's own answer, with the names of its items.
    private func answer(_ given: DeliveryFeedback) -> String {
        let names = state.delivery.items.filter { given.items.contains($0.id) }.map(\.name.withoutDirectionControls)
        return ([text(of: given.kind)] + names).joined(separator: " · ")
    }

    private func text(of kind: DeliveryFeedback.Kind) -> String { words.texts("page.feedback.\(kind.rawValue)") }
}
