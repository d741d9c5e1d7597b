import CardPresentation
import Crypto
import Foundation
import InterfaceTexts
import LiveActivity
import OrderDomain
import TextCoding
import WebPages
import WireCoding

/// A courier's page: the stops of the day with the data for each, and the legal presses.
struct CourierPage: Sendable {
    static let templates = PageTemplates(compiled: [
        "courier": PackageResources.courier_mustache, "stops": PackageResources.stops_mustache,
    ])

    let day: ShowStops.Day
    /// The link's own, such as `/c/AQAAAAFtaXJh…`.
    let path: String
    let words: Words
    /// The origin to which positions are sent, such as `https://couriers.example.com`; nil where the page sends none.
    let positionsOrigin: String?
    /// Whether photos and signatures can be kept.
    let keepsImages: Bool
    /// Whether the reader's phone is one of Apple's, whose maps open by a link of their own.
    let isApple: Bool
    /// Makes ids for presses without scripts.
    let makeUUID: @Sendable () -> UUID

    private var texts: TextCatalogue { words.texts }

    /// The placeholders that the page's script fills.
    private static let filledByScript = ["what": "{what}", "time": "{time}"]

    /// - Parameter fault: why what was pressed was not done; nil where nothing was, or was done.
    func html(fault: String? = nil) -> String {
        var values: [String: Any] = [
            "path": path, "title": texts("courier.title"), "unsent": texts("courier.unsent", Self.filledByScript),
            "unsentUndo": texts("courier.unsent_undo", Self.filledByScript), "undo": texts("courier.undo"),
            "refusedText": texts("courier.refused", Self.filledByScript),
            "countedText": texts("courier.counted", Self.filledByScript), "footer": texts("courier.footer"),
            "proofRefused": texts("courier.proof.refused", Self.filledByScript),
            "unconfirmed": texts("courier.unconfirmed"), "pictureFailed": texts("courier.picture.failed"),
            "noBarcode": texts("courier.barcode.not_found"),
            "stops": stopsHTML,
        ]
        values["fault"] = fault
        values["shop"] = day.shop.flatMap { $0.face.band(of: $0.store) }
        if let positionsOrigin {
            values["sharing"] = [
                "fixes": positionsOrigin + "/v1/fixes", "title": texts("courier.sharing"),
                "text": texts("courier.sharing.text"),
                "start": texts("courier.sharing.start"), "stop": texts("courier.sharing.stop"),
                "off": texts("courier.sharing.off"),
                "idle": texts("courier.sharing.idle"), "shared": texts("courier.sharing.on"),
                "unsent": texts("courier.sharing.unsent"),
                "clock": texts("courier.sharing.clock"), "ignored": texts("courier.sharing.ignored"),
                "denied": texts("courier.sharing.denied"), "unknown": texts("courier.sharing.unknown"),
                "revoked": texts("courier.sharing.revoked"), "missing": texts("courier.sharing.missing"),
            ]
        }
        return Self.templates.page(
            "courier", values, language: texts.language, direction: texts.direction.rawValue, title: title,
            icon: .icon(of: "teal"),
            scripts: PageAsset.courierScripts, styles: day.shop.map { $0.face.styles(of: $0.store.id) } ?? [],
            reading: path, hasInput: hasInput)
    }

    private var title: String {
        numbers.last.map { "\($0) · \(texts("courier.title"))" } ?? texts("courier.title")
    }

    // MARK: Stops

    private var numbers: [Int] { CourierStop.numbers(of: day.stops) }

    /// The part of the page with live updates.
    private var stopsHTML: String {
        var values: [String: Any] = [
            "path": path, "digest": digest, "noConnection": texts("courier.no_connection", Self.filledByScript),
            "duty": day.stops.isEmpty ? "false" : "true",
            "stops": zip(day.stops, numbers).map { self.values(of: $0, number: $1) },
        ]
        values["timeZone"] = timeZone
        values["hasTwelveHours"] = words.catalogue.hourCycle == .hours12
        values["changesIn"] = day.changesInSeconds.map { String(Int($0.rounded(.up))) }
        if day.stops.isEmpty { values["nothing"] = texts("courier.nothing") }
        values["undoAll"] = waitingGroups
        let groups = StopGroup.offered(for: day.stops, at: day.now)
        if !groups.isEmpty { values["together"] = together(groups) }
        if !day.ended.isEmpty {
            values["ended"] = ["title": texts("courier.ended"), "lines": day.ended.map(endedValues)]
        }
        let buttons = storeButtons
        if !buttons.isEmpty { values["stores"] = ["title": texts("courier.stores"), "buttons": buttons] }
        return Self.templates.render("stops", values)
    }

