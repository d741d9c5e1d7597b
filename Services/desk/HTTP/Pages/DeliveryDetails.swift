import CardPresentation
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import TimePresentation
import WebPages

/// The live part of a delivery's page, which the stream sends again after a change.
struct DeliveryDetails {
    let read: ReadDelivery.Result
    let id: DeliveryID
    let missing: [String]
    let reader: DeskUser

    private var timeline: MergedTimeline { read.timeline }
    private var delivery: DeliveryBody? { timeline.orders.body?.delivery }
    private var times: StoreTimes { StoreTimes(timeZone: timeline.timeZone, now: read.readAt) }

    /// The order's number, with the bag where there are several.
    var title: String {
        guard let delivery else { return "Delivery \(id)" }
        let bag = delivery.bag.count > 1 ? " \(delivery.bag.number)/\(delivery.bag.count)" : ""
        return delivery.reference.withoutDirectionControls + bag
    }

    /// The values of the page's other parts.
    var values: [String: Any] {
        [
            "title": title, "triage": triage, "timeZone": timeline.timeZone.identifier,
            "mayChange": reader.may(.dispatcher),
        ]
    }

    /// The details alone, for the stream.
    var html: String {
        var values: [String: Any?] = [
            "title": title, "missing": missing + timeline.missingParts.filter { _ in missing.isEmpty },
            "facts": facts, "actions": actions, "items": items, "screens": screens,
            "events": events, "zone": times.zoneName, "images": images, "triage": triage,
        ]
        values["diagnosis"] = diagnosis.sentence.withoutDirectionControls
        values["advice"] = diagnosis.advice?.text { $0.deskText }.withoutDirectionControls
        if let card = read.card {
            let now = Int(read.readAt.timeIntervalSince1970)
            let face = CardFace(card, words: Words(locale: "en"), now: now, in: .page)
            let icon = PageAsset.icon(of: face.tint.rawValue).path
            values["card"] = DeskPage.templates.render(
                "card", face.pageValues(title: "\(title) · Doorstep desk", icon: icon, outdated: nil))
        }
        return DeskPage.templates.render("details", values.compactMapValues(\.self))
    }

    private var diagnosis: Diagnosis { Diagnosis(timeline, now: read.readAt, timeZone: timeline.timeZone) }

    // MARK: Parts

    private var facts: [[String: Any]] {
        guard let delivery else { return [] }
        func window(_ promise: Promise) -> String { times.text(from: promise.start, to: promise.end) }
        var facts: [(String, String?)] = [
            (
                "Status",
                [delivery.status.text, delivery.courierStatus?.text].compactMap(\.self).joined(separator: ", ")
            ),
            ("Since", times.text(delivery.statusSince)),
            ("Flags", delivery.flags.isEmpty ? nil : delivery.flags.text),
            ("Reason", delivery.reason),
            ("The customer's answer", delivery.feedback?.text),
            ("Promised", window(delivery.promise)),
            ("First promised", delivery.promise == delivery.originalPromise ? nil : window(delivery.originalPromise)),
            ("Expected", estimate), ("Promise is missed", missed),
            ("Courier", delivery.courier.map { "\($0.name) (\($0.id)\($0.vehicle.map { ", \($0.rawValue)" } ?? ""))" }),
            (
                "Hand-over",
                delivery.fetchedFrom.map { "\(delivery.courier?.name ?? "The courier") fetches it from \($0.name)" }
            ),
            ("Proofs", delivery.proofs?.text(times)),
            ("Waits for a decision since", delivery.undecidedSince.map { times.text($0) }),
            ("Handed over, to be confirmed, since", delivery.handedOverAt.map { times.text($0) }),
            ("Stops before", delivery.stopsBefore > 0 ? "\(delivery.stopsBefore)" : nil),
            ("Customer", delivery.customer?.rawValue), ("Store", delivery.store.name),
            ("To", address), ("For the courier", delivery.note),
            ("The customer asks for", delivery.requestedAddress.map { Self.text(of: $0, recipient: nil) }),
            ("Corrected", corrected), ("To do", correctionsDue),
        ]
        facts.append(("Providers call it", providerReferences))
        facts.append(("Version", "\(delivery.version)"))
        return calls
            + facts.compactMap { name, text in text.map { ["name": name, "text": $0.withoutDirectionControls] } }
    }

