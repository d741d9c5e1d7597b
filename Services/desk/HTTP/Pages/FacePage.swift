import CardPresentation
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import OrderDomain
import ServiceRuntime
import WebPages

/// Stores' names, colours and contacts for their customers, with a preview of both appearances.
extension DeskHTTP {
    /// The stores of the board's deliveries, and the way to any other.
    @Sendable func showStores(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            if let text = request.query("store") {
                guard let store = StoreID(rawValue: text) else {
                    return message(
                        .badRequest, "That is no store's id", "Such an id has letters, digits, - and _.",
                        reader: reader, link: ("/stores", "To the stores"))
                }
                return .seeOther("/stores/\(store)/face")
            }
            let rows = board.entries.map(\.row)
            let names = Dictionary(rows.map { ($0.store.rawValue, $0.storeName) }, uniquingKeysWith: { one, _ in one })
            let values: [String: Any] = [
                "stores": names.sorted { $0.key < $1.key }.map { id, name in
                    ["path": "/stores/\(id)/face", "id": id, "name": (name ?? id).withoutDirectionControls]
                },
                "isEmpty": names.isEmpty,
            ]
            return .page(DeskPage.html("stores", values, title: "Stores", tab: .stores, for: reader))
        }
    }

    @Sendable func showFace(_ request: Request, _ context: AppContext) async throws -> Response {
        let store = try context.path("store", as: StoreID.self)
        return try await signedIn(request) { reader in
            let face = try await changeFace.face(of: store, for: reader.user)
            return facePage(FaceForm(face), of: face, hasChanged: request.query("done") != nil, for: reader)
        }
    }

    /// Shows a face with the values of a form, sets it, or removes the logo.
    @Sendable func setFace(_ request: Request, _ context: AppContext) async throws -> Response {
        let store = try context.path("store", as: StoreID.self)
        return try await posting(request, as: .supervisor) { reader, fields, _ in
            let face = try await changeFace.face(of: store, for: reader.user)
            let form = FaceForm(fields)
            guard fields["do"] != "preview" else { return facePage(form, of: face, for: reader) }
            do {
                if fields["do"] == "remove-logo" {
                    try await changeFace.removeLogo(of: store, version: form.version, by: reader.user)
                } else {
                    try await changeFace.set(
                        form.body(keeping: face), of: store, version: form.version, by: reader.user)
                }
            } catch let refusal as ServiceRefusal where refusal.status == 400 || refusal.status == 412 {
                let present = refusal.status == 412 ? FaceForm(face) : form
                var response = facePage(present, of: face, fault: refusal.description, for: reader)
                response.status = .init(code: refusal.status)
                return response
            }
            return .seeOther("/stores/\(store)/face?done=true")
        }
    }

    private func facePage(
        _ form: FaceForm, of face: FaceBody, fault: String? = nil, hasChanged: Bool = false, for reader: SignedIn
    ) -> Response {
        var values: [String: Any] = [
            "store": face.store.rawValue, "path": "/stores/\(face.store)/face", "version": String(form.version),
            "fields": form.fields.map { field in
                [
                    "name": field.name.rawValue, "label": field.name.label, "value": field.value,
                    "help": field.name.help, "max": field.name.charactersMax,
                ] as [String: Any]
            },
            "previews": PageAppearance.allCases.map { FacePreview(form: form, appearance: $0).values },
            "hasLogo": face.logo != nil,
            "mayChange": reader.user.may(.supervisor), "hasChanged": hasChanged,
        ]
        values["fault"] = fault
        values["words"] = face.words.map { words in
            words.sorted { $0.key < $1.key }.map { "\($0.value.count) in \($0.key)" }.joined(separator: ", ")
        }
        values["changed"] = face.changedBy.map { by in
            "Version \(face.version), by \(by.withoutDirectionControls)"
        }
        values["logo"] = face.logo.map { "\($0.width) × \($0.height) pixels" }
        return .page(DeskPage.html("face", values, title: "Face of \(face.store)", tab: .stores, for: reader))
    }
}

