extension GroceryDeliveryAttributes.ContentState {
    /// Flags that stop the clock on a card.
    static let pausingFlags: Set<String> = [
        DeliverySnapshot.Flag.onHold.rawValue, DeliverySnapshot.Flag.needsCustomer.rawValue,
        DeliverySnapshot.Flag.courierSilent.rawValue,
    ]

    /// Whether a question waits for the customer's answer.
    public var isWaitingForCustomer: Bool { flags.contains(DeliverySnapshot.Flag.needsCustomer.rawValue) }

    /// Whether the card's question can be answered by its buttons.
    private var hasAnswers: Bool {
        buttons.contains { [Verb.approveSubstitution.rawValue, Verb.refuseSubstitution.rawValue].contains($0.verb) }
    }

    /// Whether the arrival is uncertain, since the courier's phone sends no fixes.
    public var isUncertain: Bool { flags.contains(DeliverySnapshot.Flag.courierSilent.rawValue) }

    /// Whether the shop tracks the courier; if not, silence is no warning.
    public var isTracked: Bool { courier?.isTracked ?? true }

    /// Whether the store has not confirmed the order yet: nothing on the card's line is reached.
    public var isUnconfirmed: Bool { headline.code == PhraseCode.placed.rawValue }

    /// Whether the customer has the goods by the courier's word, in the phase at the door.
    var isHandedOver: Bool { headline.code == PhraseCode.handedOver.rawValue }

    /// Whether the first promise, which the attributes have, holds: not after a move, whose time the detail has, nor
    /// while the delivery is not coming, or is with the customer by the courier's word; an end is measured against it.
    var hasFirstPromise: Bool {
        guard phase != .problem, !isHandedOver else { return false }
        return phase == .ended || !flags.contains(DeliverySnapshot.Flag.rescheduled.rawValue)
    }

    /// The customer's extra charge for the proposed substitute, or the discount if negative; nil without a question,
    /// for the same price, and where the difference is unknown.
    public var priceDifference: Amount? { headline.values["difference"].flatMap { Amount($0) } }

    /// The range of a timer, in epoch seconds: from `now` to the end of the arrival.
    ///
    /// Nil while paused (a problem, a hold, a question), while the courier is silent or untracked or the card stale,
    /// after an end, and once the arrival has passed.
    public func timerRange(now: Int, isStale: Bool = false) -> ClosedRange<Int>? {
        guard !isStale, isTracked, phase != .problem, phase != .ended, Self.pausingFlags.isDisjoint(with: flags),
            let arrival, now < arrival.to
        else { return nil }
        return now...arrival.to
    }

    /// The rest of the timer, in whole minutes rounded up: `13m`, `1h05m`; nil where there is no timer.
    public func minutesText(now: Int, isStale: Bool = false) -> String? {
        guard let range = timerRange(now: now, isStale: isStale) else { return nil }
        let seconds = range.upperBound.addingSaturating(range.lowerBound == .min ? .max : -range.lowerBound)
        let minutes = seconds.addingSaturating(59) / 60
        if minutes < 60 { return "\(minutes)m" }
        return "\(minutes / 60)h\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)m"
    }

