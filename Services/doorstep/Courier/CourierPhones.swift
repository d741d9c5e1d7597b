import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import StackClient
import WireCoding

/// A courier's phones, newest first.
struct CourierPhones: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phones", abstract: "List a courier's phones, newest first, revoked ones too.")

    @OptionGroup var whose: WhichCourier
    @Flag(help: "Prints one JSON object a line.")
    var json = false

    func run() async throws {
        let page: PhonesBody = try await whose.client().get("/v1/couriers/\(try whose.id())/phones")
        if json {
            for phone in page.phones { print(String(decoding: try WireJSON.encode(phone), as: UTF8.self)) }
        } else {
            print(PhonesText(page.phones).text)
        }
    }
}

/// Phones as lines to print.
struct PhonesText {
    let text: String

    init(_ phones: [PhoneBody]) {
        let rows = phones.map { phone in
            [
                phone.phone, phone.app?.title ?? "any", phone.label ?? "", WireJSON.text(of: phone.enrolledAt),
                phone.lastSeenAt.map { WireJSON.text(of: $0) } ?? "never",
                phone.revokedAt.map { "revoked \(WireJSON.text(of: $0))" } ?? "may send",
            ].map(\.safeOnTerminal)
        }
        let table =
            rows.isEmpty
            ? ["no phones"] : Table(["PHONE", "APP", "LABEL", "ENROLLED", "LAST HEARD", "STATE"], rows).lines
        text = table.joined(separator: "\n")
    }
}
