import ArrivalEstimate
import Foundation
import PostgresClient

/// The models that `courier-eta` chooses the newest readable one of.
struct InstalledModels: Sendable {
    let pool: PostgresPool

    /// The newest model; nil where there is none, or none that this program can read.
    func newest() async throws -> ArrivalModel? {
        let rows = try await pool.query(
            """
            SELECT model FROM courier_eta.estimate_models WHERE format = \(ArrivalModel.format)
            ORDER BY estimate_model_id DESC LIMIT 1
            """)
        guard let row = rows.first else { return nil }
        let text = try row.decode("model", as: String.self)
        // A model that this program cannot read counts as none; `courier-eta` logs it when it reads the table.
        return try? ArrivalModel(json: Data(text.utf8))
    }

    func insert(_ model: ArrivalModel) async throws {
        let document = PostgresJSON(text: String(decoding: try model.json(), as: UTF8.self))
        try await pool.execute(
            """
            INSERT INTO courier_eta.estimate_models (format, rides, model)
            VALUES (\(ArrivalModel.format), \(model.rides), \(document))
            """)
    }
}