    /// The numbers of the delivery's people, for a reader who may call.
    private var calls: [[String: Any]] {
        let people: [(ReadDelivery.Person, ContactsBody.Person?)] = [
            (.courier, read.contacts?.courier), (.carrier, read.contacts?.carrier),
            (.customer, read.contacts?.customer),
        ]
        return people.compactMap { role, person in
            guard let person else { return nil }
            var fact: [String: Any] = [
                "role": role.rawValue, "name": "Call the \(role.rawValue)",
                "text": "\(person.name), \(person.phone)".withoutDirectionControls,
            ]
            fact["href"] = person.url
            return fact
        }
    }

    private var correctionsDue: String? {
        delivery?.correctionsDue.map { $0.map(\.text).joined(separator: ", ") }
    }

    /// The fields that were corrected since the courier was assigned, and when.
    private var corrected: String? {
        delivery?.correction.map { correction in
            "\(correction.fields.map(\.text).joined(separator: ", ")), at \(times.text(correction.at))"
        }
    }

    /// The photos and signatures of the hand-over, for a reader who may see them.
    private var images: [[String: Any]] {
        guard reader.may(.dispatcher) else { return [] }
        return (delivery?.proofs ?? []).compactMap { proof in
            proof.image.map { ["hash": $0, "path": "/deliveries/\(id)/images/\($0)", "name": proof.kind.text] }
        }
    }

    /// The delivery's names at providers; nil where it has none.
    var providerReferences: String? {
        guard !read.providerReferences.isEmpty else { return nil }
        return read.providerReferences.map { "\($0.reference) (\($0.source))" }.joined(separator: ", ")
    }

    private var estimate: String? {
        guard let delivery, let estimate = timeline.estimate.body?.coming(of: delivery, at: read.readAt) else {
            return nil
        }
        let window = times.text(from: estimate.earliest, to: estimate.latest, joinedBy: " and ")
        return "\(times.text(estimate.arrivesAt)), most likely between \(window)"
    }

    private var missed: String? {
        guard let probability = read.row?.missProbability else { return nil }
        let late = read.row?.lateMinutes.map { ", about \($0) min late" } ?? ""
        return "\(Int((100 * probability).rounded())) % likely\(late)"
    }

    private var address: String? {
        guard let delivery else { return nil }
        let text = Self.text(of: delivery.address, recipient: delivery.recipient?.name)
        return text.isEmpty ? nil : text
    }

