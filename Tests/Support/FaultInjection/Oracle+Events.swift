/// Compares the events sent to the shop's receiver with the timelines.
extension Oracle {
    /// Every event of its timeline, once; none of a version that it does not have.
    func events(of record: StackSnapshot.DeliveryRecord) -> [Violation] {
        let taken = snapshot.events[record.delivery] ?? []
        let missing = record.events.subtracting(taken)
        let counts = taken.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        let doubled = counts.filter { $0.value > 1 }.keys
        let unknown = counts.keys.filter { $0.version > record.version }
        func violations(_ kind: Violation.Kind, _ events: some Sequence<StackSnapshot.Event>) -> [Violation] {
            events.map(\.description).sorted().map { Violation(kind, "\(record.delivery): \($0)") }
        }
        return violations(.eventLost, missing) + violations(.eventRepeated, doubled) + violations(.eventWrong, unknown)
    }
}
