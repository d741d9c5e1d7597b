import Foundation
import OrderDomain

extension SearchTerm {
    /// Whether the term is the beginning of a word of the recipient's name, the beginning of the street, or the end of
    /// the number; the same as the search of those that the database can read.
    func finds(_ dropOff: DropOff) -> Bool {
        let text = rawValue.withoutMarks
        if let street = dropOff.address?.street, street.withoutMarks.hasPrefix(text) { return true }
        guard let digits = phoneDigits else {
            return dropOff.recipient.map { " \($0.name.withoutMarks)".contains(" \(text)") } ?? false
        }
        return dropOff.recipient?.phone.map { $0.filter { $0.isASCII && $0.isNumber }.hasSuffix(digits) } ?? false
    }
}

extension String {
    /// Small letters without their marks: `nørrebrogade` for `Nørrebrogade`.
    fileprivate var withoutMarks: String {
        lowercased().replacing("æ", with: "ae").replacing("ß", with: "ss").replacing("ø", with: "o")
            .folding(options: .diacriticInsensitive, locale: nil)
    }
}
