import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import InterfaceTexts
import NIOCore
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("The language of a page", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PageLanguageTests {
    /// The page of a new delivery.
    ///
    /// - Parameters:
    ///   - ordered: the order's language.
    ///   - accepted: the browser's languages.
    private func page(
        ordered: String?, accepted: String?, texts: InstallationTexts = .builtIn,
        _ check: @escaping @Sendable (String) -> Void
    ) async throws {
        try await OrdersUnderTest.run(texts: texts) { orders, client in
            var body = try orders.body(reference: "G-\(ordered ?? "1042")")
            body.language = ordered
            let placed = try await orders.place(client, body)
            #expect(placed.language == ordered)
            let path = try await orders.viewLink(of: placed.deliveries[0].id, client)
            let answer = try await orders.page(client, path, language: accepted)
            #expect(answer.status == .ok)
            check(String(buffer: answer.body))
        }
    }

    @Test(
        "The order's language comes first, then the browser's, then English",
        arguments: [
            ("da", "de, en", "da"), ("pt-BR", "de", "pt"), (nil, "tr-TR, en;q=0.5", "tr"), ("fi", "sv", "sv"),
            ("fi", "fi", "en"), (nil, nil, "en"), ("AR", nil, "ar"),
        ] as [(String?, String?, String)])
    func order(ordered: String?, accepted: String?, language: String) async throws {
        try await page(ordered: ordered, accepted: accepted) { html in
            let direction = language == "ar" ? "rtl" : "ltr"
            #expect(html.contains("<html lang=\"\(language)\" dir=\"\(direction)\">"))
        }
    }

    @Test("A store's own texts, and a language of the installation's own, are on its pages")
    func own() async throws {
        let texts = try InstallationTexts(files: [
            "stores/nordhavn/en.json": Data(#"{"page.items": "What Nordhavn packs"}"#.utf8),
            "fi.json": Data(#"{"page.items": "Ostoksesi", "phrase.placed": "Tilauksesi on vastaanotettu"}"#.utf8),
        ])
        try await page(ordered: nil, accepted: "en", texts: texts) { #expect($0.contains("What Nordhavn packs")) }
        try await page(ordered: "fi", accepted: "en", texts: texts) { html in
            #expect(html.contains("<html lang=\"fi\" dir=\"ltr\">") && html.contains("Ostoksesi"))
            #expect(html.contains("Tilauksesi on vastaanotettu") && html.contains("This page updates by itself."))
        }
    }

    @Test("A language that is no tag is refused", arguments: ["d", "dansk", "da_DK", "da-", "", "da\u{301}"])
    func malformed(language: String) async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            body.language = language
            let answer = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", body, ["Idempotency-Key": "1"])
            #expect(answer.status == .badRequest && String(buffer: answer.body).contains("language tag"))
        }
    }
}
