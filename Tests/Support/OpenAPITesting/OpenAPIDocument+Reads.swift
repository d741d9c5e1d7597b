extension OpenAPIDocument {
    /// Faults of a declaration of reads: a GET that is in neither list or in both, and a name that no operation has.
    ///
    /// - Parameters:
    ///   - recorded: the operationIds of recorded reads by route, such as `GET /v1/orders`; of others their previews.
    ///   - unrecorded: the operationIds of reads without personal data of others, as far as the document has them.
    package func faults(ofRecorded recorded: [String: String], unrecorded: Set<String>) -> [String] {
        let ids = Dictionary(operations.map { ($0.name, $0.id) }, uniquingKeysWith: { one, _ in one })
        let reads = operations.filter { $0.name.hasPrefix("GET ") }
        let undecided = reads.filter { (recorded[$0.name] != nil) == unrecorded.contains($0.id) }.map(\.name)
        let misnamed = recorded.filter { ids[$0.key] != $0.value }.map(\.key)
        let unknown = unrecorded.subtracting(reads.map(\.id))
        return (undecided + misnamed + unknown).sorted()
    }

    /// The reads of every service that have no data of a person.
    package static let readsOfEveryService: Set = [
        "getLiveness", "getReadiness", "getMetrics", "getOpenAPIDocument",
    ]
}
