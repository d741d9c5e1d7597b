import Messages

extension ArchiveSection {
    /// The heading of the section, in markup.
    var title: String {
        switch self {
        case .person: "About this archive"
        case .orders: "Orders"
        case .deliveries: "Deliveries"
        case .timeline: "What happened to your deliveries"
        case .presses: "Buttons that you pressed"
        case .proofs: "Checks at the door"
        case .arrivals: "Estimated and detected arrivals"
        case .devices: "Devices"
        case .cards: "Cards on your devices"
        case .pushes: "What your devices showed, and when"
        case .alerts: "Browsers that are notified"
        case .overrides: "Changes of cards by operators"
        case .events: "Events for the shop's systems"
        case .reports: "Reports of delivery providers"
        case .providerNames: "Delivery providers' names of your deliveries"
        case .notes: "Operators' notes about your deliveries"
        case .descriptions: "How the shop describes you"
        case .rides: "Your deliveries"
        case .actions: "What you did"
        case .courierPresses: "Buttons that you pressed on your page"
        case .positions: "Your positions"
        case .duties: "When you were on duty"
        case .phones: "Your phones"
        case .map: "Customers' maps"
        }
    }

    /// A sentence below the heading, in markup.
    var explanation: String {
        switch self {
        case .person: "Whose data these are, and when they were asked for."
        case .orders: "Each basket, as the shop placed it."
        case .deliveries: "Each hand-over at a door, with the address, the basket and the promise."
        case .timeline: "Every change, with the role of its actor."
        case .presses: "The first answer to each link of a card or a page."
        case .proofs: "Proofs of the hand-over; a PIN is not kept."
        case .arrivals: "When a courier was expected and detected; their positions are not stored for you."
        case .devices: "The phones that show your cards."
        case .cards: "A card is one delivery on one device."
        case .pushes: "Each message to a device, with the content of the card."
        case .alerts: "Subscriptions to notices about one delivery."
        case .overrides: "A person has restarted or ended a card by hand."
        case .events: "Sent to addresses that the shop has set; your deliveries and their changes are above."
        case .reports:
            "Received from the provider that carried the delivery; the texts name couriers, and are left out."
        case .providerNames: "The provider's own number of a delivery."
        case .notes: "Operators among themselves; the text may name others, and is left out."
        case .descriptions: "Your name, number and vehicle, for the whole shop or for one store."
        case .rides: "With how each names you, and nothing of its customer."
        case .actions: "Changes of deliveries that you made, of those too that another courier has had since."
        case .courierPresses: "The page that your link opens."
        case .positions: "Sent by your phones, your app or a delivery provider."
        case .duties: "Periods that were declared, with the role of who declared them."
        case .phones: "Phones that may send or could send your positions, without their credentials."
        case .map: "Your last place for customers' maps, or that no map shows you."
        }
    }

    /// The columns of a table with a row a record; nil for a table of each record.
    var columns: [String]? {
        switch self {
        case .person, .deliveries, .proofs, .devices, .events, .reports, .phones, .map: nil
        case .rides:
            [
                "pickedUpAt", "endedAt", "delivery", "storeName", "status", "statusSinceAt", "name",
                "phone", "vehicle", "store", "timeZone", "courierStatus",
            ]
        case .orders: ["order", "number", "store", "storeName", "placedAt", "language", "deliveries"]
        case .timeline: ["at", "delivery", "kind", "change", "by", "reason", "reportedAt"]
        case .presses: ["pressedAt", "delivery", "verb", "answer"]
        case .arrivals: ["delivery", "arrivesAt", "earliestAt", "latestAt", "estimatedAt", "milestones"]
        case .cards:
            ["startedAt", "card", "activity", "delivery", "device", "state", "scheduledAt", "dismissedAt", "reason"]
        case .pushes:
            [
                "sentAt", "activity", "card", "device", "event", "priority", "version", "step", "alert", "result",
                "cause", "seenAt", "content",
            ]
        case .alerts: ["subscribedAt", "delivery", "pushService", "language", "isOn", "alerts"]
        case .overrides: ["changedAt", "activity", "device", "change"]
        case .providerNames: ["setAt", "delivery", "provider", "source", "name"]
        case .notes: ["changedAt", "delivery", "snoozedUntilAt"]
        case .descriptions: ["store", "name", "phone", "vehicle", "describedAt"]
        case .actions: ["at", "delivery", "kind", "change", "reason"]
        case .courierPresses: ["pressedAt", "delivery", "action", "state", "dueAt"]
        case .positions: ["at", "latitude", "longitude", "accuracy", "speed", "heading", "receivedAt", "phone"]
        case .duties: ["beganAt", "endedAt", "by"]
        }
    }
}
