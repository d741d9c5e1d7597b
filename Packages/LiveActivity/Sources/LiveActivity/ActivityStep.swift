/// A complete wanted state of an activity, or its end.
///
/// `ActivityStep.after(_:arrival:legProgress:step:dismissal:now:)` makes one from a delivery; an intent carries it, and
/// a push is rendered from it.
public enum ActivityStep: Hashable, Sendable {
    case show(ShownActivity)
    case ended(EndedActivity)

    public var attributes: GroceryDeliveryAttributes {
        switch self {
        case .show(let shown): shown.attributes
        case .ended(let ended): ended.attributes
        }
    }

    public var content: GroceryDeliveryAttributes.ContentState {
        switch self {
        case .show(let shown): shown.content
        case .ended(let ended): ended.content
        }
    }

    /// The step with another content.
    public func with(_ content: GroceryDeliveryAttributes.ContentState) -> ActivityStep {
        switch self {
        case .show(let shown):
            .show(
                ShownActivity(
                    attributes: shown.attributes, content: content, startAt: shown.startAt, staleAt: shown.staleAt,
                    relevance: shown.relevance, alert: shown.alert, promisedUntil: shown.promisedUntil))
        case .ended(let ended):
            .ended(
                EndedActivity(
                    attributes: ended.attributes, content: content, endedAt: ended.endedAt,
                    dismissal: ended.dismissal, alert: ended.alert))
        }
    }

    /// The step without the customer's PIN, for every other reader.
    public var withoutPIN: ActivityStep {
        guard content.pin != nil else { return self }
        var content = content
        content.pin = nil
        return with(content)
    }

    /// The phones' alert, announced at most once; nil for none.
    public var alert: ActivityAlert? {
        switch self {
        case .show(let shown): shown.alert
        case .ended(let ended): ended.alert
        }
    }

    public var isEnd: Bool {
        switch self {
        case .show: false
        case .ended: true
        }
    }

    /// Whether this replaces `other` as the wanted state of the same activity: by (ended, version, step).
    public func supersedes(_ other: ActivityStep) -> Bool {
        if isEnd != other.isEnd { return isEnd }
        return content.revision > other.content.revision
    }

    /// Whether this repeats `other` with a later stale date: its writer is alive, and the state is still true.
    public func prolongs(_ other: ActivityStep) -> Bool {
        guard case .show(let new) = self, case .show(let old) = other else { return false }
        return new.content.revision == old.content.revision && new.staleAt > old.staleAt
    }

    /// Whether this replaces `other`: it is newer, or prolongs it.
    public func isNews(after other: ActivityStep) -> Bool { supersedes(other) || prolongs(other) }
}

extension ActivityStep: Codable {
    private enum CodingKeys: String, CodingKey { case show, ended }

    /// Reads `{"show": …}` or `{"ended": …}`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let ended = try container.decodeIfPresent(EndedActivity.self, forKey: .ended) {
            self = .ended(ended)
        } else {
            self = .show(try container.decode(ShownActivity.self, forKey: .show))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .show(let shown): try container.encode(shown, forKey: .show)
        case .ended(let ended): try container.encode(ended, forKey: .ended)
        }
    }
}

/// An activity that should be on the screen.
public struct ShownActivity: Codable, Hashable, Sendable {
    public let attributes: GroceryDeliveryAttributes
    public let content: GroceryDeliveryAttributes.ContentState
    /// No card need start before this, epoch seconds: when picking begins or 90 minutes before the promise starts.
    public let startAt: Int
    /// When the card becomes stale, epoch seconds; not later than the arrival's end.
    public let staleAt: Int
    /// The order of cards on a phone with several; higher first.
    public let relevance: Double
    public let alert: ActivityAlert?
    /// The end of the promise that holds now, epoch seconds; nil while that is the attributes' promise.
    public let promisedUntil: Int?

    public init(
        attributes: GroceryDeliveryAttributes, content: GroceryDeliveryAttributes.ContentState, startAt: Int,
        staleAt: Int, relevance: Double, alert: ActivityAlert?, promisedUntil: Int? = nil
    ) {
        self.attributes = attributes
        self.content = content
        self.startAt = startAt
        self.staleAt = staleAt
        self.relevance = relevance
        self.alert = alert
        self.promisedUntil = promisedUntil
    }

    /// When the delivery arrives at the latest, by its estimate or else by its promise, epoch seconds; nil without
    /// either.
    public var dueAt: Int? { content.arrival?.to ?? promisedUntil ?? attributes.promise?.to }

    /// Whether the goods still arrive: they are not on the way back, nor handed over by the courier's word.
    ///
    /// A state that an earlier version has written has the relevance too.
    public var isArriving: Bool { relevance != Relevance.nothingArrives }
}

/// An activity that is over.
public struct EndedActivity: Codable, Hashable, Sendable {
    public let attributes: GroceryDeliveryAttributes
    public let content: GroceryDeliveryAttributes.ContentState
    /// Since when the end is known, epoch seconds, from which the dismissal counts.
    public let endedAt: Int
    public let dismissal: Dismissal
    public let alert: ActivityAlert?

    public init(
        attributes: GroceryDeliveryAttributes, content: GroceryDeliveryAttributes.ContentState, endedAt: Int,
        dismissal: Dismissal, alert: ActivityAlert?
    ) {
        self.attributes = attributes
        self.content = content
        self.endedAt = endedAt
        self.dismissal = dismissal
        self.alert = alert
    }
}

/// The time for which an ended card stays on the Lock Screen.
public enum Dismissal: Codable, Hashable, Sendable {
    case immediate
    /// Seconds after the end.
    case after(seconds: Int)
    /// The system's time, up to four hours, or until the card is swiped away.
    case `default`

    /// Seconds that the system keeps an ended card at most: four hours (ActivityKit).
    public static let keptSecondsMax = 4 * 60 * 60
    /// Seconds that a card stays at least, so that a late end is seen.
    public static let keptSecondsMin = 60

    /// The time at which a card leaves the Lock Screen after an end sent `now`, both in epoch seconds; 0 is at once.
    public func date(endedAt: Int, now: Int) -> Int {
        switch self {
        case .immediate: 0
        case .default: now.addingSaturating(Self.keptSecondsMax)
        case .after(let seconds):
            min(
                max(endedAt.addingSaturating(seconds), now.addingSaturating(Self.keptSecondsMin)),
                now.addingSaturating(Self.keptSecondsMax))
        }
    }

    /// The date to put in a push that is sent `now`, both in epoch seconds; nil for none.
    public func pushedDate(endedAt: Int, now: Int) -> Int? {
        switch self {
        case .immediate, .after: date(endedAt: endedAt, now: now)
        case .default: nil
        }
    }
}

/// An alert, which lights the screen at most once on each card.
public struct ActivityAlert: Codable, Hashable, Sendable {
    /// The alert's id, equal for the same event, whichever service writes it.
    public let id: String
    /// Epoch seconds after which phones no longer raise the alert.
    public let validUntil: Int
    public let title: Phrase
    public let body: Phrase

    public init(id: String, validUntil: Int, title: Phrase, body: Phrase) {
        self.id = id
        self.validUntil = validUntil
        self.title = title
        self.body = body
    }
}
