public import Foundation

/// How a place writes clock times.
public enum HourCycle: Hashable, Sendable {
    /// `18:24`
    case hours24
    /// `6:24 PM`
    case hours12

    /// The usual one of a locale, such as `en-US` or `es_MX.UTF-8`.
    ///
    /// English without a region has 24 hours here: it is what readers of every other language get, too.
    /// - Source: CLDR 48, the short time formats of the locales.
    public init(locale: String) {
        let parts = locale.prefix { $0 != "." && $0 != "@" }.split { $0 == "-" || $0 == "_" }
        // A script has four letters, a region two letters or three digits; extensions begin with one letter.
        let region =
            parts.dropFirst().prefix { $0.count > 1 }.first { $0.count == 2 || $0.count == 3 }?.uppercased() ?? ""
        let isTwelve =
            switch parts.first?.lowercased() {
            case "en": Self.english.contains(region)
            case "es": Self.spanish.contains(region)
            case "fr": Self.french.contains(region)
            case "pt": region == "MO"
            case "tr": region == "CY"
            case "ar": !["IL", "KM", "MA"].contains(region)
            default: false
            }
        self = isTwelve ? .hours12 : .hours24
    }

    /// The one of a person's settings, as in `Locale.current`.
    public init(_ locale: Locale) {
        let twelve: [Locale.HourCycle] = [.oneToTwelve, .zeroToEleven]
        self = twelve.contains(locale.hourCycle) ? .hours12 : .hours24
    }

    private static let english = regions(
        """
        AE AG AS AU BB BM BS CA CY DM ER FJ FM GD GH GM GU GY HK IN JM KI KN KY LC LR LS MH MO MP MW MY NA NZ PG
        PH PK PR PW SB SD SG SL SS SZ TC TO TT UM US VC VG VI VU WS
        """)
    private static let spanish = regions("419 BO CO CR CU DO EC GT HN MX NI PA PE PH PR SV US VE")
    private static let french = regions("DJ DZ MR SY TD TN VU")

    private static func regions(_ text: String) -> Set<String> {
        Set(text.split { $0.isWhitespace }.map(String.init))
    }
}
