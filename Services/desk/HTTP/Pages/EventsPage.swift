import CardPresentation
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import OrderDomain
import ServiceRuntime
import TimePresentation
import WebPages

/// The page of what happened to all deliveries, newest first.
extension DeskHTTP {
    @Sendable func showEvents(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            let filter = eventFilter(request)
            let isNewest = filter.cursor == nil
            let page = try await readEvents(filter)
            AnsweredPersons.current?.add(page.persons)
            let rows = eventsHTML(page, filter)
            var values: [String: Any] = [
                "spans": EventFilter.spans.map { minutes in
                    ["minutes": minutes, "title": Self.spanText(minutes), "isHere": minutes == filter.minutes]
                        as [String: Any]
                },
                "isEveryKind": filter.kind == EventFilter.everyKind,
                "kinds": EventFilter.kinds.map { ["id": $0, "isHere": $0 == filter.kind] as [String: Any] },
                "path": "/log" + filter.query, "rows": rows, "timeZone": board.timeZone.identifier,
            ]
            let couriers = await readCouriers.choices(for: reader.user)
            values.merge(
                await filterFields(
                    store: filter.store, courier: filter.courier, couriers: FilterChoice.couriers(couriers.rows),
                    areCouriersCut: couriers.areCut, for: reader)
            ) { $1 }
            values["reference"] = filter.reference
            values["delivery"] = filter.delivery
            // An older page does not change.
            if isNewest { values["events"] = "/log/events" + filter.query }
            return .page(
                DeskPage.html(
                    "log", values, title: "What happened", tab: .log, for: reader,
                    scripts: isNewest ? PageAsset.liveScripts : [], reading: isNewest ? "/log" + filter.query : nil,
                    hasInput: true))
        }
    }

    @Sendable func followEvents(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            guard let slot = board.streams.open(.events, for: reader) else {
                throw Problem.tooManyPages(max: SignedIn.streamsMax)
            }
            return sseResponse(
                EventsStream(
                    filter: eventFilter(request).replacing(cursor: nil), http: self,
                    record: recording("log", by: reader),
                    slot: slot),
                on: slot.signal, in: context, heartbeat: BoardStream.heartbeat)
        }
    }

    private func eventFilter(_ request: Request) -> EventFilter {
        EventFilter(
            minutes: request.query("since").flatMap { Int($0) }.flatMap { EventFilter.spans.contains($0) ? $0 : nil },
            store: request.filterText("store"), courier: request.filterText("courier"),
            kind: request.filterText("kind"), reference: request.filterText("reference"),
            delivery: request.filterText("delivery"), cursor: request.filterText("cursor", charactersMax: 200))
    }

    private static func spanText(_ minutes: Int) -> String {
        "the last " + (minutes < 60 ? "\(minutes) minutes" : minutes == 60 ? "hour" : "\(minutes / 60) hours")
    }

    /// The rows of a page of events, which its stream replaces.
    func eventsHTML(_ page: TimelinePageBody, _ filter: EventFilter) -> String {
        let now = clock.now
        var values: [String: Any] = [
            "missing": missing, "isEmpty": page.rows.isEmpty,
            "rows": page.rows.map { row in
                let times = StoreTimes(timeZone: row.timeZone, now: now)
                return [
                    "id": row.id, "at": times.text(row.entry.at, withSeconds: true), "zone": times.zoneName,
                    "path": "/deliveries/\(row.delivery)", "order": row.orderText.withoutDirectionControls,
                    "place": row.placeText.withoutDirectionControls,
                    "text": row.entry.text(times).withoutDirectionControls,
                ] as [String: Any]
            },
        ]
        if let next = page.next { values["older"] = "/log" + filter.replacing(cursor: next).query }
        return DeskPage.templates.render("events", values)
    }
}

/// The events of the page of what happened: `log` with its rows, whenever they differ from the ones before.
struct EventsStream: ServerSentEventSource {
    let filter: EventFilter
    let http: DeskHTTP
    /// Records shown deliveries in the access log; false where it cannot be written.
    var record: @Sendable (Persons) async -> Bool = { _ in true }
    let slot: StreamSlot
    private(set) var sent = ""

    mutating func next() async throws -> [ServerSentEvent]? {
        // The page keeps its rows; a request of the page itself shows the error.
        guard let page = try? await http.readEvents(filter) else { return [] }
        let html = http.eventsHTML(page, filter)
        guard html != sent else { return [] }
        guard await record(page.persons) else { return nil }
        sent = html
        return [ServerSentEvent(event: "log", data: html)]
    }
}