    private static func text(of place: Address?, recipient: String?) -> String {
        let city = [place?.postalCode, place?.city].compactMap(\.self).joined(separator: " ")
        let parts = [
            recipient, place?.street, place?.floor, city.isEmpty ? nil : city,
            place?.doorCode.map { "door code \($0)" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private var actions: [[String: Any]] {
        guard let delivery, reader.may(.dispatcher) else { return [] }
        let isHeld = delivery.flags.contains(.onHold)
        let isOver = delivery.endedAt != nil
        let untilEnd: [DeskChange.Kind] = [
            .status, .courier, isHeld ? .release : .hold, .promise, .trip, .dropOff, .recipient,
        ]
        // After pickup `orders` refuses every change of items that the desk has a form for.
        let untilPickup: [DeskChange.Kind] = delivery.courierStatus == nil ? [] : [.item, .addItem]
        let corrections: [DeskChange.Kind] = delivery.correctionsDue == nil ? [] : [.settleCorrection]
        let afterEnd: [DeskChange.Kind] = delivery.allowed.isEmpty ? [] : [.status]
        let kinds: [DeskChange.Kind] = isOver ? afterEnd : untilEnd + untilPickup + corrections
        let cards: [DeskChange.Kind] = timeline.activities.body?.isEmpty == false ? [.resend, .endCards] : []
        let moves = (diagnosis.advice?.actions ?? []).compactMap { action -> [String: Any]? in
            guard case .assignAll(let courier) = action else { return nil }
            return ["id": "all", "title": OperatorAction.assignAllTitle, "path": "/couriers/\(courier)/move"]
        }
        let changes: [[String: Any]] = (kinds + cards).filter { reader.may($0.neededScope) }.map { kind in
            ["id": kind.rawValue, "title": kind.title, "path": "/deliveries/\(id)/change/\(kind.rawValue)"]
        }
        return moves + changes
    }

    private var items: [[String: Any]] {
        (delivery?.items ?? []).map { item in
            var text = "\(item.quantity) × \(item.name)"
            let isShort = item.pickedQuantity < item.quantity && !item.status.isOpen
            if isShort { text += ", \(item.pickedQuantity) in the bag" }
            var values: [String: Any] = [
                "text": text.withoutDirectionControls, "status": item.stateText,
            ]
            values["substitute"] = item.substituteText?.withoutDirectionControls
            return values
        }
    }

    private var screens: [[String: Any]] {
        let timeZone = timeline.timeZone
        let phones = timeline.phones
        return (timeline.activities.body ?? []).map { activity in
            let overview = ActivityOverview(activity, times)
            return [
                "id": overview.id, "wanted": overview.wanted, "content": overview.content.withoutDirectionControls,
                "cards": overview.cards.map { ["text": $0.withoutDirectionControls] },
                "none": overview.cards.isEmpty,
                "phones": phones.filter(\.isPushed).map { phone in
                    // A phone is listed with each of several screens.
                    let panel = "phone-\(activity.id)-\(phone.id)"
                    let overview = PhoneOverview(phone, now: read.readAt, timeZone: timeZone)
                    let cards = overview.cards.flatMap { [$0.token, $0.newestPush].compactMap(\.self) }
                    return [
                        "panel": panel, "title": overview.title.withoutDirectionControls,
                        "lines": (overview.refusals + [overview.starts] + cards + [overview.report] + overview.measured)
                            .map { ["text": $0] },
                    ] as [String: Any]
                },
            ]
        }
    }

    private var events: [[String: Any]] {
        timeline.events(times).reversed().map { event in
            [
                "at": times.text(event.at, withSeconds: true), "source": event.source.rawValue,
                "text": event.text.withoutDirectionControls,
            ]
        }
    }

    private var triage: [String: Any] {
        let triage = read.triage
        var values: [String: Any] = [
            "version": triage.version, "isMine": triage.owner?.subject == reader.subject,
            "minutes": KeepTriage.snoozeMinutes,
        ]
        values["note"] = triage.note.isEmpty ? nil : triage.note
        values["owner"] = triage.owner?.name
        values["ownerSubject"] = triage.owner?.subject
        if triage.isSnoozed(at: read.readAt) { values["snoozed"] = triage.snoozedUntil.map { times.text($0) } }
        return values
    }
}

extension OperatorAction {
    /// The button that leads to a courier's live deliveries, to move them all.
    static let assignAllTitle = "Give all of the courier's to another one"

    /// The name on the desk.
    var deskText: String {
        switch self {
        case .assignCourier: "“\(DeskChange.Kind.courier.title)”"
        case .assignAll: "“\(Self.assignAllTitle)”"
        case .call(let callee): "call \(callee.name)"
        case .correctAddress: "“\(DeskChange.Kind.dropOff.title)”"
        case .settleCorrection: "“\(DeskChange.Kind.settleCorrection.title)”"
        case .release: "“\(DeskChange.Kind.release.title)”"
        case .setStatus(let codes):
            "“\(DeskChange.Kind.status.title)” to \(codes.map { "“\($0.text)”" }.joined(separator: " or "))"
        case .resend: "“\(DeskChange.Kind.resend.title)”"
        case .endCard: "“\(DeskChange.Kind.endCards.title)” of another delivery"
        case .checkServices: "open Health"
        }
    }
}
