import ArgumentParser
import CommandOutput
import LiveActivity
import PhoneRules
import WireCoding

/// Draws cards without a server, the way a real push would reach a phone.
struct Preview: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw the card of every status, in every presentation of a phone.",
        discussion: """
            Needs no server: a sample delivery becomes a push to a simulated phone, which is drawn. A card that an app \
            has scheduled is on no screen before its time, and is drawn like every other card from then on. --json prints \
            one object for each picture.
            """)

    @Option(help: "A status to draw, such as en_route; repeat for more. Without it: all of them.")
    var status: [DeliverySnapshot.Status] = []

    @Option(help: "A flag, such as delayed; repeat for more.")
    var flag: [DeliverySnapshot.Flag] = []

    @Option(help: "The presentation: \(PreviewPlace.allValueStrings.joined(separator: ", ")).")
    var presentation: PreviewPlace = .all

    @Option(help: "The screen's brightness: light, dark or always-on.")
    var appearance: Appearance = .dark

    @Option(help: "The language of the texts, such as da.")
    var locale: String = "en"

    @Option(help: "The phone: island, or plain for one without.")
    var phone: PhoneKind = .island

    @Flag(help: "Add another app's older activity, which makes the card minimal.")
    var besideAnotherApp = false

    @Option(help: "Another activity in the island, updated last: app, call, music or timer; repeat for more.")
    var beside: [Phone.OtherApp.Kind] = []

    @Flag(help: "Draw the card after its stale date.")
    var stale = false

    @Flag(help: "Show the permission question of a new app.")
    var notYetAllowed = false

    @Flag(help: "Print one spoken sentence for each change, no pictures.")
    var plain = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard Words.languages.contains(Words(locale: locale).language), Words.languages.contains(locale) else {
            throw ValidationError("There are words for \(Words.languages.joined(separator: ", ")) only.")
        }
    }

    func run() throws {
        let words = Words(locale: locale)
        let columns = TerminalSize.ofOutput()?.columns ?? LockScreenDrawing.columns
        let hasPictures = TerminalAbilities().hasPictures && columns >= LockScreenDrawing.columns
        let style = OutputStyle.ofOutput(isPlain: plain || (!output.json && !hasPictures))
        for status in status.isEmpty ? DeliverySnapshot.Status.allCases : status {
            let delivery = SampleDelivery(status: status, flags: Set(flag))
            if output.json {
                try printJSON(delivery, words)
            } else if style.isPlain {
                try printSentences(delivery, words)
            } else {
                try printPictures(delivery, words, style)
            }
        }
    }

    private func printPictures(_ delivery: SampleDelivery, _ words: Words, _ style: OutputStyle) throws {
        let palette = Palette(appearance: appearance)
        for picture in try pictures(delivery, words) {
            writeLine(style.quiet("\(title(delivery)) — \(picture.name)"))
            for row in palette.render(picture.drawing, colors: style.hasColors) { writeLine(row) }
            writeLine("")
        }
    }

    private func printSentences(_ delivery: SampleDelivery, _ words: Words) throws {
        let card = try PreviewedCard(delivery, phone: emptyPhone(), isStale: stale)
        for event in card.events.suffix(1) {
            writeLine(TerminalAbilities().text(words.sentence(event)))
        }
    }

    private func printJSON(_ delivery: SampleDelivery, _ words: Words) throws {
        for picture in try pictures(delivery, words) {
            let line = PreviewLine(
                status: delivery.status.rawValue, flags: delivery.flags.map(\.rawValue).sorted(),
                presentation: picture.name, appearance: appearance.rawValue, locale: words.language,
                payloadBytes: picture.card.payloadBytes, rows: picture.drawing.lines.map(\.text),
                sentence: picture.card.events.last.map { words.sentence($0) } ?? "",
                content: picture.card.card.content)
            writeJSON(try WireJSON.encode(line))
        }
    }

    private func title(_ delivery: SampleDelivery) -> String {
        ([delivery.status.rawValue] + delivery.flags.map(\.rawValue).sorted()).joined(separator: " + ")
    }

    private struct Picture {
        let name: String
        let drawing: Drawing
        let card: PreviewedCard
    }

    private func pictures(_ delivery: SampleDelivery, _ words: Words) throws -> [Picture] {
        var pictures: [Picture] = []
        for presentation in presentation.presentations {
            for others in otherApps(presentation) {
                var phone = emptyPhone()
                phone.otherApps = others
                let card = try PreviewedCard(delivery, phone: phone, isStale: stale)
                let drawings = presentation.drawings(
                    of: card.card, on: card.phone, words: words, now: card.now, appearance: appearance)
                pictures += drawings.map { Picture(name: $0.name, drawing: $0.drawing, card: card) }
            }
        }
        return pictures
    }

    /// The island's other apps; without an explicit choice, minimal is drawn before and after another app's card.
    private func otherApps(_ presentation: Presentation) -> [[Phone.OtherApp]] {
        let asked = (besideAnotherApp ? [.longBefore] : []) + beside.map { Phone.OtherApp($0, updatedAt: .max) }
        guard asked.isEmpty, presentation == .minimal else { return [asked] }
        return [[.longBefore], [Phone.OtherApp(.app, updatedAt: .max)]]
    }

    private func emptyPhone() -> Phone {
        Phone(hasIsland: phone == .island, permission: notYetAllowed ? .notYetAllowed : .allowed)
    }
}

/// A picture as `preview --json` prints it.
private struct PreviewLine: Encodable {
    let status: String
    let flags: [String]
    let presentation: String
    let appearance: String
    let locale: String
    let payloadBytes: Int
    let rows: [String]
    let sentence: String
    let content: GroceryDeliveryAttributes.ContentState

    private enum CodingKeys: String, CodingKey {
        case status, flags, presentation, appearance, locale, payloadBytes, rows, content
        case sentence = "spoken"
    }
}

/// One presentation on a phone, or all of them.
enum PreviewPlace: String, CaseIterable, ExpressibleByArgument {
    case lockScreen = "lock-screen"
    case expanded, compact, minimal, all

    var presentations: [Presentation] {
        Presentation(rawValue: rawValue).map { [$0] } ?? Presentation.allCases
    }
}

/// The cut-out around the phone's camera.
enum PhoneKind: String, CaseIterable, ExpressibleByArgument {
    case island, plain
}

extension Appearance: ExpressibleByArgument {}

extension Phone.OtherApp {
    /// Another app's activity, older than every card.
    static let longBefore = Phone.OtherApp(.app, updatedAt: 0)
}
