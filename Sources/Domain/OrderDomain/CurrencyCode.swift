/// A currency by its ISO 4217 code: three capital letters.
public struct CurrencyCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    /// Nil for anything but three capital letters; ``isKnown`` checks the code against the list.
    public init?(rawValue: String) {
        let isWord = rawValue.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        guard rawValue.utf8.count == 3, isWord else { return nil }
        self.rawValue = rawValue
    }

    /// Whether the code is a currency in use.
    ///
    /// Only incoming codes are checked against the list: a withdrawn currency stays readable where it was stored.
    public var isKnown: Bool { Self.known.contains(rawValue) }

    /// - Source: ISO 4217:2015, table A.1 as of 2025, without funds, metals and codes for tests.
    private static let known = Set(
        """
        AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP
        CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF
        IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD
        MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB
        RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD
        UYU UZS VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}

extension CurrencyCode: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let code = CurrencyCode(rawValue: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(text.prefix(8)) is not an ISO 4217 code, such as DKK")
        }
        self = code
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
