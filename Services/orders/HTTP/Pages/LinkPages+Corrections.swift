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
                guard let part = form.text("part").flatMap({ CustomerCorrection(rawValue: $0) }) else {
                    throw CorrectFromPage.Refusal.faulty(nil)
                }
                let sent = SentCorrection(form)
                // A form that is sent twice finds the note as it asks for, and is not overtaken by itself.
                let isSo = (sent.texts[.note] ?? "") == (state.dropOff?.note ?? "")
                if part != .note || !state.isProven || !isSo {
                    try await correctFromPage(part, sent.texts, of: state.delivery, seen: sent.seen)
                    await customerPacer.wait(for: state.delivery.customer)
                }
                return seeOther(token, keeping: cookie, of: state.delivery.order)
            }
        }
    }
}

/// A form of corrections as its reader sent it.
struct SentCorrection: Hashable, Sendable {
    /// The texts of the form's fields, without white space around them.
    let texts: [CorrectedField: String]
    /// The number of the newest correction that the note's form was shown with; nil where the form has none.
    let seen: Int?
    /// The field whose text was refused; nil for none.
    let faulty: CorrectedField?

    init(_ form: FormValues, faulty: CorrectedField? = nil) {
        let fields = form.fields
        texts = CorrectedField.allCases.reduce(into: [:]) { texts, field in
            texts[field] = fields[field.rawValue]?.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        seen = fields["seen"].flatMap { Int($0) }
        self.faulty = faulty
    }
}
