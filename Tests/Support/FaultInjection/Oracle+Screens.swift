import OrderDomain

/// Compares wanted activities and screens with the deliveries.
extension Oracle {
    // MARK: Wanted states

    var wantedStates: [Violation] {
        let byActivity = Dictionary(snapshot.wanted.map { ($0.activity, $0) }, uniquingKeysWith: { one, _ in one })
        let byDelivery = Dictionary(grouping: snapshot.wanted, by: \.delivery)
        return snapshot.records.flatMap { record -> [Violation] in
            var found: [Violation] = []
            if let wanted = byActivity[record.activity] {
                if wanted.hasEnded != record.hasEnded || wanted.version != record.version {
                    found.append(
                        Violation(
                            .wantedWrong,
                            "\(record.activity) is at version \(wanted.version)\(wanted.hasEnded ? ", ended" : ""), "
                                + "the delivery at \(record.version), \(record.status.rawValue)"))
                }
            } else {
                found.append(Violation(.wantedWrong, "\(record.activity) is not there"))
            }
            for other in byDelivery[record.delivery] ?? [] where other.activity != record.activity && !other.hasEnded {
                found.append(Violation(.formerEpisodeLive, "\(other.activity), and \(record.activity) is the newest"))
            }
            return found
        }
    }

    // MARK: Screens

    var screens: [Violation] {
        let due = Set(snapshot.wanted.filter(\.isDue).map(\.activity))
        let live = Dictionary(
            grouping: snapshot.records.filter { !$0.hasEnded && due.contains($0.activity) }, by: \.customer)
        let ended = Dictionary(grouping: snapshot.records.filter(\.hasEnded), by: \.customer)
        return snapshot.screens.flatMap { screen in
            violations(
                on: screen, live: live[screen.customer] ?? [], ended: ended[screen.customer] ?? [])
        }
    }

    private func violations(
        on screen: StackSnapshot.Screen, live: [StackSnapshot.DeliveryRecord], ended: [StackSnapshot.DeliveryRecord]
    ) -> [Violation] {
        let cards = screen.cards.filter(\.isLive)
        let byDelivery = Dictionary(grouping: cards.filter { $0.delivery != nil }) { $0.delivery ?? "" }
        var found = screen.violations.map { Violation(.screenWrong, "\(screen.device): \($0)") }
        if cards.count > Self.cardsMax { found.append(Violation(.cardsTooMany, "\(screen.device) has \(cards.count)")) }
        for record in live {
            found += violations(
                of: record, on: screen, cards: byDelivery[record.delivery] ?? [], hasRoom: cards.count < Self.cardsMax)
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
        of record: StackSnapshot.DeliveryRecord, on screen: StackSnapshot.Screen, cards: [StackSnapshot.Screen.Card],
        hasRoom: Bool
    ) -> [Violation] {
        var found: [Violation] = []
        let place = "\(screen.device), \(record.activity)"
        for card in cards where card.activity != record.activity {
            found.append(Violation(.formerEpisodeLive, "\(place): shows \(card.activity), \(card.headline)"))
        }
        let own = cards.filter { $0.activity == record.activity }
        if own.isEmpty, hasRoom { found.append(Violation(.cardMissing, "\(place), \(record.status.rawValue)")) }
        if own.count > 1 { found.append(Violation(.cardDoubled, "\(place): \(own.count) cards")) }
        for card in own where card.version != record.version || card.phase != record.phase {
            found.append(
                Violation(
                    .cardBehind,
                    "\(place): version \(card.version), \(card.phase); the delivery is at \(record.version), \(record.phase)"
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
        snapshot.records.first { $0.delivery == delivery }?.activity
    }
}
