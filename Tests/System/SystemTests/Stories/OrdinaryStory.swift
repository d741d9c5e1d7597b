import DoorstepAPI
import OrderDomain
import PhoneRules
import Testing
import TownSupport

extension SystemTests {
    @Suite("An ordinary evening")
    struct OrdinaryStory {
        @Test(
            "Ten deliveries become cards that end as the deliveries do and leave when they should",
            .timeLimit(.minutes(4)))
        func tenDeliveries() async throws {
            try await Town.live { town in
                let ended = try await town.liveThrough()
                try await town.everyCardEndsRight(ended)
                let mette = try #require(town.watchers(of: "mette").first)
                #expect(await mette.screen.summaries.count == 1, "three at once have a summary above them")

                try await Self.delivered(ended, areDismissedIn: town)
                try await town.nothingComesBack()
            }
        }

        /// Waits out the quarter of an hour that a delivered card stays.
        private static func delivered(_ ended: [Town.Ended], areDismissedIn town: Town) async throws {
            let caller = Caller(stack: town.stack, token: town.stack.tokens.operator)
            for one in ended where one.ending == .delivered {
                for watcher in town.watchers(of: one.delivery.customer.rawValue) {
                    try await eventually("the card leaves \(watcher.device)", explain: { await town.story }) {
                        let screen = await watcher.screen
                        guard let card = screen.cards(of: one.delivery.id.rawValue).first else { return false }
                        return screen.phone[card: card.card]?.state == .dismissed
                    }
                }
                try await eventually("activity-dispatch knows that the cards have left") {
                    let activity: ActivityBody = try await caller.get(
                        .dispatch, "/v1/activities/\(one.delivery.activity)")
                    return activity.cards.allSatisfy { $0.state == "dismissed" && !$0.isBehind }
                }
            }
        }
    }
}
