import FlowControl
import InterfaceTexts
import OrderDomain
import PostgresClient
import Synchronization

/// The faces of stores as they were a moment ago, each cached by its version: a page costs no statement for one.
///
/// One statement reads the versions of all of them, for every caller of two seconds.
struct StoreFaces: Sendable {
    /// The age limit of the versions: after a change, pages show the former face for as long.
    static let ageMax = Duration.seconds(2)
    private static let facesMax = 1_000
    /// Logos that are kept, each of at most ``SetFace/logoBytesMax``.
    private static let logosMax = 64

    /// A face with the texts of its store's pages.
    struct Shown: Sendable {
        /// Nil for a store without one.
        let face: StoreFace?
        let texts: InstallationTexts
    }

    let pool: PostgresPool
    let texts: InstallationTexts
    private let versions: SharedReads<Int, Result<[StoreID: Int], any Error>>
    private let reads = SharedReads<StoreID, Result<Shown, any Error>>(keysMax: facesMax)
    private let logos = SharedReads<FaceLogo, Result<[UInt8]?, any Error>>(keysMax: logosMax, keptFor: .seconds(60))
    private let kept = KeptFaces()

    init(pool: PostgresPool, texts: InstallationTexts, ageMax: Duration = ageMax) {
        self.pool = pool
        self.texts = texts
        versions = SharedReads(keysMax: 1, keptFor: ageMax)
    }

    /// Whether a store has one.
    var areAny: Bool { get async throws { !(try await present.isEmpty) } }

    /// The versions of all stores' faces.
    private var present: [StoreID: Int] {
        get async throws { try await versions.value(of: 0) { try await FaceRepository.versions(on: pool) } }
    }

    func callAsFunction(_ store: StoreID) async throws -> Shown {
        guard let version = try await present[store] else { return Shown(face: nil, texts: texts) }
        if let shown = known(store), let face = shown.face, face.version == version { return shown }
        return try await reads.value(of: store) {
            guard let face = try await FaceRepository.face(of: store, on: pool)?.face else {
                return Shown(face: nil, texts: texts)
            }
            let shown = Shown(
                face: face, texts: face.words.map { texts.adding($0, of: store.rawValue) } ?? texts)
            kept.byStore.withLock { byStore in
                if byStore.count >= Self.facesMax { byStore = [:] }
                byStore[store] = shown
            }
            return shown
        }
    }

    /// The bytes of a store's present logo; nil for any other hash, which costs no statement.
    func logo(_ hash: String, of store: StoreID) async throws -> [UInt8]? {
        guard let logo = try await self(store).face?.logo, logo.hash == hash else { return nil }
        return try await logos.value(of: logo) { try await FaceRepository.logo(hash, of: store, on: pool) }
    }

    /// The face that was last read; nil where none was, for callers that may not wait.
    func known(_ store: StoreID) -> Shown? { kept.byStore.withLock { $0[store] } }
}

private final class KeptFaces: Sendable {
    let byStore = Mutex<[StoreID: StoreFaces.Shown]>([:])
}
