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
        discussion: "An exemption holds for every store. Open maps lose the courier within five seconds.")

    @Argument(help: "The courier's id.")
    var courier: CourierID
    @ArgumentParser.Flag(help: "Exempt the courier from every customer's map.")
    var hide = false
    @ArgumentParser.Flag(help: "End the exemption.")
    var show = false

    func validate() throws {
        guard !(hide && show) else { throw ValidationError("give --hide or --show, not both") }
    }

    func run() async throws {
        let client = try PeerClient(.courierETA, as: .operator)
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
