import Foundation

/// A measured figure, as a row of a report.
struct Figure {
    let name: String
    let measured: String
    /// The aim, and whether the figure reaches it; empty without an aim.
    let aim: String

    init(_ name: String, _ measured: Double, _ unit: String = "", _ aim: Aim? = nil) {
        func text(_ number: Double) -> String { unit.isEmpty ? number.text : "\(number.text) \(unit)" }
        self.name = name
        self.measured = text(measured)
        self.aim =
            switch aim {
            case .atMost(let bound): "≤ \(text(bound)), \(measured <= bound ? "reached" : "missed")"
            case .atLeast(let bound): "≥ \(text(bound)), \(measured >= bound ? "reached" : "missed")"
            case nil: ""
            }
    }

    /// - Parameter aim: in words.
    init(_ name: String, _ measured: any Cell..., aim: String = "") {
        self.name = name
        self.measured = measured.map(\.text).joined(separator: ", ")
        self.aim = aim
    }
}

/// The bound that a figure should stay within.
enum Aim {
    case atMost(Double)
    case atLeast(Double)
}

/// A value that a table of a report shows.
protocol Cell {
    var text: String { get }
}

extension String: Cell {
    var text: String { self }
}

extension Int: Cell {
    var text: String { String(self) }
}

extension Double: Cell {
    /// Up to two digits after the point, and three significant ones below 1.
    var text: String {
        let precision: NumberFormatStyleConfiguration.Precision =
            abs(self) < 1 ? .significantDigits(1...3) : .fractionLength(0...2)
        return formatted(.number.locale(Locale(identifier: "en_US_POSIX")).grouping(.never).precision(precision))
    }

    /// A share as percents, with a tenth of one.
    var percent: String { "\(((self * 1_000).rounded() / 10).text) %" }

    /// - Parameter digits: after the point.
    func rounded(to digits: Int) -> Double {
        let unit = pow(10, Double(digits))
        return (self * unit).rounded() / unit
    }
}

extension [String: Double] {
    /// Each name with its figure, in the order of names.
    var listed: String { sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.text)" }.joined(separator: ", ") }

    /// The sum over the stack's processes, without the load.
    var ofStack: Double { filter { $0.key != "load" }.values.reduce(0, +) }
}
