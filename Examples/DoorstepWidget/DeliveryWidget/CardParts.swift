import LiveActivity
import SwiftUI

/// The first line; on a stale card it has a mark and is dimmed, since nobody knows whether it is still so.
struct HeadlineText: View {
    let card: Card

    var body: some View {
        HStack {
            if card.isStale {
                Image(systemName: "exclamationmark.triangle")
            }
            Text(card.words.headline(card.content, card.attributes, now: card.now))
                .font(.headline)
                .lineLimit(2)
                .contentTransition(.numericText())
        }
        .opacity(card.isStale ? 0.6 : 1)
    }
}

/// A timer that counts without pushes to the end of the arrival; clock times where there is no honest timer, and on an
/// always-on screen, which is not redrawn each second.
struct RemainingText: View {
    let card: Card
    var isShort = false
    @Environment(\.isLuminanceReduced) private var isLuminanceReduced

    var body: some View {
        if !isLuminanceReduced, let interval = card.content.timerInterval(now: .now, isStale: card.isStale) {
            Text(timerInterval: interval, countsDown: true)
                .monospacedDigit()
                .multilineTextAlignment(.trailing)
                .contentTransition(.numericText(countsDown: true))
        } else if isShort {
            Text(card.words.shortPhase(card.content.phase))
        } else if let arrival = card.content.arrival, card.content.phase != .ended {
            Text(card.words.window(arrival, timeZone: card.attributes.timeZone, now: card.now))
                .contentTransition(.numericText())
        } else {
            Text(card.words.phase(card.content.phase))
        }
    }
}

struct ProgressLine: View {
    let card: Card

    var body: some View {
        ProgressView(value: card.content.progress)
            .tint(card.content.tint.color)
            .accessibilityHidden(true)
    }
}

/// Links that stand for buttons; each opens the app, which asks and then presses.
struct ButtonRow: View {
    let card: Card

    var body: some View {
        HStack {
            ForEach(card.content.buttons, id: \.verb) { button in
                if let link = button.link {
                    Link(destination: link) {
                        Text(card.words.shortTitle(button, in: card.content))
                            .font(.caption)
                            .lineLimit(1)
                    }
                }
            }
        }
    }
}
