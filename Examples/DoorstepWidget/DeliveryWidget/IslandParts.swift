import LiveActivity
import SwiftUI

/// Below the camera: as much as fits beside what is above.
struct IslandBottom: View {
    let card: Card
    @Environment(\.dynamicTypeSize) private var dynamicTypeSize

    var body: some View {
        VStack(spacing: CardLayout.spacing) {
            HeadlineText(card: card, palette: .island, lines: layout.headlineLines)
            if layout.shows(.line) {
                ProgressLine(card: card, palette: .island)
            }
            if layout.shows(.buttons) {
                ButtonRow(card: card, palette: .island)
                    .transition(.opacity)
            }
        }
        .dynamicTypeSize(layout.size.dynamicTypeSize)
    }

    private var layout: CardLayout { card.layout(size: TextSize(dynamicTypeSize), place: .expandedIsland) }
}

/// The phase's symbol, in its colour on the island's black.
struct PhaseSymbol: View {
    let card: Card

    var body: some View {
        Image(systemName: card.content.symbolName)
            .foregroundStyle(CardPalette.island.color(of: card.content.tint).color)
    }
}
