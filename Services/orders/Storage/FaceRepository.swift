import Foundation
import OrderDomain
import PostgresClient

/// The SQL of stores' faces.
enum FaceRepository {
    /// The version of every store's face.
    static func versions(on database: some PostgresExecutor) async throws -> [StoreID: Int] {
        let rows = try await database.query("SELECT store_id, version FROM store_faces")
        return try rows.reduce(into: [:]) { versions, row in
            if let store = StoreID(rawValue: try row.decode("store_id")) {
                versions[store] = try row.decode("version", as: Int.self)
            }
        }
    }

    /// Nil for a store without a face.
    ///
    /// - Parameter isLocked: whether other changes of it wait until the transaction ends.
    static func face(
        of store: StoreID, isLocked: Bool = false, on database: some PostgresExecutor
    ) async throws -> StoredFace? {
        let lock: SQL = isLocked ? "FOR NO KEY UPDATE" : ""
        return try await database.query(
            """
            SELECT face, changed_at, changed_by FROM store_faces WHERE store_id = \(store.rawValue) \(sql: lock)
            """
        ).first.map { row in
            StoredFace(
                face: try row.decodeJSON("face"), changedAt: try row.decode("changed_at"),
                changedBy: try row.decode("changed_by"))
        }
    }

    /// Stores the first face of a store.
    ///
    /// - Returns: false where the store has one by now.
    static func insert(_ stored: StoredFace, of store: StoreID, on database: some PostgresExecutor) async throws -> Bool
    {
        try await database.execute(
            """
            INSERT INTO store_faces (store_id, version, face, changed_at, changed_by)
            VALUES (\(store.rawValue), \(stored.face.version), \(try OrderRepository.json(stored.face))::jsonb,
                \(stored.changedAt), \(stored.changedBy))
            ON CONFLICT DO NOTHING
            """) > 0
    }

    /// Stores a later version of a face.
    static func update(_ stored: StoredFace, of store: StoreID, on database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            UPDATE store_faces SET version = \(stored.face.version),
                face = \(try OrderRepository.json(stored.face))::jsonb, changed_at = \(stored.changedAt),
                changed_by = \(stored.changedBy)
            WHERE store_id = \(store.rawValue)
            """)
    }

    /// - Parameter bytes: nil for no logo any more.
    static func setLogo(_ bytes: [UInt8]?, of store: StoreID, on database: some PostgresExecutor) async throws {
        guard let bytes else {
            try await database.execute("UPDATE store_faces SET logo = NULL WHERE store_id = \(store.rawValue)")
            return
        }
        try await database.execute("UPDATE store_faces SET logo = \(bytes) WHERE store_id = \(store.rawValue)")
    }

    /// The logo's bytes; nil where the store's logo is another, or none.
    static func logo(_ hash: String, of store: StoreID, on database: some PostgresExecutor) async throws -> [UInt8]? {
        try await database.query(
            """
            SELECT logo FROM store_faces
            WHERE store_id = \(store.rawValue) AND face->'logo'->>'hash' = \(hash) AND logo IS NOT NULL
            """
        ).first?.decode("logo")
    }
}
