import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import StackClient

/// Revokes a phone's credential.
struct CourierRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke a phone's credential; its stored positions stay for their time.")

    @OptionGroup var whose: WhichCourier
    @Argument(help: "The phone's id, as doorstep courier phones shows it.")
    var phone: String
    @OptionGroup var confirmation: Confirmation

    func validate() throws {
        guard phone.wholeMatch(of: /[0-9a-f]{1,16}-[0-9a-f]{8}/) != nil else {
            throw ValidationError("a phone's id is like 6920c0de-1a2b3c4d")
        }
    }

    func run() async throws {
        try confirmation.ask("Take the credential of phone \(phone) of \(try whose.id()) back?")
        let revoked = try await whose.known().client().send(
            .DELETE, "/v1/couriers/\(try whose.id())/phones/\(phone)", body: NoBody?.none, as: PhoneBody.self
        ).body
        writeLine("\(revoked.phone) of \(revoked.courier) may send no more".safeOnTerminal)
    }
}
