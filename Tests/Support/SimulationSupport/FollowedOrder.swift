import DoorstepAPI
import Foundation
import LiveActivity
package import OrderDomain
import PhoneRules
import TestSupport
import Testing
import WireCoding

/// An order as it was read on the command line: by its customer with `track`, and by an operator with `ops list`.
package struct FollowedOrder: Sendable {
    /// The beginning of its cards' sentences: `Nordhavn, order A.1000`.
    let title: String
    let delivery: DeliveryID

    package init(title: String, delivery: DeliveryID) {
        self.title = title
        self.delivery = delivery
    }

    /// The name of the simulation's store, which each form of `track` prints.
    private static let store = "Nordhavn"

    /// A line of `track --json`, as far as it is held against.
    private struct Line: Decodable {
        let event: CardEvent.Kind
        let delivery: String?
        let timestamp: Int
        let content: GroceryDeliveryAttributes.ContentState
    }

    /// Expects that two runs of `track --until-ended` end, and that they and a watched list have shown the whole order.
    package func expectFollowed(by lines: StackCommand, _ sentences: StackCommand, and list: StackCommand) async throws
    {
        #expect(await lines.wait() == .code(0), "\(lines.lines)")
        #expect(await sentences.wait() == .code(0), "\(sentences.lines)")
        try expectWhole(lines.lines)
        expectEnd(sentences.lines)
        try await eventually("the list has it no more", explain: { list.lines.suffix(3).joined() }) {
            hasLeft(list.lines)
        }
        expectProgress(list.lines)
    }

    /// Expects each change of the card in order, from its start to its dismissal, in the lines of `track --json`.
    private func expectWhole(_ printed: [String]) throws {
        // What starts the command may write before the first object, and end no line.
        let objects = printed.compactMap { line in line.firstIndex(of: "{").map { String(line[$0...]) } }
        let lines = try objects.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
            .filter { $0.delivery == delivery.rawValue }
        #expect(lines.first?.event == .start)
        #expect(lines.last?.event == .dismissed)
        #expect(lines.count { $0.event == .start } == 1 && lines.count { $0.event == .end } == 1)
        // Which steps a screen skips depends on when what was killed.
        #expect(Set(lines.map(\.content.phase.rawValue)).count > 1 && lines.last?.content.phase == .ended)
        #expect(lines.last?.content.headline.code == StatusCode.delivered.rawValue)
        for (one, next) in zip(lines, lines.dropFirst()) {
            #expect(one.timestamp <= next.timestamp && one.content.revision <= next.content.revision)
        }
    }

    /// Expects the end and the dismissal in the sentences of `track --plain`.
    private func expectEnd(_ sentences: [String]) {
        #expect(sentences.contains { $0.hasPrefix("\(title): Delivered") }, "\(sentences)")
        #expect(sentences.last?.hasPrefix("Off this screen: \(title): Delivered") == true, "\(sentences)")
    }

    /// Whether the delivery was on the lists of `ops list --watch --json`, and has left them.
    private func hasLeft(_ printed: [String]) -> Bool {
        let statuses = statuses(in: printed)
        return statuses.last == .some(nil) && statuses.contains { $0 != nil }
    }

    /// Expects the delivery's statuses on these lists never to go back; which of them a list skips depends on when what was
    /// killed.
    private func expectProgress(_ printed: [String]) {
        let seen = statuses(in: printed).compactMap(\.self)
        #expect(seen == seen.sorted { $0.rank < $1.rank }, "\(seen)")
    }

    /// Waits until a watched list has printed its first board, which is before any order is placed.
    package static func isRead(by list: StackCommand) async throws {
        try await eventually("the list has its first board", explain: { list.lines.suffix(3).joined() }) {
            !boards(in: list.lines).isEmpty
        }
    }

    /// Waits until a watched list shows a delivery, which is before anything is killed.
    package static func appears(on list: StackCommand) async throws {
        try await eventually("the list shows the order", explain: { list.lines.suffix(3).joined() }) {
            boards(in: list.lines).contains { !$0.deliveries.isEmpty }
        }
    }

    /// Waits until a watched list and each run of `track` show the order, which is before it is handed over.
    package static func appears(on list: StackCommand, and runs: [StackCommand]) async throws {
        try await appears(on: list)
        for run in runs {
            try await eventually("track shows the order", explain: { run.lines.suffix(3).joined() }) {
                run.lines.contains { $0.contains(store) }
            }
        }
    }

    /// The delivery's status on each list; nil where it is not on it.
    private func statuses(in printed: [String]) -> [StatusCode?] {
        Self.boards(in: printed).map { board in board.deliveries.first { $0.id == delivery }?.status }
    }

    /// The boards of a watched list.
    private static func boards(in printed: [String]) -> [BoardBody] {
        // A line of another kind, such as a warning, is no board.
        printed.compactMap { try? WireJSON.decode(BoardBody.self, from: Data($0.utf8)) }
    }
}
