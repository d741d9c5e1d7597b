import Foundation
import OrderDomain

extension SearchTerm {
    /// Whether the term is the beginning of a word of the recipient's name, the beginning of the street, or the number;
    /// the same as the search of those that the database can read.
    func finds(_ dropOff: DropOff) -> Bool {
        let text = rawValue.withoutMarks
        if let street = dropOff.address?.street, street.withoutMarks.hasPrefix(text) { return true }
        guard let digits = phoneDigits else {
            return dropOff.recipient.map { " \($0.name.withoutMarks)".contains(" \(text)") } ?? false
        }
        return dropOff.recipient?.phone.map { Self.finds(digits, in: $0) } ?? false
    }

    /// Letters that Unicode does not decompose into a plain one and a mark.
    ///
    /// Capitals are among them: a database with the locale C changes the case of no such letter.
    static let wholeLetters = "đðħıłøŧĐÐĦŁØŦ"

    /// The letters that stand for ``wholeLetters``.
    static let plainLetters = "ddhilotddhlot"

    /// The marks of the Latin script as characters of their own, among them the Vietnamese ones.
    static let marks =
        "\u{300}\u{301}\u{302}\u{303}\u{304}\u{306}\u{307}\u{308}\u{309}\u{30A}\u{30B}\u{30C}\u{31B}\u{323}\u{326}\u{327}\u{328}"

    fileprivate static let letters = Dictionary(
        zip(wholeLetters.unicodeScalars, plainLetters.unicodeScalars), uniquingKeysWith: { first, _ in first })
}

extension String {
    /// Small letters without their marks: `nørrebrogade` for `Nørrebrogade`.
    fileprivate var withoutMarks: String {
        let text = lowercased().replacing("æ", with: "ae").replacing("ß", with: "ss")
        var letters = UnicodeScalarView()
        for scalar in text.unicodeScalars { letters.append(SearchTerm.letters[scalar] ?? scalar) }
        return String(letters).folding(options: .diacriticInsensitive, locale: nil)
    }
}
