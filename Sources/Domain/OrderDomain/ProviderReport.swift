public import Foundation

/// A delivery provider's report about a delivery that it carries, in Doorstep's vocabulary.
///
/// Reports may arrive twice, late and out of order: the resulting delivery does not depend on their order.
public struct ProviderReport: Hashable, Codable, Sendable {
    /// Bytes in UTF-8 of its id, its kind and each name.
    public static let textBytesMax = 128
    /// Bytes in UTF-8 of the reason.
    public static let reasonBytesMax = 1_000

    /// The provider.
    public let source: ProviderID
    /// The courier's name for customers where the provider names none, such as `DoorDash`.
    public let sourceName: String
    /// The key that identifies repeats; unique within the source, 1 to 128 characters.
    public let id: String
    /// The provider's name of the event, such as `DASHER_PICKED_UP`; for operators.
    public let kind: String
    /// The reported status; nil where the report contains none, or an unknown one.
    public let status: StatusCode?
    /// The reported courier; nil where the provider names none.
    public let courier: Courier?
    /// The reported time of the event, domain time; nil where the provider sent none, or an impossible one.
    public let occurredAt: Date?
    /// When it was received, domain time.
    public let receivedAt: Date
    /// Why, in the provider's words.
    public let reason: String?
    /// Whether the provider expects to miss the promise.
    public let isLate: Bool
    /// The proofs of the hand-over that the provider has, by its own statement; nil for none.
    public let proofs: [ProofKind]?
    /// The provider to which the shop has given the delivery since; nil where the source still has it.
    public var successor: ProviderID?

    public init(
        source: ProviderID, sourceName: String, id: String, kind: String, status: StatusCode?, courier: Courier? = nil,
        occurredAt: Date?,
        receivedAt: Date, reason: String? = nil, isLate: Bool = false, proofs: [ProofKind]? = nil,
        successor: ProviderID? = nil
    ) {
        self.source = source
        self.sourceName = sourceName
        self.id = id
        self.kind = kind
        self.status = status
        self.courier = courier
        self.occurredAt = occurredAt
        self.receivedAt = receivedAt
        self.reason = reason
        self.isLate = isLate
        self.proofs = proofs
        self.successor = successor
    }

    /// The effective time of the event: never later than its receipt.
    public var effectiveAt: Date { min(occurredAt ?? receivedAt, receivedAt) }
}

/// The latest reports about a delivery's courier, and about the courier's progress to the store.
public struct CourierReports: Hashable, Codable, Sendable {
    /// The latest report that names a courier, or that none is assigned.
    var assignment: Mark?
    /// The latest report whose status is the courier's progress.
    var progress: Mark?
    /// The providers that have reported a courier or the courier's progress, or whose part has ended; nil without any.
    var parts: [ProviderID: Part]?

    /// The mark that decides the courier's progress: the latest that states it, or a later assignment.
    ///
    /// A report that only names a courier assigns them where none was, or where the statement is about another.
    var standing: Mark? {
        guard let assignment, let courier = assignment.courier else { return progress }
        let inferred = Mark(
            at: assignment.at, rank: StatusCode.assigned.rank, courier: courier, source: assignment.source)
        guard let progress else { return inferred }
        let isUnassigned = progress.rank == StatusCode.unassigned.rank
        guard isUnassigned || (progress.courier ?? courier) != courier else { return progress }
        let (stated, named) = (progress.at ?? .distantPast, inferred.at ?? .distantPast)
        return (stated, progress.rank) < (named, inferred.rank) ? inferred : progress
    }

    /// Whether it has another progress than the former reports, or a repeated statement of the same.
    ///
    /// A later report that only names the same courier is no progress.
    func isNews(after former: CourierReports) -> Bool {
        guard let standing else { return false }
        guard let before = former.standing else { return true }
        return standing.rank != before.rank || standing.courier != before.courier
            || standing == progress && progress != former.progress
    }

    /// Whether a provider has reported a courier, also one without a name on the way to the store.
    func hasPart(_ provider: ProviderID) -> Bool {
        parts?[provider] != nil
            || [assignment, progress].contains { $0?.isOf(provider) == true && $0?.statesNoCourier == false }
    }

    /// Whether a mark has a provider's statement about a courier.
    func names(_ courier: CourierID, by provider: ProviderID) -> Bool {
        [assignment, progress].contains { $0?.courier == courier && $0?.isOf(provider) == true }
    }

    /// Whether the provider's part had ended when the reported event happened.
    ///
    /// A provider that has picked up the goods has them, whenever its part ended.
    func isOver(at report: ProviderReport) -> Bool {
        guard let end = parts?[report.source]?.endedAt else { return false }
        if case .tail? = report.status?.region { return false }
        return report.effectiveAt <= end
    }

    /// Ends the part of the report's provider, and drops the marks that it made until then.
    ///
    /// Of two deliveries at one provider a report is about the courier alone whom it names.
    mutating func end(by report: ProviderReport) {
        var isDropped: (Mark) -> Bool = { mark in report.courier.map { $0.id == mark.courier } ?? false }
        if report.successor != report.source {
            var part = parts?[report.source] ?? Part()
            let end = max(part.endedAt ?? .distantPast, report.effectiveAt)
            if part.endedAt != end { part = Part(endedAt: end) }
            let ends: [StatusCode] = [.cancelled, .failed]
            if report.successor == nil, end == report.effectiveAt, let code = report.status, ends.contains(code) {
                part.endedAs = code
            }
            parts = (parts ?? [:]).merging([report.source: part]) { $1 }
            isDropped = { mark in mark.isOf(report.source) && (mark.at ?? .distantPast) <= end }
        }
        if assignment.map(isDropped) == true { assignment = nil }
        if progress.map(isDropped) == true { progress = nil }
    }

    /// A provider's part in a delivery.
    struct Part: Hashable, Codable, Sendable {
        /// When the part ended: the shop gave the delivery to another provider, or the provider withdrew while another
        /// courier had the goods; nil until then.
        var endedAt: Date?
        /// `cancelled` or `failed`, with which the provider withdrew at that time; nil for another end.
        var endedAs: StatusCode?
    }

    /// A report's rank among the reports about the courier.
    struct Mark: Hashable, Comparable, Codable, Sendable {
        /// When it happened; nil counts as before every time.
        let at: Date?
        let rank: Int
        /// The courier whom the report names; decides between two of one moment and rank.
        let courier: CourierID?
        /// The report's provider, which does not count in the order; nil in what 0.28 stored.
        var source: ProviderID?

        /// Whether the report stated that no courier is assigned.
        var statesNoCourier: Bool { courier == nil && rank == StatusCode.unassigned.rank }

        /// Whether the provider made the statement.
        func isOf(_ provider: ProviderID) -> Bool {
            source.map { $0 == provider } ?? courier?.isOf(provider) ?? false
        }

        static func < (one: Self, other: Self) -> Bool {
            (one.at ?? .distantPast, one.rank, one.courier?.rawValue ?? "")
                < (other.at ?? .distantPast, other.rank, other.courier?.rawValue ?? "")
        }

        /// The courier's progress of this rank; nil for a rank of another region.
        var courierStatus: CourierStatus? { CourierStatus.allCases.first { $0.code.rank == rank } }
    }
}
