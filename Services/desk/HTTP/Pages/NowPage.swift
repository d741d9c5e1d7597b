import CardPresentation
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import OrderDomain
import ServiceRuntime
import WebPages
import WireCoding

/// The page of everything live, worst first.
extension DeskHTTP {
    @Sendable func now(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            let filter = boardFilter(request, of: reader)
            async let view = showBoard(filter)
            let couriers = await readCouriers.choices(for: reader.user)
            show(try await view.lanes.flatMap(\.entries).map(\.row))
            let isTooLong = filter.search == nil && request.filterText("q", charactersMax: .max) != nil
            let page = await nowPage(
                try await view, filter, isSearchTooLong: isTooLong, couriers: couriers, for: reader)
            return .page(page, leadsToCalls: true)
        }
    }

    @Sendable func followNow(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            guard let slot = board.streams.open(.board, for: reader) else {
                throw Problem.tooManyPages(max: SignedIn.streamsMax)
            }
            let shown = request.headers[.lastEventID] ?? request.query("shown") ?? ""
            return sseResponse(
                BoardStream(
                    filter: boardFilter(request, of: reader), showBoard: showBoard, rows: rows, process: process,
                    missing: { missing }, record: recording("now", by: reader), slot: slot, shown: shown),
                on: slot.signal, in: context, heartbeat: BoardStream.heartbeat)
        }
    }

    /// The filter in the address; `owner=me` is the reader.
    func boardFilter(_ request: Request, of reader: SignedIn) -> BoardFilter {
        var filter = BoardFilter()
        filter.search = request.filterText("q", charactersMax: BoardFilter.searchCharactersMax)
        filter.store = request.filterText("store")
        filter.courier = request.filterText("courier")
        // A subject of a provider is its issuer with an id of up to 255 characters.
        filter.owner = request.filterText("owner", charactersMax: 1_000).map { $0 == "me" ? reader.user.subject : $0 }
        filter.lane = request.filterText("lane").flatMap(Lane.init)
        filter.chosen = Set(
            request.uri.queryParameters.getAll("chosen").flatMap { $0.split(separator: ",") }
                .compactMap { DeliveryID(rawValue: String($0)) }.prefix(BoardFilter.chosenMax))
        return filter
    }

    private func nowPage(
        _ view: BoardView, _ filter: BoardFilter, isSearchTooLong: Bool, couriers: ReadCouriers.Choices,
        for reader: SignedIn
    ) async -> String {
        let fields = await filterFields(
            store: filter.store, courier: filter.courier, couriers: FilterChoice.couriers(couriers.rows),
            areCouriersCut: couriers.areCut, for: reader)
        let live = Lane.allCases.reduce(0) { $0 + (view.counts[$1] ?? 0) }
        let notices = missing + view.notices
        let values: [String: Any?] = [
            "lanes": Lane.allCases.filter { filter.lane == nil || filter.lane == $0 }.map { lane in
                let shown = view.lanes.first { $0.lane == lane }
                return [
                    "id": lane.rawValue, "title": lane.title, "count": shown?.count ?? 0,
                    "path": "/" + filter.replacing(lane: lane).query, "isAlone": filter.lane != nil,
                    "isEmpty": shown?.entries.isEmpty ?? true,
                    "hasMore": (shown?.count ?? 0) > (shown?.entries.count ?? 0), "rowsMax": filter.rowsMax,
                    "rows": (shown?.entries ?? []).map { rows.html($0, now: view.asOf) }.joined(separator: "\n"),
                ] as [String: Any]
            },
            "counts": Lane.allCases.map { lane in
                [
                    "id": lane.rawValue, "title": lane.title, "count": view.counts[lane] ?? 0,
                    "path": "/" + filter.replacing(lane: lane).query, "isHere": filter.lane == lane,
                ] as [String: Any]
            },
            "live": live, "all": "/" + filter.replacing(lane: nil).query, "isAll": filter.lane == nil,
            "search": filter.search, "searchMax": isSearchTooLong ? BoardFilter.searchCharactersMax : nil,
            "lane": filter.lane?.rawValue,
            "isMine": filter.owner == reader.user.subject, "isChosen": !filter.chosen.isEmpty,
            "events": "/now/events" + filter.query, "shown": "\(process).\(view.revision)",
            "missing": notices, "asOf": DeskPage.asOf(view.asOf, at: view.asOf, in: view.timeZone),
            "timeZone": view.timeZone.identifier,
            "notRead": view.readAt == nil ? "The board has not been read yet." : nil,
            "couriers": couriers.rows.map {
                ["value": $0.courier.rawValue, "text": $0.choiceText.withoutDirectionControls]
            },
            "move": filter.courier.flatMap { CourierID(rawValue: $0) }.map { "/couriers/\($0)/move" },
            "mayChange": reader.user.may(.dispatcher), "mayResend": reader.user.may(.supervisor),
        ]
        return DeskPage.html(
            "now", values.compactMapValues(\.self).merging(fields) { $1 }, title: "\(live) live", tab: .now,
            for: reader, scripts: PageAsset.boardScripts, reading: "/" + filter.query,
            hasInput: reader.user.may(.dispatcher))
    }
}

