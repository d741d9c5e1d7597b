package import DoorstepAPI
internal import Foundation

/// A page of the access logs of several services, newest first.
package struct MergedReads: Sendable {
    /// Rows of a page.
    package static let rowsMax = 50

    /// A row, and the service that recorded it.
    package struct Row: Encodable, Sendable {
        package let service: String
        package let read: PersonalReadBody
    }

    package let rows: [Row]
    /// The cursor of the next page; nil on the last.
    package let next: ReadsCursor?

    /// Merges the services' pages; the page of a service begins after its place in `cursor`.
    ///
    /// - Parameter away: the services without an answer, which are in no later page either: their rows would be newer
    ///   than those above them.
    package init(
        _ pages: [(service: String, page: PersonalReadsBody)], away: [String] = [],
        after cursor: ReadsCursor = ReadsCursor()
    ) {
        var merged: [Row] = []
        var places = cursor
        for service in away { places.ids[service] = nil }
        places.away.formUnion(away)
        // Each service's rows stay in its order, which is finer than the times of its answer.
        var rests = pages.map { (service: $0.service, reads: $0.page.reads[...]) }
        func newest() -> Int? {
            rests.indices.filter { !rests[$0].reads.isEmpty }.max { one, other in
                rests[one].reads[rests[one].reads.startIndex].at < rests[other].reads[rests[other].reads.startIndex].at
            }
        }
        while merged.count < Self.rowsMax, let index = newest() {
            let read = rests[index].reads.removeFirst()
            merged.append(Row(service: rests[index].service, read: read))
            places.ids[rests[index].service] = read.id
        }
        rows = merged
        let hasMore = rests.contains { !$0.reads.isEmpty } || pages.contains { $0.page.next != nil }
        next = hasMore ? places : nil
    }
}

/// The place in each service's log up to which its rows were shown: `orders:id,desk:id,partners:-`, where `-` stands for
/// a service that did not answer.
package struct ReadsCursor: Hashable, Sendable, CustomStringConvertible {
    /// The id of a service's last shown row, by service.
    package var ids: [String: String] = [:]
    /// The services whose rows are missing in the pages so far.
    package var away: Set<String> = []

    package init() {}

    /// Nil for a text that is no cursor.
    package init?(_ text: String) {
        for part in text.split(separator: ",") {
            let pair = part.split(separator: ":").map(String.init)
            guard pair.count == 2, pair[1] == Self.none || UUID(uuidString: pair[1]) != nil else { return nil }
            if pair[1] == Self.none { away.insert(pair[0]) } else { ids[pair[0]] = pair[1] }
        }
    }

    package var description: String {
        let places = ids.merging(away.map { ($0, Self.none) }) { $1 }
        return places.sorted { $0.key < $1.key }.map { "\($0):\($1)" }.joined(separator: ",")
    }

    private static let none = "-"
}

extension PersonalReadBody {
    /// The persons in one text: `customer mette, delivery 0192…, 4 more`.
    ///
    /// - Parameters:
    ///   - idsMax: the ids that it names.
    ///   - first: the ids that it names before others.
    package func personsText(idsMax: Int = 3, first: Set<String> = []) -> String {
        func texts(_ kind: String, _ ids: [String], ofFirst isFirst: Bool) -> [String] {
            ids.filter { first.contains($0) == isFirst }.map { "\(kind) \($0)" }
        }
        let ids = [true, false].flatMap { isFirst in
            texts("customer", customers, ofFirst: isFirst) + texts("courier", couriers, ofFirst: isFirst)
                + texts("delivery", deliveries, ofFirst: isFirst)
        }
        let more = ids.count > idsMax ? ["\(ids.count - idsMax) more"] : []
        return (ids.prefix(idsMax) + more).joined(separator: ", ")
    }
}
