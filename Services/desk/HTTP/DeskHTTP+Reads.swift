import DoorstepAPI
import Hummingbird
import Logging
import ServiceRuntime

/// The access log of the desk: pages whose data the desk has read for all its readers.
///
/// Everything else is read with the person's own token, and recorded by the service that answers.
extension DeskHTTP {
    static let personalReads = PersonalReads(["GET /v1/personal-reads": .list("listPersonalReads", .personalReads)])

    /// Adds the list of reads for commands.
    func addReadRoutes(to router: Router<AppContext>) {
        let routes = PersonalReadRoutes(reads)
        routes.record(Self.personalReads, on: router)
        routes.addRoutes(to: router)
    }

    /// Counts deliveries of the board among the persons of the present page.
    func show(_ rows: some Sequence<BoardBody.Row>) {
        AnsweredPersons.current?.add(Persons(rows.map(\.persons)))
    }

    /// Records the persons of a page before it is answered.
    ///
    /// - Throws: `PostgresError` where that is impossible.
    func record(_ answered: AnsweredPersons, of request: Request, by reader: SignedIn) async throws {
        guard let persons = answered.persons, persons.objects > 0 else { return }
        let page = request.uri.path.split(separator: "/").first ?? "now"
        try await reads.record(read(of: persons, on: String(page), by: reader))
    }

    /// Records the persons of the events of a page's stream, before they are sent; false where that is impossible, which
    /// ends the stream.
    func recording(_ page: String, by reader: SignedIn) -> @Sendable (Persons) async -> Bool {
        // A stream is one read when it is opened; its persons come with its events.
        AnsweredPersons.current?.add(Persons())
        return { persons in
            guard persons.objects > 0 else { return true }
            do {
                try await reads.record(read(of: persons, on: page, by: reader))
                return true
            } catch {
                logger.warning("A read of a stream is not recorded, and it ends", metadata: ["reason": "\(error)"])
                return false
            }
        }
    }

    private func read(of persons: Persons, on page: String, by reader: SignedIn) -> PersonalRead {
        PersonalRead(
            role: .operator, reader: reader.user.recordedName, subject: reader.user.subject,
            operation: .list("page \(page)", page == "reads" ? .personalReads : .dropOff),
            persons: persons)
    }
}

extension DeskUser {
    /// The name that services record too.
    var recordedName: String { displayName?.recorded(with: subject) ?? subject }
}
