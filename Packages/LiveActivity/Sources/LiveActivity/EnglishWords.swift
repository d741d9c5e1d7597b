/// English, which is also the fallback for a device that does not know a code.
struct EnglishWords: WordTable {
    func phrase(_ code: PhraseCode) -> String {
        switch code {
        case .placed: "Your order is in"
        case .accepted: "{store} has your order"
        case .picking: "{store} is picking your groceries"
        case .staged: "Your groceries are packed"
        case .pickedUp: "{courier} has your groceries"
        case .pickedUpUnnamed: "Your courier has your groceries"
        case .enRoute: "{courier} is on the way"
        case .enRouteUnnamed: "Your groceries are on the way"
        case .arriving: "{courier} is almost there"
        case .arrivingUnnamed: "Your groceries are almost there"
        case .atDoor: "{courier} is at your door"
        case .atDoorUnnamed: "Your courier is at your door"
        case .attempted: "{courier} could not reach you"
        case .attemptedUnnamed: "We could not reach you"
        case .returning: "Your groceries are going back to {store}"
        case .delivered: "Delivered[, {at:time}]"
        case .deliveredAtDoor: "At your door[, {at:time}]"
        case .returned: "Your groceries are back at {store}"
        case .cancelled: "Your delivery was cancelled"
        case .failed: "We could not deliver your groceries"
        case .onHold: "Your delivery is on hold"
        case .substituteProposed: "{substitute} instead of {item}?"
        case .substitutesProposed: "{quantity} × {substitute} instead of {item}?"
        case .needsCustomer: "{store} needs an answer from you"
        case .courierSilent: "No news from {courier}[ since {since:time}]"
        case .courierSilentUnnamed: "No news from your courier[ since {since:time}]"

        case .waitingToAccept: "Waiting for {store} to confirm"
        case .pickingNotStarted: "Picking has not started yet"
        case .itemsToPick: "{items:# item|# items} to pick"
        case .foundOf: "{found} of {items:# item|# items} in the bag"
        case .courierUnassigned: "Finding you a courier"
        case .courierAssigned: "{courier} will bring them"
        case .courierToStore: "{courier} is on the way to {store}"
        case .courierAtStore: "{courier} is at {store}"
        case .stopsBefore: "{stops:# stop|# stops} before you"
        case .otherStops: "Other stops on the way"
        case .itemsSwapped: "{swapped:# item|# items} swapped"
        case .itemSoldOut: "{item} was sold out"
        case .itemShort: "Only {packed} of {ordered} × {item}"
        case .itemRemoved: "{item} was removed"
        case .itemRefunded: "{item} is refunded"
        case .itemsMissing: "{missing:# item is|# items are} missing"
        case .delayed: "Later than promised, sorry"
        case .rescheduled: "Moved to a new time[: {from:time}–{to:time}]"
        case .rescheduledToDay: "Moved to another day[: {from:date}, {from:time}–{to:time}]"
        case .reassigning: "Finding you another courier"
        case .reopened: "We reopened this delivery"
        case .leftAtDoor: "Will be left at your door"
        case .leavingAtDoor: "Leaving your groceries at the door"
        case .openDoor: "Please open the door"
        case .answerOrRefund: "Please answer[ by {until:time}], or it is refunded"
        case .answerInDetails: "Open the details to answer"
        case .holdExplained: "We are sorting something out"
        case .silenceExplained: "The phone may be out of signal"
        case .notTracked: "We do not follow {courier} on the way"
        case .standing: "Standing still[ since {since:time}]"
        case .contactToHandOver: "Contact {courier} to get your groceries"
        case .triedAgainOrReturned: "We try again, or take them back to {store}"
        case .noNeedToWait: "No need to wait at the door"
        case .beforePromise: "{minutes:minutes} early"
        case .asPromised: "On time"
        case .afterPromise: "{minutes:minutes} late, sorry"
        case .nothingDelivered: "Nothing will be delivered"
        case .contactStore: "Contact {store} about what happens next"
        case .refundTotal: "{refund:amount} refunded"
        case .underInvestigation: "We are looking into what happened"
        case .lastWord: "As of {at:time} · open the app for what is new"

        case .reasonNobodyHome: "Nobody answered the door"
        case .reasonAddressNotFound: "The address could not be found"
        case .reasonNoAccess: "The courier could not get in"
        case .reasonNotVerified: "Age or identity could not be checked"
        case .reasonNotAccepted: "The groceries were not accepted"
        case .reasonDamaged: "The groceries were damaged on the way"
        case .reasonLost: "The groceries were lost on the way"
        case .reasonNoCourier: "No courier could bring it"
        case .reasonStoreProblem: "The store could not pack your order"
        case .reasonOutOfStock: "The store was out of what you ordered"
        case .reasonPaymentFailed: "The payment did not go through"
        case .reasonWeather: "The weather did not allow it"
        case .reasonCustomerRequest: "As you asked"
        case .nextRedelivery: "We will bring them another time"
        case .nextStoreContacts: "{store} will contact you"
        case .nextCollectAtStore: "You can collect them at {store}"
        case .nextOrderAgain: "Please order again"

        case .linePending: "[{quantity} × ]{item}: not picked yet"
        case .lineOrdered: "[{quantity} × ]{item}"
        case .lineFound: "[{quantity} × ]{item}: in the bag"
        case .lineShort:
            "[{quantity} × ]{item}: only {packed} in the bag, the rest was sold out[, {refund:amount} refunded]"
        case .lineProposed:
            "[{quantity} × ]{item}: waiting for your answer about [{substitutes} × ]{substitute}[, {more:amount} more][, {less:amount} less]"
        case .lineSubstituted:
            "[{quantity} × ]{item}: swapped for [{substitutes} × ]{substitute}[, {more:amount} more][, {less:amount} less]"
        case .lineSoldOut: "[{quantity} × ]{item}: sold out[, {refund:amount} refunded]"
        case .lineRemoved: "[{quantity} × ]{item}: removed[, {refund:amount} refunded]"
        case .lineRefunded: "[{quantity} × ]{item}: refunded[, {refund:amount}]"

        case .summary: "{count:# delivery|# deliveries}[ · next {from:time}–{to:time}]"
        case .summaryNext: "Next from {store}"
        case .summaryNeedsCustomer: "{waiting:# needs|# need} your answer"
        case .summaryLeft: "Goes on with {left:# card|# cards}"
        case .summaryDone: "All your deliveries are done"

        case .alertStarted: "Your groceries from {store}"
        case .alertFollow: "Follow them here, to your door"
        case .alertQuestion: "{store} has a question"
        case .alertNear: "Your groceries from {store} are nearly with you"
        case .alertDelayed: "Later than promised"
        case .alertDelayedMore: "Your groceries from {store} will be late. We are sorry."
        case .alertDelivered: "Delivered"
        case .alertAtDoor: "At your door"
        case .alertHere: "Your groceries from {store} are here"
        }
    }

