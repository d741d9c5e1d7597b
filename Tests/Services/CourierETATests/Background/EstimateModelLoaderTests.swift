import ArrivalEstimate
import Foundation
import Logging
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import CourierETA

@Suite("Estimate models", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct EstimateModelLoaderTests {
    /// The built-in model under another number of rides, to distinguish it.
    private func document(rides: Int, format: Int = ArrivalModel.format) throws -> String {
        let text = String(decoding: try ArrivalModel.builtIn.json(), as: UTF8.self)
        return text.replacing("\"rides\":1412", with: "\"rides\":\(rides)")
            .replacing("\"format\":\(ArrivalModel.format)", with: "\"format\":\(format)")
    }

    private func install(_ text: String, format: Int = ArrivalModel.format, in pool: PostgresPool) async throws {
        try await pool.execute(
            "INSERT INTO estimate_models (format, rides, model) VALUES (\(format), 1, \(PostgresJSON(text: text)))")
    }

    @Test("The newest sound model is used; one of another format or with nonsense in it is passed over")
    func newest() async throws {
        try await Harness.run { harness in
            let models = EstimateModelLoader(pool: harness.pool, logger: Logger(label: "test"))
            #expect(try await models.load() == false)
            #expect(models.estimator.model == .builtIn)
            try await install(try document(rides: 7), in: harness.pool)
            #expect(try await models.load())
            #expect(models.estimator.model.rides == 7)
            try await install(try document(rides: 8), in: harness.pool)
            try await install("{\"format\":1}", in: harness.pool)
            try await install(try document(rides: 9, format: 2), format: 2, in: harness.pool)
            #expect(try await models.load())
            #expect(models.estimator.model.rides == 8)
            #expect(try await models.load() == false)
        }
    }
}
