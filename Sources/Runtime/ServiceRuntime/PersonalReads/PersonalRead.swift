package import DoorstepAPI
internal import HTTPTypes
internal import Hummingbird
internal import Synchronization

/// A read of personal data: the reader, the operation and the persons of the answer.
package struct PersonalRead: Hashable, Sendable {
    package let role: Role
    /// The reader's recorded name.
    package let reader: String
    /// The only store of the reader's token.
    package let store: String?
    package let operation: PersonalReads.Operation
    package let persons: Persons

    /// - Parameter reader: an operator, or a shop's backend.
    package init(by reader: Identity, _ operation: PersonalReads.Operation, of persons: Persons) {
        self.init(
            role: reader.role, reader: reader.recordedName, store: reader.store, operation: operation, persons: persons)
    }

    /// - Parameter reader: the recorded name.
    package init(
        role: Role, reader: String, store: String? = nil, operation: PersonalReads.Operation, persons: Persons
    ) {
        self.role = role
        self.reader = reader
        self.store = store
        self.operation = operation
        self.persons = persons
    }
}

/// The operations of a service that answer operators or stores with personal data.
///
/// A service declares them beside its routes, and a test compares the declaration with its OpenAPI document. Changes
/// are not in it, whose actors a delivery's timeline names; their previews are.
package struct PersonalReads: Sendable {
    /// One operation.
    package struct Operation: Hashable, Sendable {
        /// The operationId of the route, or a page of the desk.
        package let name: String
        package let kind: PersonalDataKind
        /// Whether all answers of an hour to one reader are one read, such as the polls of a list.
        package let isList: Bool
        /// The path's parameter with the object's id, where the answer does not have it.
        package let object: Object?

        /// The object that a path names.
        package enum Object: Hashable, Sendable {
            case delivery(String)
            case courier(String)
        }

        /// An operation about one object.
        package static func one(_ name: String, _ kind: PersonalDataKind, of object: Object? = nil) -> Operation {
            Operation(name: name, kind: kind, isList: false, object: object)
        }

        /// A list, a search or a stream.
        package static func list(_ name: String, _ kind: PersonalDataKind) -> Operation {
            Operation(name: name, kind: kind, isList: true, object: nil)
        }
    }

    /// By route, such as `GET /v1/orders/{id}`; a route with another method is a read where it previews.
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

    /// The operation of a request; nil for a route without personal data and for a change.
    func operation(of request: Request, _ context: AppContext) -> Operation? {
        guard let path = context.endpointPath,
            let operation = operations["\(request.method.rawValue) \(path)"],
            request.method == .get || request.query("preview") == BooleanParameter.true.rawValue
        else { return nil }
        return operation
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

    package init() {}

    /// The collected persons; nil where no answer names any.
    package var persons: Persons? { all.withLock { $0 } }

    /// Adds the persons of an answer, or of a part of it.
    package func add(_ persons: Persons) {
        all.withLock { all in
            var sum = all ?? Persons([])
            sum.add(persons)
            all = sum
        }
    }
}
