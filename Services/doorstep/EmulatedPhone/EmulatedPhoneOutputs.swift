import EmulatorAPI
import InterfaceTexts
import LiveActivity
import PhoneRules

/// One JSON object a line for each change of a card, as `doorstep track --json` prints them.
struct EmulatedPhoneJSONLines: EmulatedPhoneOutput {
    let write: @Sendable (String) -> Void

    func changed(_ event: CardEvent) throws { write(try TrackLine(event).text()) }
    func changed(_ view: EmulatedPhoneView, from former: EmulatedPhoneView) {}
    func show(_ view: EmulatedPhoneView) {}
}

/// One sentence for each change of a card or of the phone, and for each push that the phone did not show.
struct EmulatedPhoneSentences: EmulatedPhoneOutput {
    private let cards: SentenceLines
    private let words: Words
    private let prefix: String
    private let write: @Sendable (String) -> Void

    /// - Parameter prefix: before each sentence, where sentences of something else stand between them.
    init(words: Words, prefix: String = "", write: @escaping @Sendable (String) -> Void) {
        cards = SentenceLines(words: words) { write(prefix + $0) }
        self.words = words
        self.prefix = prefix
        self.write = write
    }

    func changed(_ event: CardEvent) { cards.changed(event) }

    func changed(_ view: EmulatedPhoneView, from former: EmulatedPhoneView) {
        if case .lost = view.connection {
            if case .lost = former.connection { return }
            write(prefix + words.texts("phone.lost"))
        } else if case .lost = former.connection, case .open = view.connection {
            write(prefix + words.texts("phone.connected"))
        }
        guard let phone = view.phone else { return }
        let state = words.state(phone)
        if former.phone.map({ words.state($0) }) != state { write(prefix + state) }
        guard let known = former.phone?.pushes else { return }
        for push in view.newPushes(after: known) where push.outcome != .applied {
            let zone = view.cards.last?.attributes.timeZone ?? "UTC"
            write(prefix + words.push(push, at: words.time(push.at, timeZone: zone, now: view.now)))
        }
    }

    func show(_ view: EmulatedPhoneView) {}
}