    /// The ways to reach the day's stores, also those of ended deliveries, since a store corrects a wrong press.
    private var storeButtons: [[String: Any]] {
        var seen: Set<StoreID> = []
        let stores = (day.stops + day.ended).map(\.delivery.store).filter { seen.insert($0.id).inserted }
        return stores.flatMap { store -> [[String: Any]] in
            let name = ["store": plain(store.name)]
            return [
                store.contact?.callURL.map {
                    ["id": "call-\(store.id)", "href": $0, "label": texts("courier.call_store", name)]
                },
                (store.contact?.url ?? store.contact?.mailURL).map {
                    ["id": "write-\(store.id)", "href": $0, "label": texts("courier.write_store", name)]
                },
            ].compactMap(\.self)
        }
    }

    /// A digest of the page's changing parts; equal digests mean an unchanged page.
    var digest: String {
        let parts =
            day.stops.map { stop in
                "\(text(of: stop)) \(isLate(stop.delivery))"
            } + day.ended.map(text)
        let hash = SHA256.hash(data: Data(parts.joined(separator: "\n").utf8))
        return Base64URL.encode(hash.prefix(Self.digestBytes))
    }

    private static let digestBytes = 9

    private func text(of stop: CourierStop) -> String {
        let store = stop.delivery.store
        let face = [store.name, store.contact?.phone, store.contact?.url, store.contact?.email]
        let press = stop.press.map { "\($0.id) \($0.state)" } ?? ""
        return "\(stop.delivery.id) \(stop.delivery.version) \(press) \(face.map { $0 ?? "" }.joined(separator: "\t"))"
    }

    /// Whether the promise has passed, or had at the hand-over that waits for its proof.
    private func isLate(_ delivery: Delivery) -> Bool {
        !isReturning(delivery) && delivery.promise.end < (delivery.reportedHandOverAt ?? day.now)
    }

    private var timeZone: String? { (day.stops.first ?? day.ended.first)?.delivery.store.timeZone }

    private func clock(_ date: Date, of delivery: Delivery) -> String {
        words.time(
            date.epochSeconds, timeZone: delivery.store.timeZone, now: day.now.epochSeconds)
    }

    private func plain(_ text: String) -> String { text.withoutDirectionControls }

    private func values(of stop: CourierStop, number: Int) -> [String: Any] {
        let delivery = stop.delivery
        let next = stop.expected(at: day.now)
        var values: [String: Any] = [
            "path": path, "id": delivery.id.rawValue, "number": texts("courier.number", ["number": String(number)]),
            "tint": delivery.flags.contains(.onHold) || isLate(delivery)
                ? "orange" : next.status.courierStatus == nil ? "teal" : "gray",
            "status": delivery.flags.contains(.onHold)
                ? texts("courier.on_hold") : words.status(delivery).withIsolatesAlone,
            "isLate": isLate(delivery),
            "where": plain(destination(of: stop)), "lines": lines(of: stop),
            "press": makeUUID().uuidString.lowercased(),
            "buttons": CourierAction.legal(for: next).enumerated().map { place, action in
                [
                    "action": action.rawValue, "label": words.button(action),
                    "isMain": place == 0 && action != .unproven,
                ] as [String: Any]
            },
        ]
        if !isReturning(delivery) {
            let time = ["time": clock(delivery.promise.end, of: delivery)]
            values["due"] = texts(isLate(delivery) ? "courier.late" : "courier.due", time)
        }
        if next.canBeProven { values["proofs"] = words.missing(next.missingProofs) }
        if next.proof?.handedOverAt != nil {
            values["undecided"] = texts("courier.unconfirmed.shop")
        } else if next.proof?.undecidedSince != nil {
            values["undecided"] = texts("courier.undecided")
        }
        values.merge(proofValues(next)) { $1 }
        values["note"] = isReturning(delivery) ? nil : stop.record.dropOff?.note.map(plain)
        values["corrected"] = corrected(delivery)
        if let phone = stop.record.dropOff?.recipient?.phone, let link = PhoneLink(phone) {
            let number = texts.direction.isolated(plain(phone))
            values["call"] = ["href": link.url, "label": "\(texts("courier.call")) \(number)"]
        }
        if let carrier = delivery.fetchedFrom {
            values["carrier"] = stop.carrierPhone.flatMap(PhoneLink.init).map {
                ["href": $0.url, "label": texts("courier.call_store", ["store": plain(carrier.name)])]
            }
        } else {
            values["route"] = ["href": routeURL(of: delivery), "label": texts("courier.route")]
        }
        if let waiting = stop.waiting {
            values["waiting"] = waitingValues(waiting)
        } else if let press = stop.press, press.state == .refused, next.proof?.handedOverAt == nil,
            !press.action.isDone(in: delivery, at: day.now)
        {
            values["refused"] = words.notDone(press.action)
        }
        let problems = CourierProblem.allCases.map(CourierAction.problem).filter { $0.isLegal(for: next) }
        if !problems.isEmpty {
            values["problems"] =
                [
                    "title": texts("courier.problem"),
                    "reasons": problems.map { ["action": $0.rawValue, "label": words.button($0)] },
                ] as [String: Any]
        }
        return values
    }

