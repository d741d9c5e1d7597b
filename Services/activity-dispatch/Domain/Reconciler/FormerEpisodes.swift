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

    /// Those of the activities whose delivery went on in a later episode, each with its end.
    ///
    /// Only the newest episode of a delivery is shown. The end of a former one may never arrive: its writer says what
    /// is true now, and a delivery that was reopened within seconds is live again. It leaves the screen at once, since
    /// the newest episode shows what became of the delivery.
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
