import CardPresentation
import Crypto
import Foundation
import LiveActivity
import OrderDomain
import TextCoding
import WebPages
import WireCoding

/// A courier's page: the stops of the day with what is needed at each, and what may be pressed about it.
struct CourierPage: Sendable {
    static let templates: PageTemplates = {
        do {
            return try PageTemplates([
                "courier": PackageResources.courier_mustache, "stops": PackageResources.stops_mustache,
            ])
        } catch {
            preconditionFailure("a template of ours has a fault: \(error)")
        }
    }()

    let day: ShowStops.Day
    /// The link's own, such as `/c/AQAAAAFtaXJh…`.
    let path: String
    let phrases: CourierPhrases
    /// Where positions are sent, such as `https://couriers.example.com`; nil where the page shares none.
    let positionsOrigin: String?
    /// Whether the reader's phone is one of Apple's, whose maps open by a link of their own.
    let isApple: Bool
    /// Ids for what is pressed without scripts.
    let makeUUID: @Sendable () -> UUID

    /// - Parameter fault: why what was pressed was not done; nil where nothing was, or was done.
    func html(fault: String? = nil) -> String {
        var values: [String: Any] = [
            "path": path, "title": phrases.title, "unsent": phrases.unsent, "undo": phrases.undo,
            "refusedText": phrases.refused, "countedText": phrases.counted, "footer": phrases.footer,
            "stops": stopsHTML,
        ]
        values["fault"] = fault
        if let positionsOrigin {
            values["sharing"] = [
                "fixes": positionsOrigin + "/v1/fixes", "title": phrases.sharing, "text": phrases.sharingText,
                "start": phrases.startSharing, "stop": phrases.stopSharing, "off": phrases.sharingOff,
                "idle": phrases.sharingIdle, "shared": phrases.shared, "unsent": phrases.sharingUnsent,
                "denied": phrases.sharingDenied, "unknown": phrases.sharingUnknown,
                "revoked": phrases.sharingRevoked, "missing": phrases.sharingMissing,
            ]
        }
        return Self.templates.page(
            "courier", values, language: phrases.language, title: title, icon: .icon(of: "teal"),
            scripts: PageAsset.courierScripts, reading: path)
    }

    private var title: String { day.stops.isEmpty ? phrases.title : "\(day.stops.count) · \(phrases.title)" }

    // MARK: Stops

    /// What changes by itself.
    private var stopsHTML: String {
        var values: [String: Any] = [
            "path": path, "digest": digest, "noConnection": phrases.noConnection,
            "duty": day.stops.isEmpty ? "false" : "true",
            "stops": day.stops.enumerated().map { self.values(of: $0.element, number: $0.offset + 1) },
        ]
        values["timeZone"] = timeZone
        values["changesIn"] = day.changesInSeconds.map { String(Int($0.rounded(.up))) }
        if day.stops.isEmpty { values["nothing"] = phrases.nothing }
        if !day.ended.isEmpty {
            values["ended"] = [
                "title": phrases.ended,
                "lines": day.ended.map { delivery in
                    [
                        "text": plain("\(delivery.reference) · \(phrases.status(delivery))"),
                        "when": delivery.endedAt.map { clock($0, of: delivery) } ?? "",
                    ]
                },
            ]
        }
        return Self.templates.render("stops", values)
    }

    /// What two readings of the page differ in where they do.
    var digest: String {
        let parts =
            day.stops.map { stop in
                "\(stop.delivery.id) \(stop.delivery.version) \(stop.press.map { "\($0.id) \($0.state)" } ?? "")"
            } + day.ended.map { "\($0.id) \($0.version)" }
        let hash = SHA256.hash(data: Data(parts.joined(separator: "\n").utf8))
        return Base64URL.encode(hash.prefix(Self.digestBytes))
    }

    private static let digestBytes = 9

    private var timeZone: String? { (day.stops.first?.delivery ?? day.ended.first)?.store.timeZone }

    private func clock(_ date: Date, of delivery: Delivery) -> String {
        Words(locale: phrases.language).time(
            date.epochSeconds, timeZone: delivery.store.timeZone, now: day.now.epochSeconds)
    }

    private func plain(_ text: String) -> String { text.withoutDirectionControls }

