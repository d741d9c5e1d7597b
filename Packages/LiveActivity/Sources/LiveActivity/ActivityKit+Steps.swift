#if canImport(ActivityKit) && !os(macOS) && !targetEnvironment(macCatalyst)
    public import ActivityKit
    import Foundation

    extension GroceryDeliveryAttributes: ActivityAttributes {}

    @available(iOS 16.2, *)
    extension ShownActivity {
        /// The content for `Activity.request` and `update`.
        public var activityContent: ActivityContent<GroceryDeliveryAttributes.ContentState> {
            ActivityContent(
                state: content, staleDate: Date(timeIntervalSince1970: TimeInterval(staleAt)), relevanceScore: relevance
            )
        }
    }

    @available(iOS 16.2, *)
    extension EndedActivity {
        /// The last content, which an app passes to `end`.
        public var activityContent: ActivityContent<GroceryDeliveryAttributes.ContentState> {
            ActivityContent(state: content, staleDate: nil, relevanceScore: Relevance.ended)
        }
    }

    extension EndedActivity {
        /// When the system removes the ended card, counted from `now` in epoch seconds.
        public func dismissalPolicy(now: Int) -> ActivityUIDismissalPolicy {
            switch dismissal {
            case .immediate: .immediate
            case .default: .default
            case .after:
                .after(Date(timeIntervalSince1970: TimeInterval(dismissal.date(endedAt: endedAt, now: now))))
            }
        }
    }
#endif
