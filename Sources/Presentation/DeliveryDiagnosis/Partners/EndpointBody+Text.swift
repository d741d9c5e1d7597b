package import DoorstepAPI

extension EndpointBody {
    /// The endpoint's state in words, with the reason of a disabled one: `disabled: no attempt succeeded for five
    /// days`.
    package var stateText: String {
        guard state == .disabled, let disabledReason else { return state.rawValue }
        return "disabled: \(Self.text(ofReason: disabledReason))"
    }

    /// The events that are sent there: `every event`, or their types.
    package var eventsText: String {
        events.isEmpty ? "every event" : events.map(\.rawValue).joined(separator: ", ")
    }

    /// Whether events that should be sent are not.
    package var isWrong: Bool {
        switch state {
        case .enabled: false
        case .failing: true
        case .disabled: disabledReason != "asked"
        }
    }

    /// Endpoints by urgency: disabled automatically, failing, healthy, disabled by a person; each group by most waiting
    /// events.
    package static func worstFirst(_ endpoints: [EndpointBody]) -> [EndpointBody] {
        endpoints.sorted { one, other in
            if one.rank != other.rank { return one.rank < other.rank }
            if one.waiting != other.waiting { return one.waiting > other.waiting }
            return one.url < other.url
        }
    }

    private var rank: Int {
        switch state {
        case .disabled: isWrong ? 0 : 3
        case .failing: 1
        case .enabled: 2
        }
    }

    private static func text(ofReason reason: String) -> String {
        switch reason {
        case "gone": "its receiver answered 410, that it is gone"
        case "failing": "no attempt succeeded for five days"
        case "asked": "somebody asked for that"
        default: reason
        }
    }
}
