package import DoorstepAPI
internal import HTTPTypes
internal import Hummingbird
internal import Synchronization

/// A read of personal data: the reader, the operation and the persons of the answer.
package struct PersonalRead: Hashable, Sendable {
    package let role: Role
    /// The reader's recorded name.
    package let reader: String
    /// The subject of the reader's token.
    package let subject: String
    /// The only store of the reader's token.
    package let store: String?
    package let operation: PersonalReads.Operation
    package let persons: Persons

    /// - Parameter reader: an operator, or a shop's backend.
    package init(by reader: Identity, _ operation: PersonalReads.Operation, of persons: Persons) {
        self.init(
            role: reader.role, reader: reader.recordedName, subject: reader.subject, store: reader.store,
            operation: operation, persons: persons)
    }

    /// - Parameters:
    ///   - reader: the recorded name.
    ///   - subject: the subject in it.
    package init(
        role: Role, reader: String, subject: String, store: String? = nil, operation: PersonalReads.Operation,
        persons: Persons
    ) {
        self.role = role
        self.reader = reader
        self.subject = subject
        self.store = store
        self.operation = operation
        self.persons = persons
    }
}

/// The operations of a service that answer operators or stores with personal data.
///
/// A service declares them beside its routes, and a test compares the declaration with its OpenAPI document. Changes
/// that change something are not recorded, since a delivery's timeline names their actors; their previews are, repeats
/// that change nothing, and what gives access, such as links and tokens.
package struct PersonalReads: Sendable {
    /// One operation.
    package struct Operation: Hashable, Sendable {
        /// The operationId of the route, or a page of the desk.
        package let name: String
        package let kind: PersonalDataKind
        /// Whether all answers of an hour to one reader are one read, such as the polls of a list.
        package let isList: Bool
        /// Whether each request of it is a read, whatever its method, as of a link or a token that shows everything.
        let givesAccess: Bool
        /// The path's parameter with the object's id, where the answer does not have it.
        package let object: Object?

        /// The object that a path names.
        package enum Object: Hashable, Sendable {
            case delivery(String)
            case courier(String)
        }

        /// An operation about one object.
        package static func one(_ name: String, _ kind: PersonalDataKind, of object: Object? = nil) -> Operation {
            Operation(name: name, kind: kind, isList: false, givesAccess: false, object: object)
        }

        /// An operation that answers with a link or a token, by which its holder reads.
        package static func access(_ name: String, _ kind: PersonalDataKind, of object: Object? = nil) -> Operation {
            Operation(name: name, kind: kind, isList: false, givesAccess: true, object: object)
        }

        /// A list, a search or a stream.
        package static func list(_ name: String, _ kind: PersonalDataKind) -> Operation {
            Operation(name: name, kind: kind, isList: true, givesAccess: false, object: nil)
        }
    }

    /// By route, such as `GET /v1/orders/{id}`; a change is a read where it previews or changes nothing.
    package private(set) var operations: [String: Operation]

    package init(_ operations: [String: Operation]) { self.operations = operations }

    /// The operations that all services with messages have.
    package static let ofOperatorRoutes: [String: Operation] = [
        "GET /v1/admin/dead-letters": .list("listDeadLetters", .deadLetter),
        "GET /v1/admin/dead-letters/{id}": .one("getDeadLetter", .deadLetter),
        "GET /v1/personal-reads": .list("listPersonalReads", .personalReads),
    ]

    /// The same operations and others.
    package func adding(_ others: [String: Operation]) -> PersonalReads {
        PersonalReads(operations.merging(others) { own, _ in own })
    }

    /// The operation of a request; nil for a route without personal data.
    func operation(of request: Request, _ context: AppContext) -> Operation? {
        context.endpointPath.flatMap { operations["\(request.method.rawValue) \($0)"] }
    }
}

extension PersonalReads.Operation {
    /// Whether a request of it is a read before its answer is known.
    func isRead(_ request: Request) -> Bool {
        givesAccess || request.method == .get || request.query("preview") == BooleanParameter.true.rawValue
    }
}

extension AppContext {
    /// The persons that a path names.
    func persons(_ object: PersonalReads.Operation.Object?) -> Persons {
        switch object {
        case .delivery(let name): Persons(customer: nil, delivery: parameters.get(name))
        case .courier(let name): Persons(customer: nil, courier: parameters.get(name))
        case nil: Persons()
        }
    }
}

/// The persons of the answers to one request, which ``jsonResponse(_:status:headers:)`` and pages collect.
package final class AnsweredPersons: Sendable {
    /// The collection of the present request; nil where no read is recorded.
    @TaskLocal package static var current: AnsweredPersons?

    private let all = Mutex<Persons?>(nil)
    private let isReadOnly: Mutex<Bool>

    /// - Parameter isRead: false for a change, which is a read where it ``changesNothing()``.
    package init(isRead: Bool = true) { isReadOnly = Mutex(isRead) }

    /// The collected persons; nil where no answer names any.
    package var persons: Persons? { all.withLock { $0 } }
    /// Whether the answer is a read.
    package var isRead: Bool { isReadOnly.withLock { $0 } }

    /// Notes that a change leaves everything as it is, so that its answer is a read, and no timeline has its actor.
    package func changesNothing() { isReadOnly.withLock { $0 = true } }

    /// Adds the ids of persons whose objects another answer counts.
    package func name(_ persons: Persons) {
        var ids = persons
        ids.objects = 0
        add(ids)
    }

    /// Adds the persons of an answer, or of a part of it.
    package func add(_ persons: Persons) {
        all.withLock { all in
            var sum = all ?? Persons([])
            sum.add(persons)
            all = sum
        }
    }
}
