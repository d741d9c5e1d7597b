import LiveActivity
import SwiftUI
import WidgetKit

/// The Lock Screen's card, and the small one of a watch, in colours that are legible on any wallpaper.
struct CardView: View {
    let card: Card
    @Environment(\.colorScheme) private var colorScheme
    @Environment(\.colorSchemeContrast) private var contrast
    @Environment(\.accessibilityReduceTransparency) private var reducesTransparency
    @Environment(\.isLuminanceReduced) private var isLuminanceReduced
    @Environment(\.widgetRenderingMode) private var renderingMode

    var body: some View {
        family
            .activityBackgroundTint(palette.background.color)
            .activitySystemActionForegroundColor(palette.color(of: .systemAction).color)
    }

    private var palette: CardPalette {
        CardPalette(
            scheme, hasIncreasedContrast: contrast == .increased, reducesTransparency: reducesTransparency)
    }

    private var scheme: CardScheme {
        if isLuminanceReduced { return .alwaysOn }
        if renderingMode != .fullColor { return .tinted }
        return colorScheme == .dark ? .dark : .light
    }

    @ViewBuilder private var family: some View {
        if #available(iOS 18.0, *) {
            CardOfFamily(card: card, palette: palette)
        } else {
            LockScreenCard(card: card, palette: palette)
        }
    }
}

@available(iOS 18.0, *)
struct CardOfFamily: View {
    let card: Card
    let palette: CardPalette
    @Environment(\.activityFamily) private var family

    var body: some View {
        if family == .small {
            SmallCard(card: card, palette: palette)
        } else {
            LockScreenCard(card: card, palette: palette)
        }
    }
}

/// At most 160 points high, since the system cuts off what is below: `CardLayout` says what gives way.
struct LockScreenCard: View {
    let card: Card
    let palette: CardPalette
    @Environment(\.isLuminanceReduced) private var isLuminanceReduced
    @Environment(\.dynamicTypeSize) private var dynamicTypeSize
    @Environment(\.redactionReasons) private var redactionReasons

    var body: some View {
        VStack(alignment: .leading, spacing: CardLayout.spacing) {
            if layout.shows(.top) {
                HStack {
                    if let mark = palette.mark(of: card.attributes.shop) {
                        mark.color.frame(width: 4, height: 12).accessibilityHidden(true)
                    }
                    Text(card.attributes.store)
                        .font(.caption)
                        .lineLimit(1)
                        .foregroundStyle(palette.color(of: .store).color)
                    Spacer()
                    RemainingText(card: card, palette: palette)
                        .font(.caption)
                }
            }
            HeadlineText(card: card, palette: palette, lines: layout.headlineLines)
            if layout.shows(.pin), let pin = card.words.pin(card.content) {
                Text(pin)
                    .font(.subheadline)
                    .bold()
                    .lineLimit(1)
                    .foregroundStyle(palette.color(of: .headline).color)
                    .privacySensitive()
            }
            if layout.shows(.arrival),
                let expected = card.words.expected(card.content, card.attributes, now: card.now, isStale: card.isStale)
            {
                Text(expected)
                    .font(.subheadline)
                    .lineLimit(1)
                    .foregroundStyle(palette.color(of: .arrival).color)
                    .contentTransition(.numericText())
                    .transition(.push(from: .bottom))
            }
            if layout.shows(.line) {
                ProgressLine(card: card, palette: palette)
            }
            if layout.shows(.detail), let detail = card.words.detail(card.content, card.attributes, now: card.now) {
                Text(detail)
                    .font(.caption)
                    .lineLimit(1)
                    .foregroundStyle(palette.color(of: .detail).color)
                    .contentTransition(.opacity)
                    .transition(.move(edge: .bottom))
            }
            if layout.shows(.buttons) {
                ButtonRow(card: card, palette: palette)
                    .transition(.opacity)
            }
        }
        .padding(CardLayout.margin)
        .accessibilityElement(children: .contain)
        .accessibilityLabel(card.spokenLabel(isPrivate: redactionReasons.contains(.privacy)))
    }

    private var layout: CardLayout {
        card.layout(size: TextSize(dynamicTypeSize), isAlwaysOn: isLuminanceReduced)
    }
}

/// No buttons: a tap opens the app on the phone.
struct SmallCard: View {
    let card: Card
    let palette: CardPalette

    var body: some View {
        VStack(alignment: .leading) {
            HeadlineText(card: card, palette: palette)
            RemainingText(card: card, palette: palette)
                .font(.caption)
        }
        .padding(8)
    }
}
