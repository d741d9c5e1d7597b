import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import OrderDomain
import ServiceRuntime
import WebPages

/// The page of one delivery: its events from all services, its customer's card, and the operator's actions.
extension DeskHTTP {
    @Sendable func showDelivery(_ request: Request, _ context: AppContext) async throws -> Response {
        let path = try context.path("id")
        return try await signedIn(request) { reader in
            guard let id = DeliveryID(rawValue: path), let read = try await readDelivery(id, for: reader.user) else {
                return message(
                    .notFound, "There is no such delivery",
                    "It may have been deleted: ended ones are kept for a while.",
                    reader: reader)
            }
            let view = DeliveryDetails(read: read, id: id, missing: missing, reader: reader.user)
            var values = view.values
            values["details"] = view.html
            values["events"] = "/deliveries/\(id)/events"
            values["path"] = "/deliveries/\(id)"
            if let notice = notice(request, id) { values["notice"] = notice }
            return .page(
                DeskPage.html(
                    "delivery", values, title: view.title, tab: .now, for: reader, scripts: PageAsset.liveScripts,
                    reading: "/deliveries/\(id)", hasInput: reader.user.may(.dispatcher)))
        }
    }

    @Sendable func followDelivery(_ request: Request, _ context: AppContext) async throws -> Response {
        let id = try context.path("id", as: DeliveryID.self)
        return try await signedIn(request) { reader in
            guard let slot = board.streams.open(.delivery(id), for: reader) else {
                throw Problem.tooManyPages(max: SignedIn.streamsMax)
            }
            return sseResponse(
                DeliveryStream(id: id, reader: reader, http: self, slot: slot), on: slot.signal, in: context,
                heartbeat: BoardStream.heartbeat)
        }
    }

    /// Leads to the number of one of the delivery's people, which the reader's own program calls.
    ///
    /// A post: `orders` records the reader of a number, and programs that prefetch send no forms.
    @Sendable func callPerson(_ request: Request, _ context: AppContext) async throws -> Response {
        let id = try context.path("id", as: DeliveryID.self)
        let person = try context.path("person", as: ReadDelivery.Person.self)
        return try await posting(request) { reader, _, _ in
            guard let url = try await readDelivery.contact(person, of: id, for: reader.user)?.url else {
                return message(
                    .notFound, "There is no number to call", "The order, or the courier's description, has none.",
                    reader: reader, link: ("/deliveries/\(id)", "To the delivery"))
            }
            return .seeOther(url)
        }
    }

    /// Shows a photo or signature of the hand-over by itself.
    ///
    /// A post, as for a number: `orders` records the reader. No browser runs an image of these types.
    @Sendable func showImage(_ request: Request, _ context: AppContext) async throws -> Response {
        let (id, hash) = (try context.path("id", as: DeliveryID.self), try context.path("image"))
        guard hash.wholeMatch(of: /[0-9a-f]{64}/) != nil else { throw Problem.notFound() }
        return try await posting(request) { reader, _, _ in
            guard let image = try await readDelivery.image(hash, of: id, for: reader.user) else {
                return message(
                    .notFound, "There is no such image", "It is deleted some time after the delivery's end.",
                    reader: reader, link: ("/deliveries/\(id)", "To the delivery"))
            }
            return Response(
                status: .ok,
                headers: [
                    .contentType: image.type, .xContentTypeOptions: "nosniff", .cacheControl: "no-store",
                    .contentDisposition: "inline", .contentSecurityPolicy: "default-src 'none'; sandbox",
                ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: image.bytes)))
        }
    }

    /// The last change, with a link that reverses it.
    private func notice(_ request: Request, _ id: DeliveryID) -> [String: Any]? {
        guard let done = request.query("done").flatMap(DeskChange.Kind.init) else { return nil }
        var notice: [String: Any] = ["text": "Done: \(done.title.lowercased())."]
        if let undo = request.query("undo").flatMap(DeskChange.Kind.init) {
            let names = ["reason", "courier", "former", "stops"] + ChangeForm.timeNames
            let fields = names.map { name in
                // A restored hold alone has a reason of its own.
                (name: name, value: request.query(name) ?? (name == "reason" ? "Undo" : nil))
            }
            notice["undo"] = "/deliveries/\(id)/change/\(undo.rawValue)" + URLQuery.text(fields)
        }
        return notice
    }

    /// Stores the delivery's owner, snooze and note.
    @Sendable func changeTriage(_ request: Request, _ context: AppContext) async throws -> Response {
        let path = try context.path("id")
        return try await posting(request) { reader, fields, _ in
            guard let id = DeliveryID(rawValue: path), let version = Int(fields["version"] ?? "") else {
                throw Problem.notFound()
            }
            let now = clock.now
            do {
                try await keepTriage(id, version: version, by: reader.user) { triage in
                    switch fields["verb"] {
                    case "own": triage.owner = .init(reader.user)
                    case "disown": triage.owner = nil
                    case "snooze":
                        let minutes = Int(fields["minutes"] ?? "").flatMap {
                            KeepTriage.snoozeMinutes.contains($0) ? $0 : nil
                        }
                        triage.snoozedUntil = minutes.map { now.addingTimeInterval(Double($0) * 60) }
                    case "wake": triage.snoozedUntil = nil
                    case "note":
                        triage.note = (fields["note"] ?? "").replacing("\r\n", with: "\n")
                            .trimmingCharacters(in: .whitespacesAndNewlines)
                    default: break
                    }
                }
                return .seeOther("/deliveries/\(id)")
            } catch let conflict as KeepTriage.Conflict {
                let isOwn = reader.user.isActor(conflict.present.changedBy)
                let actor = isOwn ? "You have" : "\(conflict.present.changedBy) has"
                return message(
                    .conflict,
                    isOwn ? "You have changed it since you opened the page" : "Another operator was faster",
                    "\(actor) changed it meanwhile: owner "
                        + "\(conflict.present.owner?.text ?? "none"), note “\(conflict.present.note)”."
                        + (fields["note"].map { " Your note was not saved: “\($0)”." } ?? ""),
                    reader: reader, link: ("/deliveries/\(id)", "To the delivery"))
            } catch is KeepTriage.BadNote {
                return message(
                    .unprocessableContent, "The note was not kept",
                    "It has at most \(Triage.noteCharactersMax) characters, none a control one.", reader: reader,
                    link: ("/deliveries/\(id)", "To the delivery"))
            }
        }
    }
}

/// The events of a delivery's page: `delivery` with all that changes of it, whenever that is another than before.
struct DeliveryStream: ServerSentEventSource {
    let id: DeliveryID
    let reader: SignedIn
    let http: DeskHTTP
    let slot: StreamSlot
    private(set) var sent = ""

    mutating func next() async throws -> [ServerSentEvent]? {
        // The page keeps its last content; a request of the page itself shows the error.
        guard let read = try? await http.readDelivery(id, for: reader.user) else { return [] }
        let html = DeliveryDetails(read: read, id: id, missing: http.missing, reader: reader.user).html
        guard html != sent else { return [] }
        sent = html
        return [ServerSentEvent(event: "delivery", data: html)]
    }
}
