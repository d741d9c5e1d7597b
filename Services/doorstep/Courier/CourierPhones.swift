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
            UNREADABLE counts positions in an unknown form, which are lost. Enrol the phone again, and compare the \
            app's version with the version in the instructions.
            """)

    @OptionGroup var whose: WhichCourier
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let page: PhonesBody = try await whose.client().get("/v1/couriers/\(try whose.id())/phones")
        try output.show(page.phones, table: page.phones.table)
    }
}

extension [PhoneBody] {
    var table: Table {
        Table(
            ["PHONE", "APP", "LABEL", "ENROLLED", "LAST HEARD", "UNREADABLE", "STATE"], of: self, ifEmpty: "no phones"
        ) { phone in
            [
                phone.phone, phone.app?.title ?? "any", phone.label ?? "", WireJSON.text(of: phone.enrolledAt),
                phone.lastSeenAt.map { WireJSON.text(of: $0) } ?? "never", phone.unreadableText,
                phone.revokedAt.map { "revoked \(WireJSON.text(of: $0))" } ?? "may send",
            ]
        }
    }
}

extension PhoneBody {
    fileprivate var unreadableText: String {
        guard let malformed, malformed > 0 else { return "none" }
        return "\(malformed)" + (malformedAt.map { ", last \(WireJSON.text(of: $0))" } ?? "")
    }
}
