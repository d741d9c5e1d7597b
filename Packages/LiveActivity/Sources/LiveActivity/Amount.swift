/// An amount of money in the minor units of its currency.
///
/// A phrase carries one as text, `450 DKK`, which each device writes as its language does: `4.50 kr.`, `4,50 kr.`.
public struct Amount: Hashable, Sendable {
    /// Øre, cents, or whole units where the currency has no smaller ones; negative for less.
    public let minorUnits: Int
    /// The currency's ISO 4217 code, three capital letters.
    public let currency: String

    public init(minorUnits: Int, currency: String) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// Reads a phrase's value, `450 DKK`; nil for anything else.
    public init?(_ value: String) {
        let words = value.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let minorUnits = Int(words[0]), words[1].utf8.count == 3,
            words[1].utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else { return nil }
        self.init(minorUnits: minorUnits, currency: String(words[1]))
    }

    /// The amount in a phrase's values: `450 DKK`.
    public var value: String { "\(minorUnits) \(currency)" }

    /// The amount for logs and lists, independent of a language: `25.00 DKK`.
    public var plainText: String {
        (minorUnits < 0 ? "-" : "") + digits(decimalMark: ".", groupMark: "") + " " + currency
    }

    /// Digits after the decimal mark.
    ///
    /// - Source: ISO 4217:2015, table A.1, "minor unit"; two for a code that is not in it.
    var fractionDigits: Int {
        switch currency {
        case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF",
            "XOF", "XPF":
            0
        case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND": 3
        case "CLF", "UYW": 4
        default: 2
        }
    }

    /// The amount without a sign or a currency, such as `1,234.50`.
    func digits(decimalMark: String, groupMark: String) -> String {
        let digits = String(minorUnits.magnitude)
        let padded = String(repeating: "0", count: max(0, fractionDigits + 1 - digits.count)) + digits
        let whole = padded.dropLast(fractionDigits)
        var grouped = ""
        for (index, digit) in whole.enumerated() {
            if index > 0, (whole.count - index) % 3 == 0 { grouped += groupMark }
            grouped.append(digit)
        }
        return fractionDigits == 0 ? grouped : grouped + decimalMark + padded.suffix(fractionDigits)
    }
}
