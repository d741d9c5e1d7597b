import CardPresentation
import DeliveryDiagnosis
import DoorstepAPI

/// A bar chart as a template draws it, in the units of its view box.
///
/// Its colours are those of the style sheet, so that it follows light and dark; the same numbers are in a table beside
/// it, for readers who cannot see it.
struct BarChart {
    static let width = 360
    private static let nameWidth = 150
    private static let rowHeight = 24
    private static let barHeight = 14
    /// The space for the longest bar; its number follows it.
    private static let barsWidth = 150

    let chart: CardReportBody.Chart

    var values: [String: Any] {
        let most = max(1, chart.bars.map(\.count).max() ?? 0)
        return [
            "title": chart.title, "label": label, "width": Self.width, "height": chart.bars.count * Self.rowHeight,
            "bars": chart.bars.enumerated().map { index, bar -> [String: Any] in
                let length = bar.count * Self.barsWidth / most
                return [
                    "name": bar.name.withoutDirectionControls, "count": bar.count, "nameX": Self.nameWidth - 8,
                    "x": Self.nameWidth, "y": index * Self.rowHeight + (Self.rowHeight - Self.barHeight) / 2,
                    "length": length, "thickness": Self.barHeight,
                    "baseline": index * Self.rowHeight + Self.rowHeight / 2, "countX": Self.nameWidth + length + 6,
                ]
            },
        ]
    }

    /// The chart in words.
    private var label: String {
        let bars = chart.bars.map { "\($0.name.withoutDirectionControls) \($0.count)" }.joined(separator: ", ")
        return "Bar chart, \(chart.title): \(bars)"
    }
}
