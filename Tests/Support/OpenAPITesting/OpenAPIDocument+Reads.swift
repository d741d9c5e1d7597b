extension OpenAPIDocument {
    /// Faults of a declaration of reads: an operation that is in neither list or in both, a change with a preview that
    /// is not recorded, and a name that no operation has.
    ///
    /// - Parameters:
    ///   - recorded: the operationIds of recorded reads by route, such as `GET /v1/orders`; of changes their previews.
    ///   - unrecorded: the operationIds of reads without personal data of others, and of changes without a preview.
    package func faults(ofRecorded recorded: [String: String], unrecorded: Set<String>) -> [String] {
        let ids = Dictionary(operations.map { ($0.name, $0.id) }, uniquingKeysWith: { one, _ in one })
        let undecided = operations.filter { (recorded[$0.name] != nil) == unrecorded.contains($0.id) }.map(\.name)
        let previewing = operations.filter { queryParameters(of: $0).contains("preview") && recorded[$0.name] == nil }
        let misnamed = recorded.filter { ids[$0.key] != $0.value }.map(\.key)
        let unknown = unrecorded.subtracting(operations.map(\.id))
        return (undecided + previewing.map { "\($0.name) previews" } + misnamed + unknown).sorted()
    }

    /// The changes of every service with messages.
    package static let changesOfOperatorRoutes: Set = ["retryDeadLetter", "dropDeadLetter"]

    /// The reads of every service that have no data of a person.
    package static let readsOfEveryService: Set = [
        "getLiveness", "getReadiness", "getMetrics", "getOpenAPIDocument",
    ]
}