    private func values(of stop: CourierStop, number: Int) -> [String: Any] {
        let delivery = stop.delivery
        let next = stop.expected(at: day.now)
        var values: [String: Any] = [
            "path": path, "id": delivery.id.rawValue, "number": phrases.number(number),
            "tint": delivery.flags.contains(.onHold) ? "orange" : next.status.courierStatus == nil ? "teal" : "gray",
            "status": delivery.flags.contains(.onHold) ? phrases.onHold : phrases.status(delivery),
            "due": phrases.due(clock(delivery.promise.end, of: delivery)),
            "where": plain(destination(of: stop)), "lines": lines(of: stop),
            "press": makeUUID().uuidString.lowercased(),
            "buttons": CourierAction.legal(for: next).enumerated().map { place, action in
                ["action": action.rawValue, "label": phrases.button(action), "isMain": place == 0] as [String: Any]
            },
        ]
        values["note"] = stop.record.dropOff?.note.map(plain)
        if let phone = stop.record.dropOff?.recipient?.phone, let link = PhoneLink(phone) {
            values["call"] = ["href": link.url, "label": "\(phrases.call) \(plain(phone))"]
        }
        values["route"] = ["href": routeURL(to: place(of: delivery)), "label": phrases.route]
        if let waiting = stop.waiting {
            values["waiting"] = [
                "path": "\(path)/presses/\(waiting.id.uuidString.lowercased())/undo", "id": delivery.id.rawValue,
                "press": waiting.id.uuidString.lowercased(), "label": phrases.button(waiting.action),
                "text": phrases.waiting(waiting.action), "undo": phrases.undo,
            ]
        } else if let press = stop.press, press.state == .refused {
            values["refused"] = phrases.notDone(press.action)
        }
        if CourierAction.canReportProblem(of: next) {
            values["problems"] = [
                "title": phrases.problem,
                "reasons": CourierProblem.allCases.map { problem in
                    let action = CourierAction.problem(problem)
                    return ["action": action.rawValue, "label": phrases.button(action)]
                },
            ]
        }
        return values
    }

    /// The address, or who opens where the order has none; the store for what is to be fetched or goes back.
    private func destination(of stop: CourierStop) -> String {
        let delivery = stop.delivery
        if goesToStore(delivery) { return "\(phrases.fetchAt) \(delivery.store.name)" }
        guard let address = stop.record.dropOff?.address else {
            return stop.record.dropOff?.recipient?.name ?? delivery.reference
        }
        let city = [address.postalCode, address.city].compactMap(\.self).joined(separator: " ")
        return city.isEmpty ? address.street : "\(address.street), \(city)"
    }

    private func goesToStore(_ delivery: Delivery) -> Bool {
        if case .preparing = delivery.status { true } else { false }
    }

    private func place(of delivery: Delivery) -> Coordinate {
        goesToStore(delivery) || delivery.status == .handedOver(.returning) ? delivery.store.location : delivery.door
    }

    private func lines(of stop: CourierStop) -> [[String: Any]] {
        let (delivery, dropOff) = (stop.delivery, stop.record.dropOff)
        func line(_ label: String?, _ text: String?, isStrong: Bool = false) -> [String: Any]? {
            guard let text, !text.isEmpty else { return nil }
            var line: [String: Any] = ["text": plain(text), "isStrong": isStrong]
            line["label"] = label
            return line
        }
        let address = dropOff?.address
        return [
            line(phrases.order, delivery.reference, isStrong: goesToStore(delivery)),
            goesToStore(delivery) ? line(nil, address.map { "→ " + $0.street }) : nil,
            line(nil, address == nil ? nil : dropOff?.recipient?.name),
            // A number without a digit cannot be called, and may be read all the same.
            line(nil, dropOff?.recipient?.phone.flatMap { PhoneLink($0) == nil ? $0 : nil }),
            line(phrases.floor, address?.floor, isStrong: true),
            line(phrases.doorCode, address?.doorCode, isStrong: true),
            line(nil, phrases.handoff(delivery.handoff), isStrong: true),
            line(phrases.bag, phrases.bag(delivery.bag, items: delivery.itemCount)),
        ].compactMap(\.self)
    }

    /// Opens the phone's own maps: no page of another's hears of the door before the courier asks for it.
    private func routeURL(to place: Coordinate) -> String {
        let text = "\(place.latitude),\(place.longitude)"
        return isApple ? "maps:?daddr=\(text)" : "geo:\(text)?q=\(text)"
    }
}
