import AppIntents
import LiveActivity
import SwiftUI

/// The first line; on a stale card it has a mark, since nobody knows whether it is still so.
struct HeadlineText: View {
    let card: Card
    let palette: CardPalette
    var lines = 2

    var body: some View {
        HStack {
            if card.isStale {
                Image(systemName: "exclamationmark.triangle")
                    .transition(.opacity)
            }
            Text(card.words.headline(card.content, card.attributes, now: card.now))
                .font(.headline)
                .lineLimit(lines)
                .minimumScaleFactor(0.6)
                .contentTransition(.numericText())
        }
        .foregroundStyle(palette.color(of: card.isStale ? .staleHeadline : .headline).color)
    }
}

/// A timer that counts without pushes to the end of the arrival; clock times where there is no honest timer, and on an
/// always-on screen, which is not redrawn each second.
struct RemainingText: View {
    let card: Card
    let palette: CardPalette
    var isShort = false
    @Environment(\.isLuminanceReduced) private var isLuminanceReduced

    var body: some View {
        remaining.foregroundStyle(palette.color(of: .remaining).color)
    }

    @ViewBuilder private var remaining: some View {
        if !isLuminanceReduced, let interval = card.content.timerInterval(now: .now, isStale: card.isStale) {
            Text(timerInterval: interval, countsDown: true)
                .monospacedDigit()
                .multilineTextAlignment(.trailing)
                .contentTransition(.numericText(countsDown: true))
        } else if isShort {
            Text(card.words.shortPhase(card.content))
        } else if let arrival = card.content.arrival, card.content.phase != .ended {
            Text(card.words.window(arrival, timeZone: card.attributes.timeZone, now: card.now))
                .contentTransition(.numericText())
        } else {
            Text(card.words.phase(card.content))
        }
    }
}

struct ProgressLine: View {
    let card: Card
    let palette: CardPalette

    var body: some View {
        ProgressView(value: card.content.progress)
            .tint(palette.color(of: card.content.tint).color)
            .frame(height: CardLayout.lineHeight)
            .accessibilityHidden(true)
    }
}

struct ButtonRow: View {
    let card: Card
    let palette: CardPalette

    var body: some View {
        HStack {
            ForEach(card.content.buttons, id: \.verb) { button in
                if let link = button.link {
                    if #available(iOS 17.0, *) {
                        ActingButton(card: card, palette: palette, button: button, link: link)
                    } else {
                        LinkButton(card: card, palette: palette, button: button, link: link)
                    }
                }
            }
        }
    }
}

/// A link that stands for a button; it opens the app, which asks and then presses.
struct LinkButton: View {
    let card: Card
    let palette: CardPalette
    let button: CardButton
    let link: URL

    var body: some View {
        Link(destination: link) {
            ButtonTitle(card: card, palette: palette, button: button)
        }
    }
}

/// A button that presses its link without opening the app, where its verb may be done so.
@available(iOS 17.0, *)
struct ActingButton: View {
    let card: Card
    let palette: CardPalette
    let button: CardButton
    let link: URL

    var body: some View {
        switch button.press {
        case .opensApp:
            LinkButton(card: card, palette: palette, button: button, link: link)
        case .acts(.alwaysAllowed):
            Button(intent: PressLink(link: link, activity: card.attributes.activity)) {
                ButtonTitle(card: card, palette: palette, button: button)
            }
            .buttonStyle(.plain)
        case .acts(.requiresAuthentication):
            Button(intent: PressLinkUnlocked(link: link, activity: card.attributes.activity)) {
                ButtonTitle(card: card, palette: palette, button: button)
            }
            .buttonStyle(.plain)
        }
    }
}

struct ButtonTitle: View {
    let card: Card
    let palette: CardPalette
    let button: CardButton

    var body: some View {
        Text(card.words.shortTitle(button, in: card.content))
            .font(.caption)
            .lineLimit(1)
            .minimumScaleFactor(0.6)
            .padding(.horizontal, 10)
            .padding(.vertical, CardLayout.buttonPadding)
            .foregroundStyle(palette.color(of: .button).color)
            .background(palette.buttonFill.color, in: Capsule())
    }
}
