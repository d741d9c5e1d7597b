import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient
import WireCoding

/// Enrols a courier's phone, and prints the set-up of its app.
struct CourierEnroll: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll",
        abstract: "Enrol a courier's phone: print the courier's page, and set-up links for tracker apps, as codes too.",
        discussion: """
            A phone needs one of them: the page works in any browser, a tracker app also sends while the phone is locked. \
            Each link contains the phone's credential and is printed once. Its holder can report the courier's \
            position: show it to the courier only; doorstep courier revoke revokes it. --json prints the phone, its \
            token and each link.
            """)

    @OptionGroup var whose: WhichCourier
    @Option(
        help: "owntracks, traccar, osmand, overland, gpslogger or doorstep; the five apps by default.",
        transform: Self.app)
    var app: TrackerApp?
    @Option(help: "The phone's display name.")
    var label: String?
    @Option(help: "The public address of courier-eta, such as https://couriers.example.com.")
    var address: String?
    @ArgumentParser.Flag(help: "Print links without codes.")
    var noCode = false
    @Option(help: "Write the code into this file, for a larger screen; with --app.")
    var png: String?
    @ArgumentParser.Flag(help: "Draw codes for a terminal with dark text on a light background.")
    var light = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard png == nil || app != nil else { throw ValidationError("--png is of one app's code; give --app") }
        guard png == nil || !output.json else { throw ValidationError("give either --png or --json") }
    }

    func run() async throws {
        let courier = try whose.id()
        let client = try await whose.known().client()
        let address = try Self.phoneAddress(address ?? client.address, for: app)
        // First: a phone's credential is shown once, so nothing may fail behind it.
        let pageLink = app == nil ? await pageLink(of: courier) : nil
        let picture = try png.map(PNGFile.init)
        let enrolled = try await CommandFailure.naming("doorstep courier phones --courier \(courier)") {
            try await client.send(
                .POST, "/v1/couriers/\(courier)/phones", body: EnrolPhoneBody(app: app, label: label),
                as: EnrolledPhoneBody.self
            ).body
        }
        let setUps = (app.map { [$0] } ?? Self.apps(at: address)).map {
            TrackerSetUp($0, address: address, token: enrolled.token, name: courier.rawValue)
        }
        if output.json {
            var links = Dictionary(uniqueKeysWithValues: setUps.map { ($0.app.rawValue, $0.link) })
            links["page"] = pageLink.map { PageSetUp(link: $0, token: enrolled.token).link }
            return writeJSON(
                try WireJSON.encode(Line(phone: enrolled.phone, token: enrolled.token, links: links)))
        }
        // The link is printed in any case, so that a full disk loses no credential.
        let pictureFault = picture.flatMap { $0.write(setUps.first?.code.map { PNGImage($0) }) }
        let size = TerminalSize.ofOutput()
        if let pageLink {
            let page = PageSetUp(link: pageLink, token: enrolled.token)
            writeLine(page.text(hasCode: !noCode, isOnLight: light, on: size) + "\n")
        }
        for setUp in setUps {
            writeLine(
                setUp.text(hasCode: !noCode && (png == nil || pictureFault != nil), isOnLight: light, on: size) + "\n")
        }
        if let png, pictureFault == nil {
            writeLine("The code is in \(png); it holds the phone's credential, so delete it when the phone has it.")
        }
        writeLine("Phone \(enrolled.phone.phone) of \(courier) is enrolled. Take it back with:")
        writeLine("doorstep courier revoke --courier \(courier) \(enrolled.phone.phone)")
        if let pictureFault { throw CommandFailure(.unavailable, pictureFault) }
        if app == nil, Self.hasPath(address) {
            CommandFailure.complain("GPSLogger is left out: its profile has no path, and \(address) has one")
        }
        if let warning = Self.warning(about: address) {
            CommandFailure.complain(warning)
        }
    }

    private struct Line: Encodable {
        let phone: PhoneBody
        let token: String
        let links: [String: String]
    }

    /// The link to the courier's own page, which needs no app; nil, with a complaint, where `orders` returns none.
    private func pageLink(of courier: CourierID) async -> String? {
        do {
            return try await whose.client(of: .orders).send(
                .POST, "/v1/couriers/\(courier)/link", body: NoBody?.none, as: CourierLinkBody.self
            ).body.url
        } catch {
            CommandFailure.complain("the courier's page is left out: \(error)")
            return nil
        }
    }

    private static func app(_ text: String) throws -> TrackerApp {
        guard let app = TrackerApp(rawValue: text) else {
            throw ValidationError("--app is one of \(TrackerApp.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return app
    }

    /// - Throws: `CommandFailure` for an invalid address, and for one with a path that the app's set-up would lose.
    static func phoneAddress(_ text: String, for app: TrackerApp? = nil) throws -> String {
        guard let url = URLComponents(string: text), url.scheme == "https" || url.scheme == "http", url.host != nil,
            url.query == nil, url.fragment == nil, url.user == nil
        else { throw CommandFailure(.usage, "--address is like https://couriers.example.com, not \(text)") }
        let address = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard app != .gpsLogger || !hasPath(address) else {
            throw CommandFailure(
                .usage,
                "GPSLogger sends to the host of \(text) without its path: give --address of a host without a path, or "
                    + "--app of another app")
        }
        return address
    }

    /// The apps that can send to an address, of those that a courier can install.
    ///
    /// `courier-eta` makes GPSLogger's profile for the host of the request, whose path a proxy may have shortened.
    static func apps(at address: String) -> [TrackerApp] {
        TrackerApp.installable.filter { $0 != .gpsLogger || !hasPath(address) }
    }

    private static func hasPath(_ address: String) -> Bool {
        URLComponents(string: address).map { !$0.path.isEmpty } ?? false
    }

    /// The fault of an address for phones; nil without one.
    static func warning(about address: String) -> String? {
        guard let url = URLComponents(string: address), let host = url.host else { return nil }
        if host == "localhost" || host.hasPrefix("127.") || host == "[::1]" {
            return "no phone reaches \(host); give --address with the one that phones reach"
        }
        return url.scheme == "http" ? "http shows the phone's credential to the network; use https" : nil
    }
}

/// The courier that a command is about, and the client to ask with.
struct WhichCourier: ParsableArguments {
    @Option(help: "The courier's id.")
    var courier: String
    @ArgumentParser.Flag(help: "Accept a courier who was never enrolled or assigned before.")
    var unknown = false

    /// The same courier, once `courier-eta` knows them, as for an assignment.
    ///
    /// With a courier's token nothing is asked: only an operator may read the list of couriers.
    /// - Throws: `CommandFailure` of kind not found, with similar known couriers, for an unknown one without --unknown.
    func known() async throws -> WhichCourier {
        guard !unknown, holder() == .operator else { return self }
        let directory = CourierDirectory(client: try PeerClient(.courierETA, as: .operator))
        _ = try await AssignableCourier(directory: directory).check(try id())
        return self
    }

    func id() throws -> CourierID { try Self.id(courier) }

    static func id(_ text: String) throws -> CourierID {
        guard let id = CourierID(rawValue: text) else {
            throw CommandFailure(.usage, "\(text) cannot be a courier's id: 1 to 64 letters, digits, - and _")
        }
        return id
    }

    /// Authenticates as an operator where there is an operator's token, else as the courier.
    func client(of peer: Peer = .courierETA) throws -> PeerClient { try PeerClient(peer, as: holder()) }

    /// The holder of the token that ``client(of:)`` sends.
    func holder(environment: [String: String] = ProcessInfo.processInfo.environment) -> TokenHolder {
        TokenHolder.operator.path(in: environment) != nil ? .operator : .courier
    }
}
