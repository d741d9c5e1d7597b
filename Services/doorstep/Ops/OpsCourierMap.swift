import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient

/// Whether customers' maps may show a courier.
struct OpsCourierMap: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "courier-map",
        abstract: "Print whether customers' maps may show a courier, or change it with --hide or --show.",
        discussion: """
            An exemption holds for every store. An open map loses the courier within five seconds, or within two \
            minutes while the broker is away. An unknown courier is refused, with similar known ones: the exemption of \
            a mistyped id would leave the courier on customers' maps.
            """)

    @Argument(help: "The courier's id.")
    var courier: CourierID
    @ArgumentParser.Flag(help: "Exempt the courier from every customer's map.")
    var hide = false
    @ArgumentParser.Flag(help: "End the exemption.")
    var show = false
    @ArgumentParser.Flag(help: "Accept a courier who was never enrolled or assigned before.")
    var unknown = false

    func validate() throws {
        guard !(hide && show) else { throw ValidationError("give --hide or --show, not both") }
    }

    func run() async throws {
        let client = try PeerClient(.courierETA, as: .operator)
        // The warning that the check returns is about assignments. A mistyped courier's exemption can be ended.
        if !unknown, !show {
            _ = try await AssignableCourier(directory: CourierDirectory(client: client)).check(courier)
        }
        let path = "/v1/couriers/\(courier)/map"
        let map: CourierMapBody
        if hide || show {
            map = try await client.send(.PUT, path, body: CourierMapBody(isShown: show), as: CourierMapBody.self).body
        } else {
            map = try await client.get(path)
        }
        writeLine(map.text(of: courier))
    }
}

extension CourierMapBody {
    /// The state as a sentence to print.
    func text(of courier: CourierID) -> String {
        isShown
            ? "customers' maps may show \(courier), from pickup to the door" : "no customer's map shows \(courier)"
    }
}
