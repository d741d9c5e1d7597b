import Foundation
import OrderDomain

extension Ride {
    /// Reads recorded fixes from CSV whose header names `trip_id`, `t_unix`, `lat`, `lon` and, where the phone sent
    /// later than it measured, `t_recv`; in any order, other columns are passed over.
    ///
    /// - Parameter trip: which one; may be nil where there is one only.
    /// - Throws: `CommandFailure` that names the line.
    init(csv text: String, trip: String?) throws {
        var lines = text.split(whereSeparator: \.isNewline).enumerated().makeIterator()
        guard let header = lines.next()?.element else { throw CommandFailure(.usage, "the file is empty") }
        let names = header.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces.union(["\u{FEFF}"])).lowercased() }
        func column(_ name: String) throws -> Int {
            guard let index = names.firstIndex(of: name) else {
                throw CommandFailure(.usage, "the header has no column \(name)")
            }
            return index
        }
        let (time, latitude, longitude) = (try column("t_unix"), try column("lat"), try column("lon"))
        let (tripID, received) = (names.firstIndex(of: "trip_id"), names.firstIndex(of: "t_recv"))
        var trips: Set<String> = []
        var fixes: [Fix] = []
        while let (index, line) = lines.next() {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            if let tripID {
                guard cells.indices.contains(tripID) else { throw Self.fault(index) }
                if let trip, cells[tripID] != trip { continue }
                trips.insert(cells[tripID])
            }
            guard cells.count > max(time, latitude, longitude, received ?? 0), let seconds = Double(cells[time]),
                let latitude = Double(cells[latitude]), let longitude = Double(cells[longitude]),
                let place = Coordinate(latitude: latitude, longitude: longitude)
            else { throw Self.fault(index) }
            let sent = received.flatMap { Double(cells[$0]) } ?? seconds
            fixes.append(
                Fix(
                    time: Date(timeIntervalSince1970: seconds), place: place,
                    sentAt: Date(timeIntervalSince1970: max(sent, seconds))))
        }
        guard trips.count < 2 else {
            throw CommandFailure(.usage, "the file has \(trips.count) trips; choose one with --trip")
        }
        guard !fixes.isEmpty else {
            throw CommandFailure(.notFound, trip.map { "the file has no trip \($0)" } ?? "the file has no fixes")
        }
        self.init(fixes: fixes.stablySorted { $0.sentAt })
    }

    private static func fault(_ index: Int) -> CommandFailure {
        CommandFailure(.usage, "line \(index + 1) is no fix: it needs t_unix, lat and lon as numbers on earth")
    }
}

extension Array {
    /// Sorted by a key; equals stay as they were.
    func stablySorted(by key: (Element) -> some Comparable) -> [Element] {
        enumerated().map { (key($0.element), $0.offset, $0.element) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .map(\.2)
    }
}
