import LiveActivity
import SwiftUI
import WidgetKit

/// The Lock Screen's card, and the small one of a watch.
struct CardView: View {
    let card: Card

    var body: some View {
        if #available(iOS 18.0, *) {
            CardOfFamily(card: card)
        } else {
            LockScreenCard(card: card)
        }
    }
}

@available(iOS 18.0, *)
struct CardOfFamily: View {
    let card: Card
    @Environment(\.activityFamily) private var family

    var body: some View {
        if family == .small {
            SmallCard(card: card)
        } else {
            LockScreenCard(card: card)
        }
    }
}

/// At most 160 points high: the system cuts off what is below.
struct LockScreenCard: View {
    let card: Card
    @Environment(\.isLuminanceReduced) private var isLuminanceReduced

    var body: some View {
        VStack(alignment: .leading, spacing: 6) {
            HStack {
                Text(card.attributes.store)
                    .font(.caption)
                    .foregroundStyle(.secondary)
                Spacer()
                RemainingText(card: card)
                    .font(.caption)
            }
            HeadlineText(card: card)
            if let arrival = card.words.arrival(
                card.content, card.attributes, now: card.now, isStale: card.isStale)
            {
                Text(arrival)
                    .font(.subheadline)
                    .contentTransition(.numericText())
            }
            ProgressLine(card: card)
            if let detail = card.words.detail(card.content, card.attributes, now: card.now) {
                Text(detail)
                    .font(.caption)
                    .foregroundStyle(.secondary)
                    .lineLimit(1)
            }
            if !isLuminanceReduced {
                ButtonRow(card: card)
            }
        }
        .padding()
        .accessibilityElement(children: .contain)
        .accessibilityLabel(card.spokenLabel)
    }
}

/// No links: a tap on a watch opens the app on the phone.
struct SmallCard: View {
    let card: Card

    var body: some View {
        VStack(alignment: .leading) {
            HeadlineText(card: card)
            RemainingText(card: card)
                .font(.caption)
        }
        .padding(8)
    }
}
