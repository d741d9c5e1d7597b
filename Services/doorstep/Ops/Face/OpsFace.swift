import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient
import WireCoding

/// A store's name, colours, contact, words and logo for its customers.
struct OpsFace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "face",
        abstract: "Print a store's name, colours, contact, words and logo for its customers, or change them.",
        discussion: """
            Every option changes one part, and --remove removes one. A colour needs a contrast of 4.5:1 to the pages' \
            backgrounds; the refusal names the nearest colour with it. Pages show a change within seconds, and cards \
            of orders that are placed from then on.
            """)

    @Argument(help: "The store's id.")
    var store: StoreID
    @OptionGroup var parts: FaceParts
    @Option(help: "A file with the logo: a JPEG or PNG of at most 100 KiB and 1,024 pixels on a side.")
    var logo: String?
    @OptionGroup var output: OutputOptions
    @OptionGroup var confirmation: Confirmation

    private var removesLogo: Bool { parts.remove.contains(.logo) }

    func validate() throws {
        if logo != nil, removesLogo { throw ValidationError("--logo and --remove logo exclude each other") }
        if confirmation.yes, !removesLogo { throw ValidationError("--yes answers the question of --remove logo") }
    }

    func run() async throws {
        if removesLogo { try confirmation.ask("Remove the logo of store \(store)? Its picture is kept nowhere else.") }
        let logoBytes = try logo.map { file in
            guard let bytes = FileManager.default.contents(atPath: file) else {
                throw CommandFailure(.usage, "\(file) cannot be read")
            }
            return bytes
        }
        let client = try PeerClient(.orders, as: .operator)
        let path = "/v1/stores/\(store)/face"
        var answer = try await client.send(.GET, path, body: NoBody?.none, as: FaceBody.self)
        func condition() -> [String: String] { answer.entityTag.map { ["If-Match": $0] } ?? [:] }
        let body = try parts.changed(PutFaceBody(answer.body))
        if let body {
            answer = try await client.send(.PUT, path, body: body, headers: condition(), as: FaceBody.self)
        }
        do {
            if let logoBytes {
                answer = try await client.send(
                    .PUT, "\(path)/logo", bytes: logoBytes, headers: condition(), as: FaceBody.self)
            } else if removesLogo {
                answer = try await client.send(
                    .DELETE, "\(path)/logo", body: NoBody?.none, headers: condition(), as: FaceBody.self)
            }
        } catch let failure as CommandFailure where body != nil {
            throw CommandFailure(
                failure.kind, "\(failure.message); all but the logo was changed: repeat the logo alone")
        }
        try output.show(answer.body, text: answer.body.text)
    }
}

/// The parts of a face that a command changes.
struct FaceParts: ParsableArguments {
    /// A part that a store may be without.
    enum Part: String, CaseIterable, ExpressibleByArgument {
        case name, light, dark, phone, web, email, logo, words
    }

    @Option(help: "The store's name for customers, at most 40 characters.")
    var name: String?
    @Option(help: "The colour in the light appearance, such as '#0a6b70'.")
    var light: String?
    @Option(help: "The colour in the dark appearance, such as '#5fd0d6'.")
    var dark: String?
    @Option(help: "A telephone number for customers and couriers.")
    var phone: String?
    @Option(help: "A page for questions, such as a chat: https://…")
    var web: String?
    @Option(help: "An e-mail address for customers, and for couriers where there is no page.")
    var email: String?
    @Option(help: "A JSON file of texts of customers' pages, by language and key: {\"da\": {\"page.items\": \"…\"}}.")
    var words: String?
    @Option(help: "A part to remove: \(Part.allCases.map(\.rawValue).joined(separator: ", ")). Repeatable.")
    var remove: [Part] = []

    func validate() throws {
        let given: [(Part, String?)] = [
            (.name, name), (.light, light), (.dark, dark), (.phone, phone), (.web, web), (.email, email),
            (.words, words),
        ]
        for (part, value) in given where value != nil && remove.contains(part) {
            throw ValidationError("--\(part.rawValue) and --remove \(part.rawValue) exclude each other")
        }
    }

    /// The face with the changes; nil without any.
    ///
    /// - Throws: `CommandFailure` of kind usage for a file of words that cannot be read.
    func changed(_ face: PutFaceBody) throws -> PutFaceBody? {
        func part(_ given: String?, _ part: Part, _ present: String?) -> String? {
            given ?? (remove.contains(part) ? nil : present)
        }
        var changed = face
        changed.name = part(name, .name, face.name)
        let (light, dark) = (part(light, .light, face.colours?.light), part(dark, .dark, face.colours?.dark))
        changed.colours = light == nil && dark == nil ? nil : .init(light: light, dark: dark)
        let contact = StoreContact(
            phone: part(phone, .phone, face.contact?.phone), url: part(web, .web, face.contact?.url),
            email: part(email, .email, face.contact?.email))
        changed.contact = contact == StoreContact() ? nil : contact
        if let words {
            changed.words = try Self.words(in: words)
        } else if remove.contains(.words) {
            changed.words = nil
        }
        return changed == face ? nil : changed
    }

    private static func words(in file: String) throws -> [String: [String: String]] {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw CommandFailure(.usage, "\(file) cannot be read")
        }
        do {
            return try WireJSON.decode([String: [String: String]].self, from: data)
        } catch {
            throw CommandFailure(.usage, "\(file) is no JSON object of texts by language and key")
        }
    }
}

extension FaceBody {
    /// The face as lines to print, each colour with its contrast.
    var text: String {
        func colour(_ text: String?, _ appearance: PageAppearance) -> String? {
            text.flatMap(ShopColour.init).map { "\($0) (\(appearance.leastContrast(of: $0)))" }
        }
        let counts = words.map { words in
            words.sorted { $0.key < $1.key }.map { "\($0.value.count) in \($0.key)" }.joined(separator: ", ")
        }
        return NamedValues([
            ("store", store.rawValue), ("version", String(version)), ("name", name?.safeOnTerminal),
            ("light", colour(colours?.light, .light)), ("dark", colour(colours?.dark, .dark)),
            ("phone", contact?.phone?.safeOnTerminal), ("web", contact?.url?.safeOnTerminal),
            ("e-mail", contact?.email), ("logo", logo.map { "\($0.url) (\($0.width) × \($0.height))" }),
            ("words", counts), ("changed by", changedBy?.safeOnTerminal),
        ]).lines.joined(separator: "\n")
    }
}
