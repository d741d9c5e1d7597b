import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import OrderDomain
import ServiceRuntime
import WebPages

/// The routes of stores' faces: reading and changing one for its store and for operators, and the files that pages load.
struct FaceHTTP: Sendable {
    let setFace: SetFace
    let faces: StoreFaces
    /// The origin of pages, such as `https://go.nordhavn.example`.
    let origin: String

    func addRoutes(to router: Router<AppContext>) {
        router.get("v1/stores/{store}/face", use: show)
        router.put("v1/stores/{store}/face", use: put)
        router.put("v1/stores/{store}/face/logo", use: putLogo)
        router.delete("v1/stores/{store}/face/logo", use: deleteLogo)
        router.get("faces/{store}/{name}", use: file)
    }

    // MARK: Faces

    @Sendable func show(_ request: Request, _ context: AppContext) async throws -> Response {
        let (store, _) = try caller(context, as: .viewer)
        return try answer(try await setFace.stored(store), of: store)
    }

    @Sendable func put(_ request: Request, _ context: AppContext) async throws -> Response {
        let (store, principal) = try caller(context, as: .supervisor)
        let condition = try request.headers.ifMatch(of: principal)
        let body = try await request.decode(as: PutFaceBody.self, check: SetFace.check)
        let stored = try await setFace(body, of: store, by: principal) { try condition?.check(current: $0) }
        return try answer(stored, of: store)
    }

    @Sendable func putLogo(_ request: Request, _ context: AppContext) async throws -> Response {
        let (store, principal) = try caller(context, as: .supervisor)
        let condition = try request.headers.ifMatch(of: principal)
        let bytes = try await request.bytes(maxBytes: SetFace.logoBytesMax)
        let stored = try await setFace.setLogo(Array(bytes), of: store, by: principal) {
            try condition?.check(current: $0)
        }
        return try answer(stored, of: store)
    }

    @Sendable func deleteLogo(_ request: Request, _ context: AppContext) async throws -> Response {
        let (store, principal) = try caller(context, as: .supervisor)
        let condition = try request.headers.ifMatch(of: principal)
        let stored = try await setFace.setLogo(nil, of: store, by: principal) { try condition?.check(current: $0) }
        return try answer(stored, of: store)
    }

    /// The store of the path, for a caller that may see it.
    private func caller(
        _ context: AppContext, as needed: OperatorScope
    ) throws -> (store: StoreID, principal: Principal) {
        let principal = try context.principal(.store, .operator, as: needed)
        let store = try context.path("store", as: StoreID.self)
        guard principal.scope.delivery == nil, principal.scope.store == nil || principal.scope.store == store else {
            throw Problem.notFound("no store \(store)")
        }
        return (store, principal)
    }

    private func answer(_ stored: StoredFace?, of store: StoreID) throws -> Response {
        let face = stored?.face ?? StoreFace()
        let body = FaceBody(
            face, of: store, logoURL: face.logo.map { origin + $0.path(of: store) }, changedAt: stored?.changedAt,
            changedBy: stored?.changedBy)
        return try jsonResponse(body, headers: [.eTag: entityTag(version: face.version)])
    }

    // MARK: Files

    /// A style sheet or a logo of a store's pages: anyone may have it, also a messenger that previews a link.
    ///
    /// A style sheet has its colours in its name, and a logo the hash of its bytes, so that each stays as it is.
    @Sendable func file(_ request: Request, _ context: AppContext) async throws -> Response {
        let store = try context.path("store", as: StoreID.self)
        let name = try context.path("name")
        if let style = PageAsset(styleNamed: name, of: store) { return style.response(to: request) }
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, ProofImage.isHash(parts[0]),
            let format = ProofImage.Format.allCases.first(where: { $0.fileExtension == parts[1] }),
            let bytes = try await faces.logo(parts[0], of: store),
            bytes.starts(with: format == .png ? ProofImage.pngStart : ProofImage.jpegStart)
        else { throw Problem.notFound("no such file of store \(store)") }
        var response = PageAsset(at: request.uri.path, format.contentType, bytes).response(to: request)
        response.headers[.contentSecurityPolicy] = "default-src 'none'; sandbox"
        return response
    }
}

extension FaceLogo {
    /// The path of its bytes, with their hash.
    func path(of store: StoreID) -> String { "/faces/\(store)/\(hash).\(fileExtension)" }
}

extension PageAsset {
    /// The style sheet by which a page has a shop's colours.
    init(_ colours: FaceColours, of store: StoreID) {
        func rule(_ colour: ShopColour?, _ appearance: PageAppearance) -> String {
            colour.map { "@media (prefers-color-scheme: \(appearance.rawValue)) { :root { --tone: \($0); } }\n" } ?? ""
        }
        let names = [colours.light, colours.dark].map { $0.map { String($0.description.dropFirst()) } ?? "none" }
        self.init(
            at: "/faces/\(store)/\(names.joined(separator: "-")).css", "text/css; charset=utf-8",
            Array((rule(colours.light, .light) + rule(colours.dark, .dark)).utf8))
    }

    /// Nil for a name that no colours have, or only illegible ones.
    fileprivate init?(styleNamed name: String, of store: StoreID) {
        guard let match = name.wholeMatch(of: /(none|[0-9a-f]{6})-(none|[0-9a-f]{6})\.css/) else { return nil }
        let (light, dark) = (ShopColour("#\(match.1)"), ShopColour("#\(match.2)"))
        guard let colours = FaceColours(light: light, dark: dark),
            light.map(PageAppearance.light.accepts) ?? true, dark.map(PageAppearance.dark.accepts) ?? true
        else { return nil }
        self.init(colours, of: store)
    }
}

extension SetFace.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .logoTooLarge: .imageRefused("has more than \(SetFace.logoSideMax) pixels on a side")
        }
    }
}
