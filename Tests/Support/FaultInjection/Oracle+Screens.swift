import OrderDomain

/// What activities want and screens show, against the deliveries as they are.
extension Oracle {
    // MARK: Wanted states

    var wantedStates: [Violation] {
        let byActivity = Dictionary(snapshot.wanted.map { ($0.activity, $0) }, uniquingKeysWith: { one, _ in one })
        let byDelivery = Dictionary(grouping: snapshot.wanted, by: \.delivery)
        return snapshot.stories.flatMap { story -> [Violation] in
            var found: [Violation] = []
            if let wanted = byActivity[story.activity] {
                if wanted.hasEnded != story.hasEnded || wanted.version != story.version {
                    found.append(
                        Violation(
                            .wantedWrong,
                            "\(story.activity) is at version \(wanted.version)\(wanted.hasEnded ? ", ended" : ""), "
                                + "the delivery at \(story.version), \(story.status.rawValue)"))
                }
            } else {
                found.append(Violation(.wantedWrong, "\(story.activity) is not there"))
            }
            for other in byDelivery[story.delivery] ?? [] where other.activity != story.activity && !other.hasEnded {
                found.append(Violation(.formerEpisodeLive, "\(other.activity), and \(story.activity) is the newest"))
            }
            return found
        }
    }

    // MARK: Screens

    var screens: [Violation] {
        let due = Set(snapshot.wanted.filter(\.isDue).map(\.activity))
        let live = Dictionary(
            grouping: snapshot.stories.filter { !$0.hasEnded && due.contains($0.activity) }, by: \.customer)
        let ended = Dictionary(grouping: snapshot.stories.filter(\.hasEnded), by: \.customer)
        return snapshot.screens.flatMap { screen in
            violations(
                on: screen, live: live[screen.customer] ?? [], ended: ended[screen.customer] ?? [])
        }
    }

    private func violations(
        on screen: StackSnapshot.Screen, live: [StackSnapshot.Story], ended: [StackSnapshot.Story]
    ) -> [Violation] {
        let cards = screen.cards.filter(\.isLive)
        let byDelivery = Dictionary(grouping: cards.filter { $0.delivery != nil }) { $0.delivery ?? "" }
        var found = screen.violations.map { Violation(.screenWrong, "\(screen.device): \($0)") }
        if cards.count > Self.cardsMax { found.append(Violation(.cardsTooMany, "\(screen.device) has \(cards.count)")) }
        for story in live {
            found += violations(
                of: story, on: screen, cards: byDelivery[story.delivery] ?? [], hasRoom: cards.count < Self.cardsMax)
        }
        let endings = Dictionary(ended.map { ($0.delivery, $0.status) }, uniquingKeysWith: { one, _ in one })
        for card in screen.cards {
            guard let delivery = card.delivery, let ending = endings[delivery] else { continue }
            if card.isLive {
                found.append(Violation(.cardPastEnd, "\(screen.device) still shows \(card.activity): \(card.headline)"))
            } else if newest(of: delivery) == card.activity, card.headline != ending.rawValue {
                found.append(
                    Violation(
                        .cardBehind,
                        "\(screen.device) ended \(card.activity) as \(card.headline), not \(ending.rawValue)"))
            }
        }
        return found + summary(on: screen, cards: cards.filter { $0.delivery == nil }, live: live.count)
    }

    private func violations(
        of story: StackSnapshot.Story, on screen: StackSnapshot.Screen, cards: [StackSnapshot.Screen.Card],
        hasRoom: Bool
    ) -> [Violation] {
        var found: [Violation] = []
        let place = "\(screen.device), \(story.activity)"
        for card in cards where card.activity != story.activity {
            found.append(Violation(.formerEpisodeLive, "\(place): shows \(card.activity), \(card.headline)"))
        }
        let own = cards.filter { $0.activity == story.activity }
        if own.isEmpty, hasRoom { found.append(Violation(.cardMissing, "\(place), \(story.status.rawValue)")) }
        if own.count > 1 { found.append(Violation(.cardDoubled, "\(place): \(own.count) cards")) }
        for card in own where card.version != story.version || card.phase != story.phase {
            found.append(
                Violation(
                    .cardBehind,
                    "\(place): version \(card.version), \(card.phase); the delivery is at \(story.version), \(story.phase)"
                ))
        }
        return found
    }

    private func summary(
        on screen: StackSnapshot.Screen, cards: [StackSnapshot.Screen.Card], live: Int
    ) -> [Violation] {
        let place = "\(screen.device) with \(live) live"
        if cards.count > 1 { return [Violation(.summaryWrong, "\(place): \(cards.count) summaries")] }
        if let card = cards.first, live < Self.summaryEndsBelow || card.count != live {
            return [Violation(.summaryWrong, "\(place): counts \(card.count ?? 0)")]
        }
        if cards.isEmpty, live >= Self.summaryStartsAt,
            screen.cards.count(where: \.isLive) < Self.cardsMax
        {
            return [Violation(.summaryWrong, "\(place): none")]
        }
        return []
    }

    private func newest(of delivery: String) -> String? {
        snapshot.stories.first { $0.delivery == delivery }?.activity
    }
}