    func verb(_ verb: Verb) -> String {
        switch verb {
        case .details: "Details"
        case .contactCourier: "Contact courier"
        case .leaveAtDoor: "Leave at door"
        case .approveSubstitution: "Yes, swap it"
        case .refuseSubstitution: "No, refund it"
        case .cancel: "Cancel delivery"
        }
    }

    func shortVerb(_ verb: Verb) -> String {
        switch verb {
        case .details: "Details"
        case .contactCourier: "Contact"
        case .leaveAtDoor: "Leave at door"
        case .approveSubstitution: "Yes, swap it"
        case .refuseSubstitution: "No, refund"
        case .cancel: "Cancel"
        }
    }

    var contactNamed: String { "Contact {courier}" }

    func phase(_ phase: KnownPhase) -> String {
        switch phase {
        case .received: "Received"
        case .picking: "Picking"
        case .packed: "Packed"
        case .onTheWay: "On the way"
        case .arriving: "Arriving"
        case .atDoor: "At your door"
        case .problem: "Problem"
        case .ended: "Ended"
        case .several: "Deliveries"
        }
    }

    func shortPhase(_ phase: KnownPhase) -> String {
        switch phase {
        case .received: "Received"
        case .picking: "Picking"
        case .packed: "Packed"
        case .onTheWay: "On way"
        case .arriving: "Arriving"
        case .atDoor: "At door"
        case .problem: "Problem"
        case .ended: "Ended"
        case .several: "Several"
        }
    }

    func flag(_ flag: DeliverySnapshot.Flag) -> String {
        switch flag {
        case .delayed: "late"
        case .rescheduled: "moved"
        case .onHold: "on hold"
        case .needsCustomer: "needs your answer"
        case .courierSilent: "no signal"
        case .batched: "several stops"
        case .reassigning: "finding a courier"
        case .disputed: "reopened"
        }
    }

    func vehicle(_ code: String) -> String? {
        switch code {
        case "bicycle": "bicycle"
        case "car": "car"
        default: nil
        }
    }

    func label(_ label: CardLabel) -> String {
        switch label {
        case .arrives: "Arrives {from:time}–{to:time}"
        case .likely: "Likely {from:time}–{to:time}"
        case .promised: "promised by {to:time}"
        case .items: "{items:# item|# items}"
        case .bag: "bag {number} of {count}"
        case .leavesScreen: "leaves this screen {at:time}"
        case .order: "order {reference}"
        case .approveMore: "Yes, swap it: {difference:amount} more"
        case .approveLess: "Yes, swap it: {difference:amount} less"
        case .approveMoreShort: "Yes: {difference:amount} more"
        case .approveLessShort: "Yes: {difference:amount} less"
        case .spokenArrival: "Arrives between {from:time} and {to:time}"
        case .spokenLikely: "Likely between {from:time} and {to:time}"
        case .spokenPromise: "Promised by {to:time}"
        case .spokenMore: "It costs {difference:amount} more"
        case .spokenLess: "It costs {difference:amount} less"
        case .spokenAnswers: "You can answer on the card"
        case .stepAccepted: "Accepted"
        case .stepPacked: "Packed"
        case .stepPickedUp: "Picked up"
        case .stepDoor: "Door"
        }
    }

    var moment: String { "{at:time}" }

    func date(_ day: WrittenTime.Day) -> String {
        let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(weekdays[day.weekday]) \(day.day) \(months[day.month - 1])" + (day.year.map { " \($0)" } ?? "")
    }

    func length(minutes: Int) -> String {
        minutes < 60
            ? "\(minutes) min" : minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
    }

    func amount(_ amount: Amount) -> String {
        let digits = amount.digits(decimalMark: ".", groupMark: ",")
        switch amount.currency {
        case "DKK": return "\(digits) kr."
        case "ISK", "NOK", "SEK": return "\(digits) kr"
        case "EUR": return "€\(digits)"
        case "GBP": return "£\(digits)"
        case "JPY": return "¥\(digits)"
        case "USD": return "$\(digits)"
        default: return "\(digits) \(amount.currency)"
        }
    }
}
