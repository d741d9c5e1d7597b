package import DoorstepAPI

extension CardReportBody {
    /// Numbers of one kind, to draw as bars beside their table.
    package struct Chart: Hashable, Sendable {
        package let title: String
        package let bars: [Bar]

        package init(title: String, bars: [Bar]) {
            self.title = title
            self.bars = bars
        }

        package struct Bar: Hashable, Sendable {
            package let name: String
            package let count: Int

            package init(name: String, count: Int) {
                self.name = name
                self.count = count
            }
        }
    }

    /// The funnel, the permissions, the speed of changes, and why some were late.
    ///
    /// A chart of what is not recorded is missing.
    ///
    /// - Parameter presses: buttons that changed a delivery, of the same day; nil where they are not known.
    package func charts(presses: [DayReportBody.Press]?) -> [Chart] {
        [funnel, permissions, speed, late, presses.map(Self.presses)].compactMap(\.self)
    }

    private var funnel: Chart {
        var bars = [
            Chart.Bar(name: "Ended deliveries", count: figures.deliveries),
            Chart.Bar(name: "With a card", count: figures.deliveriesWithCard),
            Chart.Bar(name: "Cards started", count: figures.started),
            Chart.Bar(name: "Cards on screens", count: figures.cards),
        ]
        if let starts = figures.starts {
            bars += [
                Chart.Bar(name: "Started by push", count: starts.pushed),
                Chart.Bar(name: "Start shown", count: starts.shown),
            ]
        }
        bars += [
            Chart.Bar(name: "On screen at the end", count: figures.ends.cards),
            Chart.Bar(name: "Ended on time", count: figures.ends.onTime),
            Chart.Bar(name: "Swiped away", count: figures.swiped),
        ]
        return Chart(title: "From delivery to screen", bars: bars)
    }

    private var permissions: Chart {
        Chart(
            title: "Devices by permission",
            bars: [
                .init(name: "Allowed", count: figures.devices.allowed),
                .init(name: "Not asked yet", count: figures.devices.notAsked),
                .init(name: "Refused", count: figures.devices.refused),
                .init(name: "Switched off", count: figures.devices.switchedOff),
                .init(name: "Refused or switched off", count: figures.devices.disallowed),
            ])
    }

    private var speed: Chart? {
        figures.changes.map { changes in
            Chart(
                title: "Changes on the screen, as apps reported",
                bars: [
                    .init(name: "Reported within 5 s", count: changes.within5Seconds),
                    .init(name: "Reported within 30 s", count: changes.within30Seconds),
                    .init(name: "Reported at all", count: changes.shown),
                    .init(name: "Pushed", count: changes.pushed),
                ])
        }
    }

    private var late: Chart? {
        figures.late.map { late in
            Chart(
                title: "Late changes by cause",
                bars: [
                    .init(name: "Throttle", count: late.throttle), .init(name: "Budget", count: late.budget),
                    .init(name: "Offline", count: late.offline), .init(name: "No token", count: late.noToken),
                    .init(name: "Other", count: late.other),
                ])
        }
    }

    private static func presses(_ presses: [DayReportBody.Press]) -> Chart {
        Chart(title: "Pressed buttons", bars: presses.map { .init(name: $0.verb, count: $0.count) })
    }
}
