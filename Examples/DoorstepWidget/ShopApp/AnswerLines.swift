import DoorstepDevice
import Foundation
import LiveActivity
import SwiftUI

/// The lines of a link's answer, and the links that reach the courier and the store.
struct AnswerLines: View {
    let answer: LinkAnswer

    var body: some View {
        VStack {
            ForEach(Array(details.enumerated()), id: \.offset) { line in
                Text(line.element)
            }
            link("Call the courier", courier)
            link("Call the store", answer.store?.call)
            link("Ask the store", answer.store?.web)
            link("Write to the store", answer.store?.mail)
        }
    }

    /// The courier's number without what people write between its digits.
    private var courier: String? {
        guard let phone = answer.phone else { return nil }
        let number: String = phone.filter { "+0123456789".contains($0) }
        return "tel:" + number
    }

    private var details: [String] {
        let words = Words(locale: Bundle.main.preferredLocalizations.first ?? "en", hourCycle: HourCycle(.current))
        let now = Int(Date.now.timeIntervalSince1970)
        return (answer.details ?? []).map { words.text($0, timeZone: answer.attributes.timeZone, now: now) }
    }

    @ViewBuilder
    private func link(_ title: String, _ text: String?) -> some View {
        if let url = text.flatMap({ URL(string: $0) }) {
            Link(destination: url) {
                Text(title)
            }
        }
    }
}
