/// Every text of a card or an alert.
///
/// A phrase's code is one of these, or several joined by `+`, which are rendered one after the other. Each word table
/// switches over them without `default`, so a new code does not compile until every locale has words for it.
enum PhraseCode: String, CaseIterable {
    // Headlines: one for each status, and for conditions that precede the status.
    case placed, accepted, picking, staged
    case pickedUp = "picked_up"
    case pickedUpUnnamed = "picked_up_unnamed"
    case fetching
    case enRoute = "en_route"
    case enRouteUnnamed = "en_route_unnamed"
    case arriving
    case arrivingUnnamed = "arriving_unnamed"
    case atDoor = "at_door"
    case atDoorUnnamed = "at_door_unnamed"
    case handedOver = "handed_over"
    case attempted
    case attemptedUnnamed = "attempted_unnamed"
    case returning, delivered
    case deliveredAtDoor = "delivered_at_door"
    case returned, cancelled, failed
    case onHold = "on_hold"
    case substituteProposed = "substitute_proposed"
    case substitutesProposed = "substitutes_proposed"
    case needsCustomer = "needs_customer"
    case courierSilent = "courier_silent"
    case courierSilentUnnamed = "courier_silent_unnamed"
    case continued

    // Details.
    case waitingToAccept = "waiting_to_accept"
    case pickingNotStarted = "picking_not_started"
    case itemsToPick = "items_to_pick"
    case foundOf = "found_of"
    case courierUnassigned = "courier_unassigned"
    case courierAssigned = "courier_assigned"
    case courierToStore = "courier_to_store"
    case courierAtStore = "courier_at_store"
    case stopsBefore = "stops_before"
    case otherStops = "other_stops"
    case withinMetres = "within_metres"
    case withinKilometres = "within_kilometres"
    case itemsSwapped = "items_swapped"
    case itemSoldOut = "item_sold_out"
    case itemShort = "item_short"
    case itemRemoved = "item_removed"
    case itemRefunded = "item_refunded"
    case itemsMissing = "items_missing"
    case delayed, rescheduled
    case rescheduledToDay = "rescheduled_to_day"
    case reassigning, reopened
    case markedByMistake = "marked_by_mistake"
    case leftAtDoor = "left_at_door"
    case leavingAtDoor = "leaving_at_door"
    case openDoor = "open_door"
    case answerOrRefund = "answer_or_refund"
    case answerInDetails = "answer_in_details"
    case holdExplained = "hold_explained"
    case silenceExplained = "silence_explained"
    case arrivalUnknown = "arrival_unknown"
    case notTracked = "not_tracked"
    case standing
    case contactToHandOver = "contact_to_hand_over"
    case triedAgainOrReturned = "tried_again_or_returned"
    case noNeedToWait = "no_need_to_wait"
    case beforePromise = "before_promise"
    case asPromised = "as_promised"
    case afterPromise = "after_promise"
    case nothingDelivered = "nothing_delivered"
    case contactStore = "contact_store"
    case refundTotal = "refund_total"
    case underInvestigation = "looked_into"
    case lastWord = "last_word"

    // Why a delivery went wrong, and what comes next.
    case reasonNobodyHome = "reason_nobody_home"
    case reasonAddressNotFound = "reason_address_not_found"
    case reasonNoAccess = "reason_no_access"
    case reasonNotVerified = "reason_not_verified"
    case reasonAgeRefused = "reason_age_refused"
    case reasonNotAccepted = "reason_not_accepted"
    case reasonDamaged = "reason_damaged"
    case reasonLost = "reason_lost"
    case reasonNoCourier = "reason_no_courier"
    case reasonStoreProblem = "reason_store_problem"
    case reasonOutOfStock = "reason_out_of_stock"
    case reasonPaymentFailed = "reason_payment_failed"
    case reasonWeather = "reason_weather"
    case reasonCustomerRequest = "reason_customer_request"
    case nextRedelivery = "next_redelivery"
    case nextStoreContacts = "next_store_contacts"
    case nextCollectAtStore = "next_collect_at_store"
    case nextOrderAgain = "next_order_again"

    // The lines of the details about the hand-over.
    case detailsPromised = "details_promised"
    case detailsHanded = "details_handed"
    case detailsAddress = "details_address"
    case detailsNote = "details_note"
    case detailsPIN = "details_pin"
    case detailsPhoto = "details_photo"
    case detailsSignature = "details_signature"
    case detailsAge = "details_age"
    case detailsBarcode = "details_barcode"

    // The lines of the details, one for each item.
    case linePending = "line_pending"
    case lineOrdered = "line_ordered"
    case lineFound = "line_found"
    case lineShort = "line_short"
    case lineProposed = "line_proposed"
    case lineSubstituted = "line_substituted"
    case lineSoldOut = "line_sold_out"
    case lineRemoved = "line_removed"
    case lineRefunded = "line_refunded"
    case lineCallStore = "line_call_store"
    case lineWriteStore = "line_write_store"

    // The customer's summary of several deliveries.
    case summary
    case summaryNext = "summary_next"
    case summaryNeedsCustomer = "summary_needs_customer"
    case summaryLeft = "summary_left"
    case summaryDone = "summary_done"

    // Alerts contain no time of day: iOS puts their values into the app's strings as they are.
    case alertStarted = "alert_started"
    case alertFollow = "alert_follow"
    case alertQuestion = "alert_question"
    case alertNear = "alert_near"
    case alertDelayed = "alert_delayed"
    case alertDelayedMore = "alert_delayed_more"
    case alertDelivered = "alert_delivered"
    case alertAtDoor = "alert_at_door"
    case alertHere = "alert_here"

    /// The names of its placeholders, sorted.
    var valueNames: [String] { TextCatalogue.english.arguments(of: "phrase.\(rawValue)") }
}

/// One of the texts that a phrase is rendered from, with its values.
typealias PhrasePart = (code: PhraseCode, values: [String: String])

extension Phrase {
    /// `code` with the values of its placeholders.
    init(_ code: PhraseCode, _ values: [String: String] = [:]) {
        self.init([(code, values)])
    }

    /// Several codes, rendered one after the other.
    ///
    /// The English text omits times of day: its fallback readers do not know the time zone.
    init(_ parts: [PhrasePart]) {
        let texts = parts.map { TextCatalogue.english.text("phrase.\($0.code.rawValue)", $0.values, nil) ?? "" }
        self.init(
            code: parts.map(\.code.rawValue).joined(separator: "+"),
            values: parts.reduce(into: [:]) { all, part in all.merge(part.values) { first, _ in first } },
            text: texts.joined(separator: " · "))
    }

    /// Joins two phrases about one delivery, which share their values.
    init(joining one: Phrase, _ other: Phrase) {
        self.init(
            code: "\(one.code)+\(other.code)", values: one.values.merging(other.values) { first, _ in first },
            text: "\(one.text) · \(other.text)")
    }
}