/// The fields of a face as a supervisor writes them.
struct FaceForm: Sendable {
    enum Field: String, CaseIterable, Sendable {
        case name, light, dark, phone, url, email

        var label: String {
            switch self {
            case .name: "Name for customers"
            case .light: "Colour, light"
            case .dark: "Colour, dark"
            case .phone: "Telephone"
            case .url: "Page for questions"
            case .email: "E-mail"
            }
        }

        var help: String {
            switch self {
            case .name: "At most 40 characters; empty for the name in the orders."
            case .light: "Such as #0a6b70; empty for the usual one."
            case .dark: "Such as #5fd0d6; empty for the usual one."
            case .phone: "For customers and couriers; empty for that of the order."
            case .email: "For customers, and for couriers without a page; empty for that of the order."
            case .url: "Such as a chat, from https:// on; empty for that of the order."
            }
        }

        var charactersMax: Int {
            switch self {
            case .name: StoreFace.nameCharactersMax
            case .light, .dark: 7
            case .phone: 40
            case .url: 200
            case .email: 120
            }
        }
    }

    /// The version of the face that the form was made of.
    let version: Int
    private let values: [Field: String]

    init(_ face: FaceBody) {
        version = face.version
        values = [
            .name: face.name, .light: face.colours?.light, .dark: face.colours?.dark, .phone: face.contact?.phone,
            .url: face.contact?.url, .email: face.contact?.email,
        ].compactMapValues(\.self)
    }

    /// - Parameter fields: as a browser sends them.
    init(_ fields: [String: String]) {
        version = fields["version"].flatMap { Int($0) } ?? -1
        values = Field.allCases.reduce(into: [:]) { values, field in
            let text = fields[field.rawValue]?.trimmingCharacters(in: .whitespacesAndNewlines)
            if let text, !text.isEmpty { values[field] = text }
        }
    }

    /// The value; nil for an empty field.
    subscript(field: Field) -> String? { values[field] }

    var fields: [(name: Field, value: String)] { Field.allCases.map { ($0, values[$0] ?? "") } }

    /// The face with the form's values and the present words.
    func body(keeping face: FaceBody) -> PutFaceBody {
        let contact = StoreContact(phone: self[.phone], url: self[.url], email: self[.email])
        return PutFaceBody(
            name: self[.name],
            colours: self[.light] == nil && self[.dark] == nil ? nil : .init(light: self[.light], dark: self[.dark]),
            contact: contact == StoreContact() ? nil : contact, words: face.words)
    }
}

/// A page's parts in one appearance with a form's colour, as a drawing whose colours are attributes.
private struct FacePreview {
    let form: FaceForm
    let appearance: PageAppearance

    private var text: String? { form[appearance == .light ? .light : .dark] }

    /// A sentence about the colour's contrast.
    private var judgement: String {
        guard let text else { return "The usual colour." }
        guard let colour = ShopColour(text) else { return "\(text) is no colour; write one such as #0a6b70." }
        let least = appearance.leastContrast(of: colour)
        let measured = "\(colour) has \(least) to \(least.neighbour)"
        guard !appearance.accepts(colour) else { return "\(measured)." }
        let nearest = appearance.nearest(to: colour)
        return "\(measured), and needs \(PageAppearance.contrastMin):1. The nearest is \(nearest)."
    }

    var values: [String: Any] {
        let backgrounds = appearance.neighbours
        let usual = appearance == .light ? "#0b62c4" : "#7ab5ff"
        return [
            "title": appearance == .light ? "Light" : "Dark", "name": form[.name] ?? "The store’s name",
            "paper": "\(backgrounds[0])", "surface": "\(backgrounds[1])", "toneInk": "\(backgrounds[2])",
            "tone": text.flatMap(ShopColour.init)?.description ?? usual, "judgement": judgement,
            "isWrong": text.map { ShopColour($0).map { !appearance.accepts($0) } ?? true } ?? false,
        ]
    }
}
