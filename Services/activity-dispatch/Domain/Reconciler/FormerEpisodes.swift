import Foundation
import LiveActivity
import Messages
import OrderDomain
import WireCoding

/// The newest episode of each delivery, among activities that are known, live or ended.
struct NewestEpisodes: Hashable, Sendable {
    private var episodes: [DeliveryID: Int] = [:]

    mutating func insert(_ activity: ActivityID, of delivery: DeliveryID) {
        guard let episode = activity.episode(of: delivery) else { return }
        episodes[delivery] = max(episode, episodes[delivery] ?? episode)
    }

    /// The activities whose delivery continued in a later episode, each with an end.
    ///
    /// A card shows only the newest episode of a delivery. The end of a former episode may never arrive: its writer
    /// publishes the present state, and a delivery reopened within seconds is live again. The former card is removed at
    /// once, since the newest episode shows the delivery's outcome.
    func endsOfFormer(among live: [Activity], at now: Date) -> [Activity] {
        live.compactMap { activity in
            guard let delivery = activity.delivery, let episode = activity.id.episode(of: delivery),
                let newest = episodes[delivery], episode < newest
            else { return nil }
            var ended = activity
            let end = EndedActivity(
                attributes: activity.wanted.attributes, content: activity.wanted.content, endedAt: now.epochSeconds,
                dismissal: .immediate, alert: nil)
            return ended.advance(to: .ended(end)) ? ended : nil
        }
    }
}