    /// The accessibility label, in sentences: the store, the headline, the PIN digit by digit, the arrival and the
    /// detail.
    ///
    /// - Parameters:
    ///   - isPrivate: whether the screen is locked and hides private content, which the PIN is.
    ///   - isStaleSaid: whether the caller names a stale card as outdated itself.
    public func spokenLabel(
        _ attributes: GroceryDeliveryAttributes, words: Words, now: Int, isStale: Bool = false,
        isPrivate: Bool = false, isStaleSaid: Bool = false
    ) -> String {
        var about = [attributes.store].filter { !$0.isEmpty }
        if let reference = attributes.reference { about.append(words.label(.order, ["reference": reference])) }
        if let bag = words.bag(attributes) { about.append(bag) }
        var parts = Self.parts(of: words.headline(self, attributes, now: now))
        if !isPrivate, let pin, !pin.isEmpty {
            parts.append(words.label(.pin, ["pin": pin.map { String($0) }.joined(separator: " ")]))
        }
        if let difference = priceDifference, difference.minorUnits != 0 {
            let label: CardLabel = difference.minorUnits > 0 ? .spokenMore : .spokenLess
            parts.append(words.label(label, ["difference": difference.value]))
        }
        var isDoubted = headline.code.hasPrefix(PhraseCode.courierSilent.rawValue)
        if let arrival, now < arrival.to, phase != .ended, phase != .several {
            let isLikely = isUncertain || !isTracked || isStale
            isDoubted = isDoubted || isLikely
            parts.append(words.label(isLikely ? .spokenLikely : .spokenArrival, arrival, attributes, now: now))
        } else if phase != .ended, hasFirstPromise, let promise = attributes.promise, now < promise.to {
            parts.append(words.promise(.spokenPromise, promise, attributes, now: now))
        }
        if let detail = words.detail(self, attributes, now: now) { parts += Self.parts(of: detail) }
        if isStale, phase != .ended, !isDoubted, !isStaleSaid { parts.append(words.label(.spokenStale, [:])) }
        if hasAnswers { parts.append(words.label(.spokenAnswers, [:])) }
        let sentences = parts.map(Self.sentence).joined(separator: " ")
        return about.isEmpty ? sentences : "\(about.joined(separator: ", ")): \(sentences)"
    }

    /// The content after a press of a button: its own, or the answer's where that is newer, with the outcome in the
    /// place of the detail until the next push.
    ///
    /// - Parameters:
    ///   - message: the change, or the reason of a refusal.
    ///   - answer: the card as the answer has it; nil where nothing was done.
    public func afterPress(_ message: String, answering answer: Self?) -> Self {
        var content = self
        if let answer, answer.revision > revision {
            content = answer
            // Answers have no PIN; the courier asks for the same one while near, until the goods are handed over.
            let isNear = answer.phase == .arriving || answer.phase == .atDoor
            if isNear, !answer.isHandedOver { content.pin = pin }
        }
        // No code: a phrase without one is shown as its text.
        content.detail = Phrase(code: "", text: message)
        return content
    }

    private static func parts(of line: String) -> [String] { line.split(separator: " · ").map(String.init) }

    private static func sentence(_ part: String) -> String {
        let sentence = part.prefix(1).uppercased() + part.dropFirst()
        return sentence.last.map(".?!".contains) == true ? sentence : sentence + "."
    }

    /// The name of the SF Symbol for the phase; what is handed over has a check mark in place of the door.
    public var symbolName: String {
        switch phase {
        case .received: "bag"
        case .picking: "basket"
        case .packed: "shippingbox"
        case .onTheWay: courier?.vehicle == "bicycle" ? "bicycle" : "car"
        case .arriving: "location"
        case .atDoor: isHandedOver ? "checkmark.circle" : "door.left.hand.open"
        case .problem: "exclamationmark.triangle"
        case .several: "square.stack"
        case .ended: endedSymbolName
        default: "bag"
        }
    }

    private var endedSymbolName: String {
        switch PhraseCode(rawValue: headline.code) {
        case .delivered, .deliveredAtDoor, .summaryDone, .summaryLeft: "checkmark.circle"
        case .returned: "arrow.uturn.backward.circle"
        case .cancelled: "xmark.circle"
        case .failed: "exclamationmark.circle"
        default: "circle"
        }
    }

    /// The colour of the keyline; it never carries meaning alone.
    public var tint: Tint {
        switch phase {
        case .received: .blue
        case .picking: .teal
        case .packed: .indigo
        case .onTheWay: .green
        case .arriving: .mint
        case .atDoor: isHandedOver ? .gray : .purple
        case .problem: .orange
        case .several: .cyan
        default: .gray
        }
    }
}

/// A colour by name, as SwiftUI and terminals have them; open, so that tomorrow's does not break today's view.
public struct Tint: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let blue = Tint(rawValue: "blue")
    public static let teal = Tint(rawValue: "teal")
    public static let indigo = Tint(rawValue: "indigo")
    public static let green = Tint(rawValue: "green")
    public static let mint = Tint(rawValue: "mint")
    public static let purple = Tint(rawValue: "purple")
    public static let orange = Tint(rawValue: "orange")
    public static let cyan = Tint(rawValue: "cyan")
    public static let gray = Tint(rawValue: "gray")
}
