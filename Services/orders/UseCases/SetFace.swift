import DomainTime
import DoorstepAPI
import Foundation
import InterfaceTexts
import OrderDomain
import PostgresClient
import ServiceRuntime

/// Reads and changes a store's face.
struct SetFace: Sendable {
    static let logoBytesMax = 102_400
    static let logoSideMax = 1_024
    /// Characters of one of a store's own texts.
    static let wordsCharactersMax = 500
    /// Languages in which a store may have words of its own.
    static let languagesMax = 40

    let pool: PostgresPool
    let clock: DomainClock

    enum Refusal: Error, Hashable, Sendable {
        /// The logo has more pixels than a page shows.
        case logoTooLarge
    }

    /// Nil for a store without a face.
    func stored(_ store: StoreID) async throws -> StoredFace? {
        try await FaceRepository.face(of: store, on: pool)
    }

    /// Replaces everything but the logo.
    ///
    /// - Parameters:
    ///   - body: a body without faults by ``check(_:_:)``.
    ///   - condition: throws unless the present version is the one that the caller has read.
    func callAsFunction(
        _ body: PutFaceBody, of store: StoreID, by principal: Principal, if condition: @Sendable (Int) throws -> Void
    ) async throws -> StoredFace? {
        try await change(store, by: principal, if: condition) { face, _ in
            face.name = body.name
            face.colours = FaceColours(
                light: body.colours?.light.flatMap(ShopColour.init), dark: body.colours?.dark.flatMap(ShopColour.init))
            face.contact = body.contact
            let words = body.words?.filter { !$0.value.isEmpty } ?? [:]
            face.words = words.isEmpty ? nil : words
        }
    }

    /// Sets the logo, or removes it.
    ///
    /// - Parameter bytes: of a program outside; nil for none.
    /// - Throws: `ProofImage.Fault`, `Refusal`; the face is unchanged then.
    func setLogo(
        _ bytes: [UInt8]?, of store: StoreID, by principal: Principal, if condition: @Sendable (Int) throws -> Void
    ) async throws -> StoredFace? {
        let image = try bytes.map { try ProofImage($0, keepsTransparency: true) }
        if let image, max(image.size.width, image.size.height) > Self.logoSideMax { throw Refusal.logoTooLarge }
        return try await change(store, by: principal, if: condition) { face, transaction in
            face.logo = image.map {
                FaceLogo(
                    hash: $0.hash, fileExtension: $0.format.fileExtension, width: $0.size.width, height: $0.size.height)
            }
            try await FaceRepository.setLogo(image?.bytes, of: store, on: transaction)
        }
    }

    private func change(
        _ store: StoreID, by principal: Principal, if condition: @Sendable (Int) throws -> Void,
        _ edit: @Sendable (inout StoreFace, PostgresTransaction) async throws -> Void
    ) async throws -> StoredFace? {
        let (now, name) = (clock.now, principal.recordedName)
        do {
            return try await pool.withTransaction(retriesMax: 3) { transaction in
                let former = try await Self.locked(store, at: now, by: name, in: transaction)
                try condition(former.version)
                var face = former
                try await edit(&face, transaction)
                // A repeat of the same change is no other version, and a store without a face keeps none.
                guard face != former else { throw Unchanged() }
                face.version = former.version + 1
                let stored = StoredFace(face: face, changedAt: now, changedBy: name)
                try await FaceRepository.update(stored, of: store, on: transaction)
                return stored
            }
        } catch is Unchanged {
            return try await stored(store)
        }
    }

    /// Undoes a transaction that changes nothing.
    private struct Unchanged: Error {}

    /// The store's face, locked, of version 0 where the store has none yet.
    private static func locked(
        _ store: StoreID, at now: Date, by name: String, in transaction: PostgresTransaction
    ) async throws -> StoreFace {
        if let stored = try await FaceRepository.face(of: store, isLocked: true, on: transaction) { return stored.face }
        let first = StoredFace(face: StoreFace(), changedAt: now, changedBy: name)
        if try await FaceRepository.insert(first, of: store, on: transaction) { return first.face }
        return try await FaceRepository.face(of: store, isLocked: true, on: transaction)?.face ?? first.face
    }

    // MARK: Checks

    /// Notes every fault of a face, with the nearest accepted colour for one that is not legible.
    static func check(_ body: PutFaceBody, _ check: inout BodyCheck) {
        if let name = body.name { check.plainText(name, "name", charactersMax: StoreFace.nameCharactersMax) }
        if let colours = body.colours {
            check.require(colours.light != nil || colours.dark != nil, "colours", "must have light or dark")
            Self.check(colours.light, .light, &check)
            Self.check(colours.dark, .dark, &check)
        }
        if let contact = body.contact { PlaceOrder.check(contact, "contact", &check) }
        let words = body.words ?? [:]
        check.require(words.count <= languagesMax, "words", "must have at most \(languagesMax) languages")
        for (language, texts) in words.sorted(by: { $0.key < $1.key }).prefix(languagesMax) {
            Self.check(texts, in: language, &check)
        }
    }

    private static func check(_ text: String?, _ appearance: PageAppearance, _ check: inout BodyCheck) {
        guard let text else { return }
        let path = "colours.\(appearance.rawValue)"
        guard let colour = ShopColour(text) else {
            check.require(false, path, "must be a colour such as #0b62c4")
            return
        }
        guard !appearance.accepts(colour) else { return }
        let (nearest, least) = (appearance.nearest(to: colour), appearance.leastContrast(of: colour))
        check.require(
            false, path,
            """
            has a contrast of \(least) to \(least.neighbour), and needs \(PageAppearance.contrastMin):1; the \
            nearest colour that has it is \(nearest)
            """, allowed: [nearest.description])
    }

    private static func check(_ texts: [String: String], in language: String, _ check: inout BodyCheck) {
        guard language.wholeMatch(of: /[a-z]{2,3}/) != nil else {
            check.require(false, "words.\(language)", "must be a language's ISO 639 code, such as da")
            return
        }
        for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
            let path = "words.\(language).\(key)"
            check.plainText(text, path, charactersMax: wordsCharactersMax)
            if let fault = InstallationTexts.fault(of: text, for: key, in: language) {
                check.require(false, path, fault)
            }
        }
    }
}
