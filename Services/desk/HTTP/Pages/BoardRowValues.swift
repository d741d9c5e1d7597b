import CardPresentation
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import Synchronization
import TimePresentation
import WebPages

/// A delivery's row on the board, as its template is filled.
struct BoardRowValues {
    let entry: Board.Entry
    let now: Date

    var values: [String: Any] {
        let row = entry.row
        let times = StoreTimes(timeZone: row.timeZone ?? "UTC", now: now)
        let values: [String: Any?] = [
            "id": row.id.rawValue, "version": row.version, "order": row.orderText.withoutDirectionControls,
            "risk": row.risk.rawValue.replacing("_", with: "-"), "mark": row.riskText,
            "miss": row.missProbability.map { "\(Int((100 * $0).rounded())) %" },
            "customer": row.customer?.rawValue, "store": row.storeText.withoutDirectionControls,
            "recipient": row.recipient?.withoutDirectionControls, "street": row.street?.withoutDirectionControls,
            "status": row.statusText,
            "courier": (row.courierName ?? row.courier?.rawValue)?.withoutDirectionControls,
            "promised": times.window(row.promise), "expected": row.estimate.map { times.text($0.arrivesAt) },
            "ended": row.endedAt.map { times.text($0) },
            "flags": row.flagsText.isEmpty ? nil : row.flagsText.withoutDirectionControls,
            "screens": row.cards.flatMap { $0.behind > 0 ? "\($0.behind) of \($0.count) cards outdated" : nil },
            "owner": entry.triage.owner?.name, "ownerSubject": entry.triage.owner?.subject,
            "snoozed": entry.isSnoozed ? entry.triage.snoozedUntil.map { times.text($0) } : nil,
            "triage": "\(entry.triage.version)",
            "note": entry.triage.note.isEmpty ? nil : entry.triage.note, "call": call,
        ]
        return values.compactMapValues(\.self)
    }

    /// The person to call next; nil where a call is not the next step.
    ///
    /// Rows are the same for every reader, so they have no number: the button posts a form of the page, which only those
    /// have who may call.
    private var call: [String: Any]? {
        let row = entry.row
        func link(_ person: ReadDelivery.Person, _ who: String) -> [String: Any] {
            ["path": "/deliveries/\(row.id)/call/\(person.rawValue)", "who": who.withoutDirectionControls]
        }
        return switch row.need {
        case .attempted, .disputed: link(.customer, "the customer")
        case .unproven where row.handedOverAt != nil: link(.customer, "the customer")
        case .silent, .unproven: link(.courier, row.courierName ?? "the courier")
        case .returning, .held, .correction, .unassigned, nil: nil
        }
    }

    var html: String { DeskPage.templates.render("row", values) }
}

/// The rows of the board as HTML, each rendered once for all browsers until it is another, or the day is.
final class BoardRowCache: Sendable {
    /// Rows that are kept; a process with more of them on screens renders some twice.
    private static let rowsMax = 10_000

    private let rows = Mutex<[DeliveryID: (revision: Int, at: Date, html: String)]>([:])

    func html(_ entry: Board.Entry, now: Date) -> String {
        let times = StoreTimes(timeZone: entry.row.timeZone ?? "UTC", now: now)
        if let kept = rows.withLock({ $0[entry.row.id] }), kept.revision == entry.revision, times.isToday(kept.at) {
            return kept.html
        }
        let html = BoardRowValues(entry: entry, now: now).html
        rows.withLock { rows in
            if rows.count >= Self.rowsMax { rows.removeAll() }
            rows[entry.row.id] = (entry.revision, now, html)
        }
        return html
    }
}
