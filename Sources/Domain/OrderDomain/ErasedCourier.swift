public import Foundation

/// A courier who is erased, and the pseudonym that stands in the courier's place.
public struct ErasedCourier: Hashable, Codable, Sendable {
    /// The name of every erased courier.
    public static let name = "Courier"
    /// The vehicle of every erased courier.
    public static let vehicle = Vehicle.bicycle

    public let id: CourierID
    public let pseudonym: CourierID
    /// The names that the courier was described by.
    public let names: [String]
    /// The numbers that the courier was described with.
    public let phones: [String]

    public init(id: CourierID, pseudonym: CourierID, names: [String], phones: [String]) {
        self.id = id
        self.pseudonym = pseudonym
        self.names = names
        self.phones = phones
    }

    /// Another courier as they are, and the erased one as the pseudonym.
    public func replacing(_ courier: Courier?) -> Courier? {
        guard let courier, courier.id == id else { return courier }
        return Courier(id: pseudonym, name: Self.name, vehicle: Self.vehicle, phone: nil)
    }

    /// Another courier's id as it is, and the erased one's as the pseudonym's.
    public func replacing(_ courier: CourierID?) -> CourierID? { courier == id ? pseudonym : courier }

    /// The author of a change or a proof, such as `courier mira`.
    public func replacing(author: String?) -> String? {
        author == "courier \(id)" ? "courier \(pseudonym)" : author
    }

    /// A text in which the courier's names and numbers are replaced where they are whole words.
    ///
    /// An id may be any short text, such as `12`, and is replaced only where a value is an id.
    public func redacted(_ text: String) -> String {
        var text = text
        for name in names.sorted(by: { $0.count > $1.count }) { text = text.replacingWord(name, with: Self.name) }
        for phone in phones { text = text.replacingWord(phone, with: "–") }
        return text
    }

    /// The texts by which copies of messages name the courier, as the services write JSON.
    public var mentions: [String] {
        ["\"courier\":\"\(id)\"", "\"courier\":{\"id\":\"\(id)\"", "\"fetchedFrom\":{\"id\":\"\(id)\""]
    }

    /// A part of each name and number that JSON writes as it is; a text without any of them names the courier nowhere.
    public var searchedTexts: [String] {
        (names + phones).compactMap { text in
            text.split { $0 == "\"" || $0 == "\\" || $0 == "/" || $0.isNewline || $0 == "\t" }
                .max { $0.utf8.count < $1.utf8.count }.map(String.init)
        }
    }

    /// Whether JSON may have the courier, as a value, as an author or in a text; false where it certainly has not.
    public func mayBe(inJSON json: String) -> Bool {
        json.contains("\"\(id)\"") || json.contains("\"courier \(id)\"") || searchedTexts.contains(where: json.contains)
    }
}

extension CourierID {
    /// Begins the pseudonym of an erased person, before a UUID.
    private static let pseudonymPrefix = "erased-"
    private static let uuidBytes = 36

    /// The pseudonym of a request to erase a courier.
    public init(pseudonym uuid: UUID) {
        guard let id = CourierID(rawValue: Self.pseudonymPrefix + uuid.uuidString.lowercased()) else {
            preconditionFailure("a word and a UUID are an identifier")
        }
        self = id
    }

    /// Whether it stands for an erased courier.
    public var isPseudonym: Bool {
        rawValue.hasPrefix(Self.pseudonymPrefix)
            && rawValue.utf8.count == Self.pseudonymPrefix.utf8.count + Self.uuidBytes
    }
}

extension Delivery {
    /// The delivery with a pseudonym in the place of the courier, one version later.
    ///
    /// A delivery without this courier stays as it is.
    /// - Parameter isFormer: whether it had the courier once. Where it has ended, the mark of the courier's reports has
    ///   the pseudonym then, so that a late report is known to be of such a delivery.
    public func without(_ erased: ErasedCourier, isFormer: Bool = false) -> Delivery {
        var delivery = replacing(erased)
        if isFormer, status.isEnded, !delivery.hasErasedCourier {
            var reports = delivery.courierReports ?? CourierReports()
            reports.assignment = CourierReports.Mark(at: endedAt ?? statusSince, rank: .max, courier: erased.pseudonym)
            delivery.courierReports = reports
        }
        guard delivery != self else { return self }
        delivery.version = version + 1
        return delivery
    }

    /// Whether a pseudonym is in the place of its courier, or of a former one.
    var hasErasedCourier: Bool {
        let marks = [courierReports?.assignment, courierReports?.progress].map { $0?.courier }
        let couriers = [courier?.id, fetchedFrom?.id, brokenDownCourier, proof?.claim?.courier?.id] + marks
        return couriers.contains { $0?.isPseudonym == true }
    }

    /// The delivery at the same version, with a pseudonym in the place of the courier.
    public func replacing(_ erased: ErasedCourier) -> Delivery {
        var delivery = self
        delivery.courier = erased.replacing(courier)
        delivery.fetchedFrom = erased.replacing(fetchedFrom)
        delivery.brokenDownCourier = erased.replacing(brokenDownCourier)
        delivery.courierReports = courierReports?.without(erased)
        delivery.proof = proof?.without(erased)
        delivery.reason = reason.map(erased.redacted)
        return delivery
    }
}

extension CourierReports {
    func without(_ erased: ErasedCourier) -> CourierReports {
        func mark(_ mark: Mark?) -> Mark? {
            mark.map {
                Mark(at: $0.at, rank: $0.rank, courier: erased.replacing($0.courier), source: $0.source)
            }
        }
        var reports = self
        reports.assignment = mark(assignment)
        reports.progress = mark(progress)
        return reports
    }
}

extension DeliveryProof {
    func without(_ erased: ErasedCourier) -> DeliveryProof {
        func results(_ results: [GivenProof]) -> [GivenProof] {
            results.map {
                GivenProof(
                    kind: $0.kind, outcome: $0.outcome, by: erased.replacing(author: $0.by), at: $0.at,
                    reason: $0.reason.map(erased.redacted), image: $0.image)
            }
        }
        var proof = self
        proof.given = results(given)
        proof.former = former.map(results)
        proof.claim = claim?.without(erased)
        return proof
    }
}

extension ProviderReport {
    /// The report with a pseudonym in the place of the courier.
    public func without(_ erased: ErasedCourier) -> ProviderReport {
        ProviderReport(
            source: source, sourceName: sourceName, id: id, kind: kind, status: status,
            courier: erased.replacing(courier), occurredAt: occurredAt, receivedAt: receivedAt,
            reason: reason.map(erased.redacted), isLate: isLate, proofs: proofs, successor: successor)
    }
}

extension String {
    /// Replaces a word where no letter, digit or hyphen is beside it.
    fileprivate func replacingWord(_ word: String, with substitute: String) -> String {
        guard !word.isEmpty else { return self }
        var result = ""
        var rest = self[...]
        while let found = rest.range(of: word) {
            let before = found.lowerBound > startIndex ? self[index(before: found.lowerBound)] : nil
            let after = found.upperBound < endIndex ? self[found.upperBound] : nil
            let isWord = !(before?.isOfWord ?? false) && !(after?.isOfWord ?? false)
            result += rest[..<found.lowerBound]
            result += isWord ? substitute : word
            rest = rest[found.upperBound...]
        }
        return result + rest
    }
}

extension Character {
    fileprivate var isOfWord: Bool { isLetter || isNumber || self == "-" || self == "_" }
}
