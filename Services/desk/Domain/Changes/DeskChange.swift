import DoorstepAPI
import Foundation
import OrderDomain
import WireCoding

/// An operator's change of a delivery or of its cards.
enum DeskChange: Hashable, Sendable {
    /// The change's kind, in the form of a URL.
    enum Kind: String, CaseIterable, Hashable, Sendable {
        case status, courier, hold, release, promise, trip, item, recipient, resend
        case dropOff = "drop-off"
        case addItem = "add-item"
        case settleCorrection = "settle"
        case endCards = "end-cards"

        var title: String {
            switch self {
            case .status: "Change the status"
            case .courier: "Change the courier"
            case .hold: "Put on hold"
            case .release: "Release from hold"
            case .promise: "Move the promise"
            case .trip: "Set the number of stops before it"
            case .item: "Change an item"
            case .addItem: "Add an item"
            case .dropOff: "Correct the address"
            case .recipient: "Correct the recipient"
            case .settleCorrection: "Settle the correction"
            case .resend: "Send the cards again"
            case .endCards: "End the cards"
            }
        }

        /// The operator scope that the change requires.
        var neededScope: OperatorScope {
            switch self {
            case .resend, .endCards: .supervisor
            default: .dispatcher
            }
        }

        /// The kind of the reverse change; nil for an irreversible one.
        var reverse: Kind? {
            switch self {
            case .hold: .release
            case .release: .hold
            case .courier, .promise, .trip: self
            // The former values of a correction are personal data, which no address of a page contains.
            case .status, .item, .addItem, .dropOff, .recipient, .settleCorrection, .resend, .endCards: nil
            }
        }

        /// Whether it is about the delivery, and not about its cards alone.
        var changesDelivery: Bool { self != .resend && self != .endCards }
    }

    case status(StatusCode)
    /// Nil removes the courier; without `stopsBefore` another courier has no stop before this one.
    case courier(CourierID?, stopsBefore: Int? = nil)
    case hold
    case release
    case promise(Promise)
    case trip(stopsBefore: Int)
    case item(ItemID, ItemStatus, substitute: String?)
    case addItem(name: String, quantity: Int, itemClass: String? = nil)
    case dropOff(DropOffCorrection)
    case recipient(DropOffCorrection)
    case settleCorrection(CorrectionDue)
    case resend
    case endCards

    var kind: Kind {
        switch self {
        case .status: .status
        case .courier: .courier
        case .hold: .hold
        case .release: .release
        case .promise: .promise
        case .trip: .trip
        case .item: .item
        case .addItem: .addItem
        case .dropOff: .dropOff
        case .recipient: .recipient
        case .settleCorrection: .settleCorrection
        case .resend: .resend
        case .endCards: .endCards
        }
    }

    /// Whether a delivery has what this change gave it; false for an irreversible change.
    func holds(in delivery: DeliveryBody) -> Bool {
        switch self {
        case .hold: delivery.flags.contains(.onHold)
        case .release: !delivery.flags.contains(.onHold)
        case .courier(let courier, _):
            // Goods that this courier has picked up or fetched meanwhile are theirs to bring.
            delivery.courier?.id == courier && (delivery.fetchedFrom != nil || delivery.courierStatus != nil)
        case .promise(let promise): delivery.promise.isSame(as: promise)
        case .trip(let stops): delivery.stopsBefore == stops
        case .status, .item, .addItem, .dropOff, .recipient, .settleCorrection, .resend, .endCards: false
        }
    }

    /// The reverse change, where the domain has one; nil for an irreversible change.
    ///
    /// - Parameter before: the delivery before the change.
    func undo(_ before: DeliveryBody) -> DeskChange? {
        switch self {
        case .hold: before.flags.contains(.onHold) ? .hold : .release
        case .release: .hold
        case .courier:
            // Without a number another courier has none before it.
            before.courier.map { .courier($0.id, stopsBefore: before.stopsBefore > 0 ? before.stopsBefore : nil) }
                ?? .courier(nil)
        case .promise: .promise(before.promise)
        case .trip: .trip(stopsBefore: before.stopsBefore)
        case .status, .item, .addItem, .dropOff, .recipient, .settleCorrection, .resend, .endCards: nil
        }
    }
}

extension Promise {
    /// Whether two windows are the same to the second, since a form has whole seconds.
    fileprivate func isSame(as other: Promise) -> Bool {
        start.epochSeconds == other.start.epochSeconds && end.epochSeconds == other.end.epochSeconds
    }
}
