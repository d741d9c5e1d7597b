import CommandOutput
import LiveActivity
import PhoneRules
import Testing

@testable import Doorstep

@Suite("The live screen")
struct ScreenTests {
    let words = Words(locale: "en")

    /// A phone with this many cards, all on their way.
    private func state(cards count: Int) throws -> ScreenState {
        let sample = SampleDelivery(status: .enRoute, flags: [])
        var phone = Phone()
        let step = ActivityStep.after(sample.snapshot, arrival: sample.arrival, step: 1, now: sample.now)
        guard case .show(let shown) = step else { throw CommandFailure(.usage, "en_route is shown") }
        for index in 0..<count {
            _ = phone.receive(.start(shown, timestamp: sample.now, alert: nil), card: "c-\(index)", at: sample.now)
        }
        var state = ScreenState(phone: phone, now: sample.now, connection: .open)
        state.keepFocus()
        return state
    }

    private func rows(_ state: ScreenState, columns: Int, rows: Int) -> [String] {
        Screen(words: words, hasColors: false).rows(state, size: TerminalSize(columns: columns, rows: rows))
    }

    @Test(
        "The screen never has more rows or columns than the terminal",
        arguments: [(100, 40), (60, 24), (80, 12), (40, 10), (20, 3)])
    func bounds(columns: Int, rows count: Int) throws {
        for cards in 0...5 {
            for side in [ScreenState.Side.lockScreen, .island] {
                var state = try state(cards: cards)
                state.side = side
                state.phone.isIslandExpanded = cards == 2
                state.connection = cards == 3 ? .lost(since: state.now) : .open
                let rows = rows(state, columns: columns, rows: count)
                #expect(rows.count <= count)
                #expect(rows.allSatisfy { $0.columns <= columns })
            }
        }
    }

    @Test("Where not all cards fit, the focused one is whole and the rest are counted")
    func selection() throws {
        var state = try state(cards: 5)
        for _ in 0..<3 { state.focusNext() }
        #expect(state.focusedCard?.id == "c-3")
        let rows = rows(state, columns: 80, rows: 24)
        #expect(rows.contains { $0.contains("┏") })
        #expect(rows.contains { $0.contains("┗") })
        #expect(rows.contains { $0.contains("… 3 more (tab)") })
        #expect(rows.filter { $0.contains("[1]") }.count == 1, "only the focused card's digits are drawn")
    }

    @Test("The keys that are named are the ones that do something")
    func keys() throws {
        let words = Words(locale: "en")
        var state = try state(cards: 1)
        #expect(words.keys(state).contains("1 2 3 press"))
        #expect(!words.keys(state).contains("tab next card"))
        state.side = .island
        #expect(words.keys(state).contains("i hide here"))
        #expect(!words.keys(state).contains("d swipe away"))
        let empty = try self.state(cards: 0)
        #expect(!words.keys(empty).contains { $0.hasSuffix("press") })
    }

    @Test("Below 60 columns there are sentences, no pictures")
    func narrow() throws {
        let rows = rows(try state(cards: 1), columns: 40, rows: 20)
        #expect(rows.joined(separator: " ").contains("Mira is on the way"))
        #expect(!rows.contains { $0.contains("│") })
    }

    @Test("Below 60 columns a stale card has since when there is no news, and no certain arrival")
    func narrowStale() throws {
        var state = try state(cards: 1)
        let staleAt = try #require(state.phone.liveCards.first?.staleAt)
        _ = state.phone.advance(to: staleAt)
        state.now = staleAt
        let text = rows(state, columns: 40, rows: 20).joined(separator: " ")
        #expect(text.contains("No news since") && !text.contains("Arrives"), "\(text)")
    }

    @Test("Below 60 columns there are the question about cards, and when an ended card leaves")
    func narrowQuestion() throws {
        let sample = SampleDelivery(status: .delivered, flags: [])
        let phone = try PreviewedCard(sample, phone: Phone(permission: .notYetAllowed)).phone
        let ended = ScreenState(phone: phone, now: sample.now, connection: .open)
        let text = rows(ended, columns: 40, rows: 20).joined(separator: " ")
        #expect(text.contains("Allow Live Activities from Doorstep?"), "\(text)")
        #expect(text.contains("Leaves this screen"), "\(text)")
    }

    @Test("Below 60 columns a confirmed action of another card counts down")
    func narrowCountdown() throws {
        var state = try state(cards: 2)
        state.hasPressedKey = true
        state.keys.observe(state.focusedCard, among: state.phone.lockScreen, at: .zero)
        let card = try #require(state.focusedCard?.id)
        let reply = state.keys.press(.switchOff, on: card, at: .zero)
        #expect(reply == .ask)
        state.keys.confirm(at: .zero)
        state.focusNext()
        let text = rows(state, columns: 40, rows: 20).joined(separator: " ")
        #expect(text.contains("Every card leaves this screen"), "\(text)")
    }

    @Test("Only changed rows are written, and after a change of size all of them and nothing below the last")
    func changes() {
        let (one, two) = ("\u{1B}[1;1Ha\u{1B}[0m\u{1B}[K", "\u{1B}[2;1Hb\u{1B}[0m\u{1B}[K")
        #expect(Terminal.changes(from: ["a", "x", "y"], to: ["a", "b"]) == two + "\u{1B}[3;1H\u{1B}[J")
        #expect(Terminal.changes(from: ["a", "b"], to: ["a", "b"]).isEmpty)
        #expect(Terminal.changes(from: nil, to: ["a", "b"]) == "\u{1B}[2J" + one + two)
    }

    @Test(
        "Keys are read out of a terminal's bytes",
        arguments: [
            ([0x31], [.character("1")]), ([0x03], [.interrupt]), ([0x09], [.tab]), ([0x1B, 0x5B, 0x41], [.up]),
            ([0x1B, 0x5B, 0x33, 0x7E, 0x71], [.other, .character("q")]), ([0x1B], [.escape]), ([], []),
            ([0xC3, 0xA6], [.character("æ")]), ([0xC3], [.other]), ([0x1B, 0x4F, 0x42], [.down]),
            ([0x0D, 0x7F], [.enter, .backspace]), ([0x1B, 0x5B, 0x36, 0x7E], [.pageDown]),
            ([0xC3, 0x28], [.other, .character("(")]),
        ] as [([UInt8], [Key])])
    func parsesKeys(bytes: [UInt8], keys: [Key]) {
        #expect(Key.parse(bytes) == keys)
    }
}
