internal import DeclaredMetrics
internal import DoorstepAPI
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Metrics

/// Records the reads of operators and stores, before they are answered.
///
/// An operator whose read could not be recorded gets 503: the person can wait, and the log of persons is whole. A store
/// is answered after half a second at most, since its deliveries depend on it: its read is then left to the next flush,
/// and ``PersonalReadMetrics/unrecorded`` counts it.
///
/// Answers without persons, refusals, customers' reads of their own data and couriers' of theirs are not recorded.
struct PersonalReadsMiddleware: RouterMiddleware {
    let reads: PersonalReads
    let recorder: PersonalReadRecorder
    /// The longest time that a store's answer waits for its record.
    private static let storesDeadline = Duration.milliseconds(500)

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        guard let reader = context.identity, reader.role == .operator || reader.role == .store,
            !reader.isBoard, let operation = reads.operation(of: request, context)
        else { return try await next(request, context) }
        var context = context
        let recorder = recorder
        context.noteStreamed = { recorder.note(PersonalRead(by: reader, operation, of: $0)) }
        let answered = AnsweredPersons(isRead: operation.isRead(request))
        let response = try await AnsweredPersons.$current.withValue(answered) { try await next(request, context) }
        guard response.status.kind == .successful, answered.isRead else { return response }
        let persons = answered.persons ?? context.persons(operation.object)
        guard persons.objects > 0 else { return response }
        let read = PersonalRead(by: reader, operation, of: persons)
        guard reader.role == .store else {
            do { try await recorder.record(read) } catch { throw Problem.unrecorded() }
            return response
        }
        if await !recorder.record(read, within: Self.storesDeadline) {
            recorder.unrecorded.increment()
            context.logger.warning(
                "A store is answered with personal data before the access log has its read",
                metadata: ["operation": "\(operation.name)"])
        }
        return response
    }
}

/// The metrics of the access log.
enum PersonalReadMetrics {
    static let unrecorded = DeclaredMetric(
        "doorstep_personal_reads_unrecorded_total",
        help: "Answers to stores with personal data before the access log had their read, and reads that it dropped.")
}

extension Identity {
    /// The subject by which the desk reads the board for all its readers, whom the desk records itself.
    package static let boardSubject = "desk"

    /// Whether the desk reads for its board, by a key of its own; a key of another name is no desk's.
    fileprivate var isBoard: Bool {
        role == .operator && subject == Self.boardSubject && displayName == nil
            && keyID.map(TokenKeys.series(of:)) == Self.boardSubject
    }
}

extension Problem {
    /// 503: the access log could not record the read.
    package static func unrecorded() -> Problem {
        var problem = Problem(
            .serviceUnavailable, "unrecorded", title: "Reads of personal data cannot be recorded right now",
            detail: "operators are answered once the access log is written again")
        problem.retryAfter = 2
        return problem
    }
}