    private func waitingValues(_ press: CourierPress) -> [String: Any] {
        [
            "path": "\(path)/presses/\(press.id.uuidString.lowercased())/undo", "id": press.delivery.rawValue,
            "press": press.id.uuidString.lowercased(), "label": words.button(press.action),
            "text": words.waiting(press.action), "undo": texts("courier.undo"),
        ]
    }

    /// A delivery that has ended: its hand-over can be reported as a mistake, which the shop decides about.
    private func endedValues(of stop: CourierStop) -> [String: Any] {
        let delivery = stop.delivery
        var values: [String: Any] = [
            "path": path, "id": delivery.id.rawValue,
            "text": plain(
                [delivery.reference, bagText(delivery.bag), words.status(delivery)].compactMap(\.self)
                    .joined(separator: " · ")),
            "when": delivery.endedAt.map { clock($0, of: delivery) } ?? "",
        ]
        if let waiting = stop.waiting {
            values["waiting"] = waitingValues(waiting)
            return values
        }
        if let press = stop.press, press.state == .refused, !press.action.isDone(in: delivery, at: day.now) {
            values["refused"] = words.notDone(press.action)
        }
        if delivery.disputedAt != nil, delivery.feedback?.opensDispute != true {
            // A dispute that its customer opened is no report of the courier's.
            values["reported"] = texts("courier.reported")
        } else if CourierAction.canReportMistake(of: delivery) {
            values["mistaken"] = [
                "press": makeUUID().uuidString.lowercased(), "action": CourierAction.mistaken.rawValue,
                "label": words.button(.mistaken),
            ]
        }
        return values
    }

    /// `Bag 1 of 2`; nil where the order has one bag only.
    private func bagText(_ bag: Bag) -> String? {
        guard bag.count > 1 else { return nil }
        let place = texts("courier.bag_of", ["number": String(bag.number), "count": String(bag.count)])
        return "\(texts("courier.bag")) \(place)"
    }

    // MARK: Several stops at once

    private func together(_ groups: [StopGroup]) -> [String: Any] {
        func values(of group: StopGroup) -> [String: Any] {
            [
                "deliveries": group.deliveries.map(\.rawValue).joined(separator: " "),
                "press": makeUUID().uuidString.lowercased(), "action": group.action.rawValue,
                "id": "all-\(group.action.rawValue)-\(group.deliveries[0])",
                "label": words.button(group).withIsolatesAlone, "single": words.button(group.action),
            ]
        }
        let problems = groups.filter { if case .problem = $0.action { true } else { false } }
        let others = groups.filter { !problems.contains($0) }
        var all: [String: Any] = [
            "path": path, "title": texts("courier.together"), "groups": others.map(values),
        ]
        if !problems.isEmpty {
            all["problems"] = ["title": texts("courier.problem"), "groups": problems.map(values)]
        }
        return all
    }

    /// The waiting presses that were made at once, which can be undone together.
    private var waitingGroups: [[String: Any]] {
        let waiting = (day.stops + day.ended).compactMap(\.waiting)
        let groups = Dictionary(grouping: waiting.filter { $0.group != nil }) {
            $0.group?.uuidString.lowercased() ?? ""
        }
        return groups.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { group, presses -> [String: Any] in
            [
                "path": "\(path)/presses/\(group)/undo", "id": "undo-all-\(group)",
                "presses": presses.map { $0.id.uuidString.lowercased() }.joined(separator: " "),
                "deliveries": presses.map(\.delivery.rawValue).joined(separator: " "),
                "label": words.button(presses[0].action),
                "text": words.waiting(presses[0].action, count: presses.count),
                "undo": texts("courier.undo_all", ["count": String(presses.count)]),
            ]
        }
    }

    // MARK: Parts of a stop

    /// The corrections since the courier has the delivery, whose former values the courier may remember; nil without one.
    private func corrected(_ delivery: Delivery) -> [String: Any]? {
        guard let correction = delivery.correction, correction.assignmentEpoch == delivery.assignmentEpoch else {
            return nil
        }
        let parts = correction.fields.map { texts("corrected.\($0.rawValue)") }.joined(separator: ", ")
        return [
            "id": "\(delivery.id)-\(correction.number)",
            "text": texts("courier.corrected", ["time": clock(correction.at, of: delivery), "parts": parts]),
        ]
    }
}
