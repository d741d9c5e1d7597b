import OrderDomain
import PostgresClient
import TextCoding

@testable import Orders

/// How the orders of a test store personal data, which its readers do not notice.
enum StoredForm: CaseIterable {
    case sealed, readable

    var box: PersonalDataBox {
        get throws { PersonalDataBox(try OrdersUnderTest.proofKeys, seals: self == .sealed) }
    }
}

extension OrderRepository {
    /// A delivery with what the keys of the tests open.
    static func delivery(_ id: DeliveryID, on database: some PostgresExecutor) async throws -> DeliveryRecord? {
        try await delivery(id, opening: OrdersUnderTest.personalData, on: database)
    }
}
