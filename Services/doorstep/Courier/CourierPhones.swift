import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import StackClient
import TimePresentation

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
        // Revoked phones outlive what courier-eta knows of their courier; a mistyped id has none.
        if page.phones.isEmpty { _ = try await whose.known() }
        try await output.show(page.phones, for: whose.holder(), table: page.phones.table)
    }
}

extension [PhoneBody] {
    /// - Parameter times: the format of its times.
    func table(_ times: StoreTimes) -> Table {
        Table(
            ["PHONE", "APP", "LABEL", "ENROLLED", "LAST HEARD", "UNREADABLE", "STATE"], of: self, ifEmpty: "no phones"
        ) { phone in
            [
                phone.phone, phone.app?.title ?? "any", phone.label ?? "",
                times.text(phone.enrolledAt, withSeconds: true),
                phone.lastSeenAt.map { times.text($0, withSeconds: true) } ?? "never", phone.unreadableText(times),
                phone.revokedAt.map { "revoked \(times.text($0, withSeconds: true))" } ?? "may send",
            ]
        }
    }
}

extension PhoneBody {
    fileprivate func unreadableText(_ times: StoreTimes) -> String {
        guard let malformed, malformed > 0 else { return "none" }
        return "\(malformed)" + (malformedAt.map { ", last \(times.text($0, withSeconds: true))" } ?? "")
    }
}
