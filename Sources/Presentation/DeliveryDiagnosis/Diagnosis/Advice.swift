/// Advice for a person, as a text in which the medium names the operators' actions.
///
/// Written as a literal: `"call the courier; or \(action: .assignCourier)"`.
package struct Advice: Hashable, Sendable {
    package enum Part: Hashable, Sendable {
        case text(String)
        case action(OperatorAction)
    }

    /// The parts in reading order; no two texts are adjacent.
    package let parts: [Part]

    package init(_ text: String) { parts = [.text(text)] }

    /// The named actions, in reading order.
    package var actions: [OperatorAction] {
        parts.compactMap { part in
            guard case .action(let action) = part else { return nil }
            return action
        }
    }

    /// The whole text.
    package func text(naming name: (OperatorAction) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .action(let action): name(action)
            }
        }.joined()
    }
}

extension Advice: ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { append(literal) }

        package mutating func appendInterpolation(_ text: String) { append(text) }

        package mutating func appendInterpolation(action: OperatorAction) { parts.append(.action(action)) }

        private mutating func append(_ text: String) {
            guard !text.isEmpty else { return }
            guard case .text(let former)? = parts.last else { return parts.append(.text(text)) }
            parts[parts.count - 1] = .text(former + text)
        }
    }

    package init(stringLiteral text: String) { self.init(text) }

    package init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }
}
