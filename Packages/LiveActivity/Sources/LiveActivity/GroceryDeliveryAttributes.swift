/// The constant part of a card: customer, store and promise.
///
/// Whole epoch seconds and open strings only, so that today's app decodes what tomorrow's server sends.
public struct GroceryDeliveryAttributes: Codable, Hashable, Sendable {
    /// The card's id, which its app names in reports; nil on a card that the app started by itself.
    public let card: String?
    /// The activity this card shows: one delivery's episode, or one customer's summary.
    public let activity: String
    /// The delivery's id; nil on a summary.
    public let delivery: String?
    /// The order's number as the customer knows it; nil on a summary.
    public let reference: String?
    /// The store's name for the customer; empty on a summary of several stores.
    public let store: String
    /// The delivery's bag among the order's; nil on a summary.
    public let bag: Bag?
    /// Pieces ordered; on a summary, deliveries that are live.
    public let itemCount: Int
    /// The window that was promised first; nil on a summary.
    public let promise: Window?
    /// IANA name of the store's time zone: clock times on the card are in it.
    public let timeZone: String
    /// The shop's colours, as they were when the order was placed; nil where it has none.
    public let shop: Shop?

    public init(
        card: String? = nil, activity: String, delivery: String?, reference: String?, store: String, bag: Bag?,
        itemCount: Int, promise: Window?, timeZone: String, shop: Shop? = nil
    ) {
        self.card = card
        self.activity = activity
        self.delivery = delivery
        self.reference = reference
        self.store = store
        self.bag = bag
        self.itemCount = itemCount
        self.promise = promise
        self.timeZone = timeZone
        self.shop = shop
    }

    /// The attributes with this card id.
    public func with(card: String) -> GroceryDeliveryAttributes {
        GroceryDeliveryAttributes(
            card: card, activity: activity, delivery: delivery, reference: reference, store: store, bag: bag,
            itemCount: itemCount, promise: promise, timeZone: timeZone, shop: shop)
    }

    /// The attributes with another name of the store.
    public func with(store: String) -> GroceryDeliveryAttributes {
        GroceryDeliveryAttributes(
            card: card, activity: activity, delivery: delivery, reference: reference, store: store, bag: bag,
            itemCount: itemCount, promise: promise, timeZone: timeZone, shop: shop)
    }

    /// The colours by which customers know a shop, each legible in its appearance.
    ///
    /// An app draws with them what states no urgency, such as the store's name; it has the shop's logo among its assets.
    public struct Shop: Codable, Hashable, Sendable {
        /// For the light appearance, such as `#0b62c4`; nil for the app's own colour.
        public let light: String?
        /// For the dark appearance.
        public let dark: String?

        public init(light: String?, dark: String?) {
            self.light = light
            self.dark = dark
        }
    }

    /// Bag 1 of 2.
    public struct Bag: Codable, Hashable, Sendable {
        public let number: Int
        public let count: Int

        public init(number: Int, count: Int) {
            self.number = number
            self.count = count
        }
    }

    /// The changing part: everything that a card needs to draw itself, whole, in each push.
    public struct ContentState: Codable, Hashable, Sendable {
        /// The first line.
        public var headline: Phrase
        /// The delivery's phase, in the customer's terms.
        public var phase: Phase
        /// 0 to 1 along the card's line: accepted 0, packed 1/3, picked up 2/3, at the door 1.
        public var progress: Double
        /// When it arrives; nil without an honest estimate.
        public var arrival: Window?
        /// The number that the customer gives the courier; nil unless the courier is near and has to ask for it.
        ///
        /// A view marks it as private, so that a locked phone that hides content hides it.
        public var pin: String?
        public var courier: Courier?
        /// The second line; nil where the headline is enough.
        public var detail: Phrase?
        /// Codes of the flags besides the phase, sorted.
        public var flags: [String]
        /// Deep links drawn as buttons, in their order on the card; at most three.
        public var buttons: [CardButton]
        /// The content's revision; a card never shows a lower one after a higher.
        public var revision: Revision

        public init(
            headline: Phrase, phase: Phase, progress: Double, arrival: Window? = nil, courier: Courier? = nil,
            detail: Phrase? = nil, flags: [String] = [], buttons: [CardButton] = [], revision: Revision,
            pin: String? = nil
        ) {
            self.headline = headline
            self.phase = phase
            self.progress = progress
            self.arrival = arrival
            self.courier = courier
            self.detail = detail
            self.flags = flags
            self.buttons = buttons
            self.revision = revision
            self.pin = pin
        }
    }
}

/// A time window in whole seconds since 1970.
public struct Window: Codable, Hashable, Sendable {
    public let from: Int
    /// The end of the window, not before `from`.
    public let to: Int

    public init(from: Int, to: Int) {
        self.from = from
        self.to = max(from, to)
    }
}

/// The courier, as far as a customer needs to know.
public struct Courier: Codable, Hashable, Sendable {
    public let name: String
    /// An open code: `bicycle`, `car`.
    public let vehicle: String
    /// Other doors before this one.
    public let stopsBefore: Int?
    /// When the courier's last fix was received, epoch seconds, while the courier is silent.
    public let silentSince: Int?
    /// False where the shop does not track the courier's phone, so that silence is no warning; nil where it does.
    public let isTracked: Bool?

    public init(
        name: String, vehicle: String, stopsBefore: Int? = nil, silentSince: Int? = nil, isTracked: Bool? = nil
    ) {
        self.name = name
        self.vehicle = vehicle
        self.stopsBefore = stopsBefore
        self.silentSince = silentSince
        self.isTracked = isTracked
    }
}

/// A deep link in the place of a button; not called `Button`, which an app that draws it with SwiftUI has already.
public struct CardButton: Codable, Hashable, Sendable {
    /// An open code, which the device turns into words of its locale.
    public let verb: String
    /// English words for a device that does not know the verb.
    public let title: String
    public let url: String

    public init(verb: String, title: String, url: String) {
        self.verb = verb
        self.title = title
        self.url = url
    }
}

/// The revision of a content.
///
/// Within an activity, contents are ordered by (ended, version, step): an end beats everything that is not one.
public struct Revision: Codable, Hashable, Comparable, Sendable {
    /// The version of the delivery that it shows.
    public let version: Int
    /// Orders the contents of one version: `orders` writes step 0, `courier-eta` steps from 1 up.
    public let step: Int

    public init(version: Int, step: Int) {
        self.version = version
        self.step = step
    }

    public static func < (one: Revision, other: Revision) -> Bool {
        (one.version, one.step) < (other.version, other.step)
    }
}
