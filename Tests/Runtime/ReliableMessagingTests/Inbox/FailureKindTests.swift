import Foundation
import PostgresClient
import Testing

@testable import NatsClient
@testable import ReliableMessaging

@Suite("Sorting of failures")
struct FailureKindTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let error: any Error
        let kind: FailureKind

        init(_ error: any Error, _ kind: FailureKind) { (self.error, self.kind) = (error, kind) }

        static func nats(_ code: NatsError.Code, _ kind: FailureKind) -> Row {
            Row(NatsError(code, "no", operation: "publishing"), kind)
        }

        static func postgres(_ code: PostgresError.Code, _ kind: FailureKind) -> Row {
            Row(PostgresError(code, "no"), kind)
        }

        static func sql(_ state: String, _ kind: FailureKind) -> Row { postgres(.statement(sqlState: state), kind) }

        var testDescription: String { "\(error)" }
    }

    static let unknownOutcome = {
        var error = PostgresError(.statement(sqlState: "XX000"), "no")
        error.isOutcomeUnknown = true
        return error
    }()

    static let rows: [Row] = [
        Row(UndecodableMessage(HandlerFailure()), .badMessage),
        Row(RejectedMessage("unknown store"), .badMessage),
        Row(CancellationError(), .interrupted),
        .postgres(.cancelled, .interrupted),
        .postgres(.connection, .dependency), .postgres(.poolExhausted, .dependency), .postgres(.closed, .dependency),
        .sql("40001", .dependency), .sql("40P01", .dependency), .sql("55P03", .dependency), .sql("57P01", .dependency),
        .sql("53300", .dependency), .sql("57014", .dependency), .sql("25006", .dependency),
        Row(unknownOutcome, .dependency),
        .sql("23505", .ours), .sql("23514", .ours), .sql("42P01", .ours), .sql("22003", .ours),
        .postgres(.decoding, .ours), .postgres(.encoding, .ours),
        .nats(.disconnected, .dependency), .nats(.timedOut, .dependency), .nats(.noResponders, .dependency),
        .nats(.overloaded, .dependency), .nats(.notFound, .dependency), .nats(.closed, .dependency),
        .nats(.payloadTooLarge, .ours), .nats(.notPermitted, .ours), .nats(.invalidArgument, .ours),
        Row(HandlerFailure(), .ours),
        // A handler that cannot decode something of its own has not shown that the message is bad.
        Row(DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "")), .ours),
    ]

    @Test("Each failure is the fault of who caused it", arguments: rows)
    func table(_ row: Row) {
        #expect(FailureKind(row.error) == row.kind)
    }
}
