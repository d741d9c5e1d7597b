import ArrivalEstimate
import Foundation
import PostgresClient

/// The SQL of installed models.
enum EstimateModelRepository {
    /// The newest models of this program's format, newest first.
    static func newest(rowsMax: Int, on database: some PostgresExecutor) async throws -> [PostgresRow] {
        try await database.query(
            """
            SELECT estimate_model_id, model FROM estimate_models
            WHERE format = \(ArrivalModel.format) ORDER BY estimate_model_id DESC LIMIT \(rowsMax)
            """)
    }

    static func id(_ row: PostgresRow) throws -> Int64 { try row.decode("estimate_model_id") }

    /// - Throws: an `ArrivalModelError` for a document that this program cannot use.
    static func model(_ row: PostgresRow) throws(ArrivalModelError) -> ArrivalModel {
        let text: String
        do {
            text = try row.decode("model")
        } catch {
            throw .unreadable("\(error)")
        }
        return try ArrivalModel(json: Data(text.utf8))
    }
}
