import DeliveryDiagnosis
import DoorstepAPI
import OrderDomain
import ServiceRuntime

/// Pages of deliveries that the desk reads for all browsers.
extension ServiceClient {
    /// Deliveries in one answer: the page limit of `orders`.
    static let boardPageRows = 100
    /// The identity of reads that all readers share, whom the desk records; it decides nothing.
    private static let boardReader = DeskUser(subject: Identity.boardSubject, role: .viewer)

    /// One page of deliveries: live ones unless the query selects others.
    ///
    /// - Parameter query: such as `cursor=…`, `ids=…` or `search=…`; nil for the first page.
    /// - Throws: ``ServiceRefusal``, ``ServiceUnavailable``.
    func board(_ query: String? = nil) async throws -> BoardBody {
        let query = query.map { "&\($0)" } ?? ""
        return try await get(.orders, "/v1/deliveries?limit=\(Self.boardPageRows)\(query)", for: Self.boardReader)
    }

    /// A delivery, of which the desk keeps the place of its store only: no person reads it.
    ///
    /// - Throws: ``ServiceRefusal`` for any refusal except 404.
    func storePlace(by delivery: DeliveryID) async throws -> Store? {
        try await read(.orders, "/v1/deliveries/\(delivery)", for: Self.boardReader, as: DeliveryBody.self).body?.store
    }

    /// One page of the events of all deliveries.
    ///
    /// - Parameter query: with its question mark.
    /// - Throws: ``ServiceRefusal``, ``ServiceUnavailable``.
    func timeline(_ query: String) async throws -> TimelinePageBody {
        try await get(.orders, "/v1/timeline\(query)", for: Self.boardReader)
    }
}