/// The events of the board on one page: `board`, with the lanes' order and the changed rows, and `heartbeat`.
struct BoardStream: ServerSentEventSource {
    static let heartbeat = ServerSentEvent(event: "heartbeat", data: "")

    private struct Event: Encodable {
        struct Lane: Encodable {
            let id: String
            let count: Int
            let rows: [String]
        }
        let asOf: String
        let live: Int
        let lanes: [Lane]
        let counts: [String: Int]
        /// The HTML of changed rows, by delivery.
        let rows: [String: String]
        let missing: [String]
    }

    let filter: BoardFilter
    let showBoard: ShowBoard
    let rows: BoardRowCache
    /// The process that counts the revisions: revisions of different processes are unrelated.
    let process: String
    let missing: @Sendable () -> [String]
    /// Records shown deliveries in the access log; false where it cannot be written.
    let record: @Sendable (Persons) async -> Bool
    let slot: StreamSlot
    /// The revision of the board that the page shows.
    private var revision: Int?
    private var sentRows: Set<String> = []
    private var sent: [String] = []
    private var sentMissing: [String] = []

    /// - Parameter shown: the process and the revision of the page's board, in the form of ``ServerSentEvent/id``.
    init(
        filter: BoardFilter, showBoard: ShowBoard, rows: BoardRowCache, process: String,
        missing: @escaping @Sendable () -> [String],
        record: @escaping @Sendable (Persons) async -> Bool = { _ in true },
        slot: StreamSlot, shown: String
    ) {
        self.filter = filter
        self.showBoard = showBoard
        self.rows = rows
        self.process = process
        self.missing = missing
        self.record = record
        self.slot = slot
        let parts = shown.split(separator: ".")
        if parts.count == 2, parts[0] == process { revision = Int(parts[1]) }
    }

    mutating func next() async throws -> [ServerSentEvent]? {
        // Where a search fails, the page keeps its rows and shows the reason.
        guard let view = try? await showBoard(filter, isStreamed: true) else { return [] }
        let missing = missing() + view.notices
        let entries = view.lanes.flatMap(\.entries)
        let shown = revision
        let changed = entries.filter { entry in
            guard let shown else { return true }
            // Which rows the page has is not known: after any change one may have moved up that it has not.
            if sentRows.isEmpty { return view.changedAt > shown }
            return entry.revision > shown || !sentRows.contains(entry.row.id.rawValue)
        }
        let lanes = view.lanes.map { lane in
            Event.Lane(id: lane.lane.rawValue, count: lane.count, rows: lane.entries.map(\.row.id.rawValue))
        }
        let order = lanes.map { "\($0.id) \($0.count) \($0.rows.joined(separator: " "))" }
        revision = view.revision
        sentRows = Set(entries.map(\.row.id.rawValue))
        guard !changed.isEmpty || order != sent || missing != sentMissing else { return [] }
        (sent, sentMissing) = (order, missing)
        guard await record(Persons(changed.map(\.row.persons))) else { return nil }
        let event = Event(
            asOf: DeskPage.asOf(view.asOf, at: view.asOf, in: view.timeZone),
            live: view.counts.values.reduce(0, +), lanes: lanes,
            counts: Dictionary(uniqueKeysWithValues: view.counts.map { ($0.key.rawValue, $0.value) }),
            rows: Dictionary(
                changed.map { ($0.row.id.rawValue, rows.html($0, now: view.asOf)) }, uniquingKeysWith: { $1 }),
            missing: missing)
        let json = String(decoding: try WireJSON.encode(event), as: UTF8.self)
        return [ServerSentEvent(id: "\(process).\(view.revision)", event: "board", data: json)]
    }
}
