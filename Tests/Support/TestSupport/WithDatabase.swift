import Foundation
import Logging
package import PostgresClient

/// Runs the body with a database of its own on the running test's server, where schemas have their real names.
package func withDatabase(
    schema: String? = nil, _ body: (PostgresConfiguration) async throws -> Void
) async throws {
    let admin = PostgresPool(TestPostgres.current, logger: Logger(label: "test"))
    let name = "database_" + UUID().uuidString.prefix(8).lowercased()
    try await admin.execute("CREATE DATABASE \(raw: name)")
    var configuration = TestPostgres.current
    configuration.database = name
    configuration.schema = schema
    let result: Result<Void, any Error>
    do {
        result = .success(try await body(configuration))
    } catch {
        result = .failure(error)
    }
    try await admin.execute("DROP DATABASE \(raw: name) WITH (FORCE)")
    await admin.shutDown()
    try result.get()
}
