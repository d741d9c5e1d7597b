import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import StackClient
import WireCoding

/// A courier's phones, newest first.
struct CourierPhones: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phones", abstract: "List a courier's phones, newest first, revoked ones too.",
        discussion: """
            UNREADABLE counts positions that came in a form that nobody here can read: they are lost. Enrol the phone \
            again, and compare the app's version with the one that is asked for there.
            """)

    @OptionGroup var whose: WhichCourier
    @Flag(help: "Prints one JSON object a line.")
    var json = false

    func run() async throws {
        let page: PhonesBody = try await whose.client().get("/v1/couriers/\(try whose.id())/phones")
        if json {
            for phone in page.phones { writeJSON(try WireJSON.encode(phone)) }
        } else {
            writeLine(PhonesText(page.phones).text)
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
                Self.unreadable(phone),
                phone.revokedAt.map { "revoked \(WireJSON.text(of: $0))" } ?? "may send",
            ].map(\.safeOnTerminal)
        }
        let table =
            rows.isEmpty
            ? ["no phones"]
            : Table(["PHONE", "APP", "LABEL", "ENROLLED", "LAST HEARD", "UNREADABLE", "STATE"], rows).lines
        text = table.joined(separator: "\n")
    }

    private static func unreadable(_ phone: PhoneBody) -> String {
        guard let number = phone.malformed, number > 0 else { return "none" }
        return "\(number)" + (phone.malformedAt.map { ", last \(WireJSON.text(of: $0))" } ?? "")
    }
}
