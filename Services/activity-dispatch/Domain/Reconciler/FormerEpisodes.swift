import Foundation
import LiveActivity
import Messages
import OrderDomain
import WireCoding

/// The newest episode of each delivery, among activities that are known, live or ended.
struct NewestEpisodes: Hashable, Sendable {
    private var episodes: [DeliveryID: Int] = [:]
    /// The revisions of those newest episodes that are known.
    private var revisions: [DeliveryID: Revision] = [:]

    /// The deliveries that were reopened, sorted.
    var reopened: [DeliveryID] { episodes.filter { $0.value > 1 }.keys.sorted() }

    mutating func insert(_ activity: ActivityID, of delivery: DeliveryID) {
        guard let episode = activity.episode(of: delivery) else { return }
        episodes[delivery] = max(episode, episodes[delivery] ?? episode)
    }

    /// Notes the revision of an activity of a newest episode.
    mutating func note(_ activity: Activity) {
        guard let delivery = activity.delivery, let episode = activity.id.episode(of: delivery),
            episode == episodes[delivery]
        else { return }
        let revision = activity.wanted.content.revision
        revisions[delivery] = max(revision, revisions[delivery] ?? revision)
    }

    /// The activities whose delivery continued in a later episode, each with an end that states so.
    ///
    /// A card shows only the newest episode of a delivery. The end of a former episode may never arrive: its writer
    /// publishes the present state, and a delivery reopened within seconds is live again. The former card is removed at
    /// once, since the newest episode shows the delivery's outcome; a card that has not received its end yet never shows
    /// that the delivery was delivered.
    func endsOfFormer(among activities: [Activity], at now: Date) -> [Activity] {
        activities.compactMap { activity in
            guard let delivery = activity.delivery, let episode = activity.id.episode(of: delivery),
                let newest = episodes[delivery], episode < newest, !activity.wanted.isContinued
            else { return nil }
            var ended = activity
            let end = activity.wanted.continued(at: revisions[delivery], now: now.epochSeconds)
            return ended.advance(to: end) ? ended : nil
        }
    }
}
