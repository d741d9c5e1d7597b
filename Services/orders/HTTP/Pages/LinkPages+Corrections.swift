import Foundation
import Hummingbird
import OrderDomain
import ServiceRuntime
import WebPages

/// The route by which a customer corrects the note, or asks for another address, on the delivery's page.
extension LinkPages {
    @Sendable func correct(_ request: Request, _ context: AppContext) async throws -> Response {
        let token = try context.path("link")
        return try await answering(request) {
            try await pressing(request, token, isCorrecting: true) { state, form in
                let cookie = state.isProven ? nil : try await proof(form, of: state.delivery, from: context)
                let fields = form.fields
                guard let part = fields["part"].flatMap({ CustomerCorrection(rawValue: $0) }) else {
                    throw CorrectFromPage.Refusal.faulty
                }
                let texts = Self.texts(fields)
                // A form that is sent twice finds the note as it asks for, and is not overtaken by itself.
                let isSo = (texts[.note] ?? "") == (state.dropOff?.note ?? "")
                if part != .note || !state.isProven || !isSo {
                    let seen = fields["seen"].flatMap { Int($0) }
                    try await correctFromPage(part, texts, of: state.delivery, seen: seen)
                    await customerPacer.wait(for: state.delivery.customer)
                }
                return seeOther(token, keeping: cookie, of: state.delivery.order)
            }
        }
    }

    private static func texts(_ fields: [String: String]) -> [CorrectedField: String] {
        CorrectedField.allCases.reduce(into: [:]) { texts, field in
            texts[field] = fields[field.rawValue]?.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
}
