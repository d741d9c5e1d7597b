import DoorstepAPI
import OrderDomain

/// Makes a customer's corrections, as far as the store allows its customers: the note at once, another address as a
/// request about which the shop decides.
struct CorrectFromPage: Sendable {
    let change: ChangeDelivery

    /// A correction that a customer asks for on the delivery's page.
    enum Correction: Sendable {
        /// Nil removes the note.
        case note(String?)
        case address(Address)

        fileprivate var permission: CustomerCorrection {
            switch self {
            case .note: .note
            case .address: .address
            }
        }
    }

    enum Refusal: Error, Hashable, Sendable {
        /// The text of a field is missing or too long; nil where the form is none of the page's.
        case faulty(CorrectedField?)
        /// The note's form was shown before a newer correction, which it would overwrite.
        case overtaken
        /// The store does not allow it, or not in the delivery's present status; or what is stored cannot be opened.
        case notPossible
    }

    /// The corrections that the delivery's customer may make now.
    static func allowed(for delivery: Delivery) -> [CustomerCorrection] {
        guard delivery.isCorrectable(.dropOff) else { return [] }
        return CustomerCorrection.allCases.filter { delivery.store.corrections?.byCustomer?.contains($0) == true }
    }

    /// - Parameters:
    ///   - texts: the form's texts by their fields; empty ones are left out of an address.
    ///   - seen: the number of the newest correction that the note's form was shown with, 0 before the first; nil from a
    ///     form without it, which overwrites any.
    /// - Throws: ``Refusal``; nothing has changed then.
    func callAsFunction(
        _ part: CustomerCorrection, _ texts: [CorrectedField: String], of delivery: Delivery, seen: Int?
    ) async throws {
        let correction = try Self.correction(part, texts)
        do {
            _ = try await change(delivery.id, by: Principal(.customer(delivery.customer))) { delivery in
                guard Self.allowed(for: delivery).contains(correction.permission) else { throw Refusal.notPossible }
                switch correction {
                case .note(let note):
                    if let seen, seen != delivery.correction?.number ?? 0 { throw Refusal.overtaken }
                    return .correct(DropOffCorrection(texts: [.note: note]))
                case .address(let address): return .requestAddress(address)
                }
            }
        } catch is ChangeRefusal {
            throw Refusal.notPossible
        } catch is PersonalDataBox.Unreadable {
            // The operator of the installation finds the reason in the log.
            throw Refusal.notPossible
        }
    }

    private static func correction(
        _ part: CustomerCorrection, _ texts: [CorrectedField: String]
    ) throws(Refusal) -> Correction {
        func text(_ field: CorrectedField) throws(Refusal) -> String? {
            guard let text = texts[field], !text.isEmpty else { return nil }
            guard field.accepts(text) else { throw .faulty(field) }
            return text
        }
        switch part {
        case .note: return .note(try text(.note))
        case .address:
            guard let street = try text(.street) else { throw .faulty(.street) }
            return .address(
                Address(
                    street: street, floor: try text(.floor), postalCode: try text(.postalCode),
                    city: try text(.city), doorCode: try text(.doorCode)))
        }
    }
}
