import LiveActivity
import SwiftUI
import WidgetKit

/// The card of a delivery in every place where a phone shows it.
struct DeliveryWidget: Widget {
    var body: some WidgetConfiguration {
        ActivityConfiguration(for: GroceryDeliveryAttributes.self) { context in
            CardView(card: Card(context))
                .widgetURL(context.state.tapURL)
        } dynamicIsland: { context in
            let card = Card(context)
            return DynamicIsland {
                DynamicIslandExpandedRegion(.leading) {
                    Label {
                        Text(card.attributes.store)
                    } icon: {
                        PhaseSymbol(card: card)
                    }
                    .font(.caption)
                    .dynamicTypeSize(...DynamicTypeSize.accessibility1)
                    .foregroundStyle(CardPalette.island.color(of: .store).color)
                }
                DynamicIslandExpandedRegion(.trailing) {
                    RemainingText(card: card, palette: .island)
                        .font(.caption)
                        .dynamicTypeSize(...DynamicTypeSize.accessibility1)
                }
                DynamicIslandExpandedRegion(.bottom) {
                    IslandBottom(card: card)
                }
            } compactLeading: {
                PhaseSymbol(card: card)
            } compactTrailing: {
                // Wider covers the clock.
                RemainingText(card: card, palette: .island, isShort: true)
                    .frame(maxWidth: 52)
            } minimal: {
                PhaseSymbol(card: card)
            }
            .widgetURL(context.state.tapURL)
            .keylineTint(card.content.tint.color)
        }
        .supportsSmallFamily()
    }
}

extension WidgetConfiguration {
    /// Draws its own view in the Smart Stack of a watch and in CarPlay, which have the small family since iOS 18.
    func supportsSmallFamily() -> some WidgetConfiguration {
        if #available(iOS 18.0, *) {
            return supplementalActivityFamilies([.small])
        } else {
            return self
        }
    }
}
