internal import Crypto
public import Foundation
public import OrderDomain
internal import TextCoding

/// One event of a provider, in the provider's vocabulary and, as far as known, in Doorstep's.
public struct ProviderEvent: Hashable, Sendable {
    /// The key that identifies repeats; unique within the provider, at most 128 characters.
    public let key: String
    /// The provider's name of the event, such as `DASHER_PICKED_UP`.
    public let kind: String
    /// The names by which the provider knows the delivery, its own before those that the shop gave it.
    public let references: [String]
    /// The reference among them that the shop gave the delivery; nil where the provider made each.
    public let shopReference: String?
    /// Whether it is of the provider's test mode, and must change nothing.
    public let isTest: Bool
    /// Whether this version knows the event's meaning; unknown events are stored for people to read.
    public let isKnown: Bool
    /// The report about a delivery; nil for an event that concerns none.
    ///
    /// An unknown event's report has its kind alone.
    public let report: ProviderReport?
    /// The courier's position.
    public let position: ReportedPosition?
}

/// A courier's position, reported by a provider.
public struct ReportedPosition: Hashable, Sendable {
    /// The provider that reported it.
    public let source: ProviderID
    /// Nil where the provider names no courier: the delivery's courier applies.
    public let courier: CourierID?
    public let coordinate: Coordinate
    public let at: Date
}

/// An adapter's reading of a body, from which the event is built.
struct ReadEvent {
    let provider: DeliveryProvider
    var key: String
    var kind: String
    var references: [String]
    /// The reference among them that the shop gave the delivery; nil where the provider made each.
    var shopReference: String?
    /// The reference that every event of the delivery has; nil for the first one.
    var lastingReference: String?
    /// The source's id where each source chooses its couriers' ids; nil where the provider makes those of all sources.
    var sender: String?
    var receivedAt: Date
    var occurredAt: Date?
    var isTest = false
    /// Nil where the kind is not known.
    var meaning: Meaning?
    var courier: ReadCourier?
    var place: Coordinate?
    var reason: String?
    /// The proofs of the hand-over that the provider states to have.
    var proofs: [ProofKind] = []

    /// An event's statement about a delivery.
    enum Meaning: Hashable {
        case status(StatusCode)
        case late
        /// Known, and of no consequence for the delivery.
        case nothing
    }

    /// - Parameter name: the courier's name for customers where the provider names none.
    func event(name: String) -> ProviderEvent {
        let name = name.cut(toBytes: ProviderReport.textBytesMax) ?? provider.name
        let courier = courier?.courier(
            of: provider, from: sender, name: name, delivery: lastingReference ?? references.first)
        var report: ProviderReport?
        let shownKind = Self.short(kind)
        func makeReport(_ status: StatusCode?, courier: Courier?, isLate: Bool = false) -> ProviderReport {
            ProviderReport(
                source: provider.id, sourceName: name, id: Self.short(key), kind: shownKind, status: status,
                courier: status == .unassigned ? nil : courier, occurredAt: occurredAt, receivedAt: receivedAt,
                reason: reason.flatMap { $0.cut(toBytes: ProviderReport.reasonBytesMax) }, isLate: isLate,
                proofs: proofs.isEmpty ? nil : proofs.sorted())
        }
        switch meaning {
        case .status(let code): report = makeReport(code, courier: courier)
        case .late: report = makeReport(nil, courier: courier, isLate: true)
        case nil: report = makeReport(nil, courier: nil)
        case .nothing: if !proofs.isEmpty { report = makeReport(nil, courier: nil) }
        }
        let position = place.map {
            ReportedPosition(
                source: provider.id, courier: courier?.id, coordinate: $0, at: min(occurredAt ?? receivedAt, receivedAt)
            )
        }
        return ProviderEvent(
            key: Self.short(key), kind: shownKind, references: references.map(Self.short),
            shopReference: shopReference.map(Self.short), isTest: isTest, isKnown: meaning != nil, report: report,
            position: position)
    }

    /// The text itself, or its digest where it is longer than a key may be.
    private static func short(_ text: String) -> String { text.utf8.count <= 128 ? text : digest(of: text) }

    static func digest(of text: String) -> String { Hexadecimal.encode(SHA256.hash(data: Data(text.utf8))) }
}

/// A courier as a provider describes them.
struct ReadCourier {
    /// The provider's id of the courier; nil without one, where the name identifies the courier within a delivery.
    var id: String?
    var name: String?
    var phone: String?
    var vehicle: String?

    /// - Parameters:
    ///   - sender: the source's id where each source chooses its couriers' ids.
    ///   - source: the courier's name for customers where the provider names none that can be shown.
    ///   - delivery: the provider's reference of the delivery.
    func courier(
        of provider: DeliveryProvider, from sender: String?, name source: String, delivery: String?
    ) -> Courier? {
        guard
            let courier = id.map({ Self.courierID($0, of: provider, from: sender) })
                ?? named(in: delivery, of: provider, from: sender)
        else { return nil }
        let isByBicycle = ["bicycle", "bike", "walker"].contains(vehicle?.lowercased() ?? "")
        let shown = (name ?? "").filter { !$0.isNewline }.trimmingCharacters(in: .whitespaces)
        let own = shown.isEmpty ? nil : String(shown.prefix(60)).cut(toBytes: ProviderReport.textBytesMax)
        return Courier(
            id: courier, name: own ?? source,
            vehicle: isByBicycle ? .bicycle : .car, phone: phone.flatMap(Self.dialable))
    }

    /// The digest of the name, the delivery's reference and the sender together, since several couriers have one name.
    ///
    /// The line breaks between them are in none of them.
    private func named(in delivery: String?, of provider: DeliveryProvider, from sender: String?) -> CourierID? {
        guard let name else { return nil }
        let whole = [name, delivery ?? "", sender].compactMap(\.self).joined(separator: "\n")
        let digest = ReadEvent.digest(of: whole).prefix(CourierID.digestCharacters)
        return CourierID(rawValue: "\(provider.rawValue)-\(CourierID.ofOneDelivery)-\(digest)")
    }

    /// The names of provider, sender and courier together; the digest of what is no identifier.
    ///
    /// The first underscore ends the sender's name, so one that has an underscore is in the digest too.
    private static func courierID(_ name: String, of provider: DeliveryProvider, from sender: String?) -> CourierID? {
        let digested = [sender, name].compactMap(\.self).joined(separator: "\n")
        let shown = sender?.contains("_") == true ? nil : [sender, name].compactMap(\.self).joined(separator: "_")
        return shown.flatMap { CourierID(rawValue: "\(provider.rawValue)-\($0)") }
            ?? CourierID(
                rawValue: "\(provider.rawValue)-\(ReadEvent.digest(of: digested).prefix(CourierID.digestCharacters))")
    }

    /// A number in the form of E.164; nil for any other.
    private static func dialable(_ text: String) -> String? {
        let digits = text.filter { !" -()".contains($0) }
        guard digits.hasPrefix("+"), (8...15).contains(digits.dropFirst().count),
            digits.dropFirst().allSatisfy({ ("0"..."9").contains($0) })
        else { return nil }
        return digits
    }
}

extension String {
    /// The text's beginning, in whole characters of at most `bytesMax` bytes in UTF-8.
    ///
    /// - Returns: nil where the first character alone has more bytes, such as a letter with many accents.
    fileprivate func cut(toBytes bytesMax: Int) -> String? {
        guard utf8.count > bytesMax else { return self }
        var bytes = 0
        let beginning = prefix { character in
            bytes += character.utf8.count
            return bytes <= bytesMax
        }
        return beginning.isEmpty ? nil : String(beginning)
    }
}
