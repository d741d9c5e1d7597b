/// The parts of a delivery that a store may make final at different statuses.
public enum CorrectionSubject: CaseIterable, Hashable, Sendable {
    case dropOff, recipient, items, promise

    /// The status from which the subject is final where the store sets none.
    var usualLimit: StatusCode {
        switch self {
        case .dropOff, .recipient: .returning
        case .items: .staged
        case .promise: .delivered
        }
    }
}

/// A store's limits on corrections: for each subject the status from which it is final; nil for the usual one.
public struct CorrectionLimits: Hashable, Codable, Sendable {
    public let dropOffUntil: StatusCode?
    public let recipientUntil: StatusCode?
    public let itemsUntil: StatusCode?
    public let promiseUntil: StatusCode?
    /// The parts that customers correct on their page; none where it is nil.
    public let byCustomer: [CustomerCorrection]?

    public init(
        dropOffUntil: StatusCode? = nil, recipientUntil: StatusCode? = nil, itemsUntil: StatusCode? = nil,
        promiseUntil: StatusCode? = nil, byCustomer: [CustomerCorrection]? = nil
    ) {
        self.dropOffUntil = dropOffUntil
        self.recipientUntil = recipientUntil
        self.itemsUntil = itemsUntil
        self.promiseUntil = promiseUntil
        self.byCustomer = byCustomer
    }

    /// The statuses that may be a limit, in rank order: `placed` allows no correction, `delivered` allows it until the end.
    public static let codes: [StatusCode] = StatusCode.allCases.filter { code in
        switch code.region {
        case .store: true
        case .courier: false
        case .tail(let tail): !tail.isEnd || tail == .delivered
        }
    }

    func limit(of subject: CorrectionSubject) -> StatusCode? {
        switch subject {
        case .dropOff: dropOffUntil
        case .recipient: recipientUntil
        case .items: itemsUntil
        case .promise: promiseUntil
        }
    }
}

/// A correction that a store allows its customers.
public enum CustomerCorrection: String, CaseIterable, Hashable, Codable, Sendable {
    /// The note to the courier, at once.
    case note
    /// The address, once the shop has confirmed it.
    case address
}

extension CorrectedField {
    var subject: CorrectionSubject {
        switch self {
        case .door, .street, .floor, .postalCode, .city, .doorCode, .note: .dropOff
        case .recipientName, .recipientPhone: .recipient
        case .items: .items
        }
    }
}
