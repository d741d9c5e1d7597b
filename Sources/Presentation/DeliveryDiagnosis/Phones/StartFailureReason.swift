/// Why iOS refused a card that the app wanted to start; the codes are ActivityKit's, and open.
struct StartFailureReason {
    let sentence: String

    init(_ code: String) {
        sentence =
            switch code {
            case "denied": "its owner has switched Live Activities off"
            case "targetMaximumExceeded": "it shows as many cards of this app as iOS allows (\(code))"
            case "globalMaximumExceeded": "it shows as many cards of all apps as iOS allows (\(code))"
            case "unsupportedTarget", "unsupported": "this phone cannot show cards (\(code))"
            case "attributesTooLarge": "the card was too large for iOS, which is a fault of Doorstep (\(code))"
            default: "iOS refused the card (\(code))"
            }
    }
}
