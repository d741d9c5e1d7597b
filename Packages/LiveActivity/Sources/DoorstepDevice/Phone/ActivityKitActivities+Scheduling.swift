// The SDKs of Xcode 26, whose Swift is 6.2, are the first that can schedule.
#if canImport(ActivityKit) && !os(macOS) && !targetEnvironment(macCatalyst) && compiler(>=6.2)
    import ActivityKit
    import Foundation
    public import LiveActivity

    @available(iOS 16.2, *)
    extension ActivityKitActivities {
        /// Schedules a card that pushes update, and returns its instance; nil before iOS 26, and where the alert has no
        /// sound and there is no silent one.
        /// - Throws: `PhoneStartFailure`: ActivityKit's reason.
        public func schedule(
            _ wanted: WantedBody.Activity, alert: PushAlert
        ) async throws(PhoneStartFailure) -> String? {
            guard #available(iOS 26.0, *), let sound = sound(of: alert) else { return nil }
            do {
                return try Card.request(
                    attributes: wanted.attributes, content: Self.content(wanted), pushType: .token, style: .standard,
                    alertConfiguration: AlertConfiguration(
                        title: Self.resource(alert.title), body: Self.resource(alert.body), sound: sound),
                    start: Date(timeIntervalSince1970: TimeInterval(wanted.startAt))
                ).id
            } catch {
                throw PhoneStartFailure(code: Self.code(of: error))
            }
        }

        /// The sound of the same alert in a push; nil where it has none and the app has no silent one.
        ///
        /// ActivityKit accepts no alert without a sound.
        private func sound(of alert: PushAlert) -> AlertConfiguration.AlertSound? {
            switch alert.sound {
            case nil: silentSound.map { .named($0) }
            case "default"?: .default
            case let name?: .named(name)
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
