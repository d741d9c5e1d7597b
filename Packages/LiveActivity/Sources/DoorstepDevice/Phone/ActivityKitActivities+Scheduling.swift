// The SDKs of Xcode 26, whose Swift is 6.2, are the first that can schedule.
#if canImport(ActivityKit) && !os(macOS) && !targetEnvironment(macCatalyst) && compiler(>=6.2)
    import ActivityKit
    import Foundation
    public import LiveActivity

    @available(iOS 16.2, *)
    extension ActivityKitActivities {
        /// Schedules a card that pushes update, and returns its instance; nil before iOS 26.
        /// - Throws: `PhoneStartFailure`: ActivityKit's reason.
        public func schedule(
            _ wanted: WantedBody.Activity, alert: PushAlert
        ) async throws(PhoneStartFailure) -> String? {
            guard #available(iOS 26.0, *) else { return nil }
            do {
                return try Card.request(
                    attributes: wanted.attributes, content: Self.content(wanted), pushType: .token, style: .standard,
                    alertConfiguration: AlertConfiguration(
                        title: Self.resource(alert.title), body: Self.resource(alert.body), sound: .default),
                    start: Date(timeIntervalSince1970: TimeInterval(wanted.startAt))
                ).id
            } catch {
                throw PhoneStartFailure(code: Self.code(of: error))
            }
        }

        /// The text by the key and values that a push has, so that the phone shows both in its language.
        private static func resource(_ text: PushText) -> LocalizedStringResource {
            let (key, arguments): (String, [String]) =
                switch text {
                case .localized(let key, let arguments): (key, arguments)
                case .plain(let text): ("%@", [text])
                }
            var rest = arguments[...]
            var value = String.LocalizationValue.StringInterpolation(
                literalCapacity: key.utf8.count, interpolationCount: arguments.count)
            for (number, literal) in key.components(separatedBy: "%@").enumerated() {
                if number > 0 { value.appendInterpolation(rest.popFirst() ?? "") }
                value.appendLiteral(literal)
            }
            return LocalizedStringResource(String.LocalizationValue(stringInterpolation: value))
        }
    }
#endif
