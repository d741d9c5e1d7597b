import Testing

@testable import LiveActivity

@Suite("The height of a card")
struct LayoutTests {
    /// A long question: two lines of headline, an arrival, a detail and three buttons.
    private static func worst(isQuestion: Bool) -> ActivityStep {
        let long: (String) -> String = { "\($0) of the organic farm by the northern harbour" }
        let delivery = Sample.delivery(
            isQuestion ? .picking : .enRoute, flags: isQuestion ? [.needsCustomer, .batched] : [.batched], name: long)
        var step = ActivityStep.after(delivery, arrival: Sample.arrival(of: .enRoute), step: 1)
        if case .show(let shown) = step {
            var content = shown.content
            content.arrival = Sample.arrival(of: .enRoute)
            content.detail = Phrase(.stopsBefore, ["count": "2"])
            step = .show(
                ShownActivity(
                    attributes: shown.attributes, content: content, startAt: shown.startAt, staleAt: shown.staleAt,
                    relevance: shown.relevance, alert: nil))
        }
        return step
    }

    private static func layout(
        _ step: ActivityStep, _ size: TextSize, _ place: CardLayout.Place = .lockScreen, language: String = "en",
        isStale: Bool = false, isAlwaysOn: Bool = false
    ) -> CardLayout {
        CardLayout(
            step.content, step.attributes, words: Words(locale: language),
            now: step.content.arrival?.from ?? 0, isStale: isStale, isAlwaysOn: isAlwaysOn,
            size: size, place: place)
    }

    @Test("Apple's table has every style and size, and each is taller than its letters")
    func table() {
        for style in TextStyle.allCases {
            for size in TextSize.allCases { #expect(style.leading(at: size) > style.points(at: size)) }
            #expect(TextSize.allCases.map(style.leading) == TextSize.allCases.map(style.leading).sorted())
        }
        #expect(TextStyle.headline.points(at: .large) == 17 && TextStyle.headline.leading(at: .large) == 22)
        #expect(TextStyle.caption.leading(at: .accessibility5) == 51)
    }

    @Test(
        "No card is higher than 160 points, whatever its status and flags, at any text size",
        arguments: TextSize.allCases
    )
    func fits(size: TextSize) {
        for sample in Sample.allSets {
            let step = sample.step
            for place in CardLayout.Place.allCases {
                for language in Words.languages {
                    for isStale in [false, true] {
                        let layout = Self.layout(step, size, place, language: language, isStale: isStale)
                        #expect(layout.height <= CardLayout.heightMax, "\(sample), \(place), \(language)")
                        #expect(layout.shows(.headline))
                    }
                }
            }
        }
        for isQuestion in [false, true] {
            for place in CardLayout.Place.allCases {
                for isAlwaysOn in [false, true] {
                    let layout = Self.layout(Self.worst(isQuestion: isQuestion), size, place, isAlwaysOn: isAlwaysOn)
                    #expect(layout.height <= CardLayout.heightMax)
                }
            }
        }
    }

    @Test("The height is the sum of Apple's lines, the gaps and the margins")
    func sum() {
        let plain = Sample.Case(status: .enRoute, courierStatus: nil, flags: [])
        let layout = Self.layout(plain.step, .large)
        #expect(layout.rows == [.top, .headline, .arrival, .line, .detail, .buttons] || layout.rows.contains(.buttons))
        var height = 2 * 14.0 + 4 * Double(layout.rows.count - 1)
        for row in layout.rows {
            switch row {
            case .top, .detail: height += 16
            case .headline: height += 22 * Double(layout.headlineLines)
            case .arrival, .pin: height += 20
            case .line: height += 4
            case .buttons: height += 16 + 2 * 6
            }
        }
        #expect(layout.height == height)
    }

    @Test("At the default size a card with one line of headline shows everything")
    func whole() {
        let step = Self.worst(isQuestion: false)
        guard case .show(let shown) = step else { return }
        var content = shown.content
        content.headline = Phrase(code: "", text: "Mira is on the way")
        let layout = CardLayout(
            content, shown.attributes, words: Words(locale: "en"), now: content.arrival?.from ?? 0, size: .large)
        #expect(layout.rows == CardLayout.Row.allCases.filter { $0 != .pin } && layout.headlineLines == 1)
        #expect(layout.height == 154)
    }

    @Test("What gives way does so in the stated order, and no more of it than has to", arguments: [false, true])
    func order(isQuestion: Bool) {
        let losses = isQuestion ? CardLayout.lossesOfQuestion : CardLayout.losses
        for size in TextSize.allCases {
            let layout = Self.layout(Self.worst(isQuestion: isQuestion), size)
            let lost = losses.map { loss in
                switch loss {
                case .row(let row): !layout.shows(row)
                case .secondLine: layout.headlineLines == 1
                }
            }
            // The first so many, and none after.
            #expect(lost == lost.sorted { $0 && !$1 }, "\(size): \(layout)")
            if size == .large { #expect(lost.count(where: \.self) == 1, "the detail alone") }
        }
    }

    @Test("The answers to a question stay on the Lock Screen at every text size", arguments: TextSize.allCases)
    func answers(size: TextSize) {
        #expect(Self.layout(Self.worst(isQuestion: true), size).shows(.buttons))
        let other = Self.layout(Self.worst(isQuestion: false), size)
        #expect(other.shows(.arrival))
    }

    @Test("An always-on card has no buttons, and the island has neither arrival nor detail")
    func places() {
        let step = Self.worst(isQuestion: true)
        #expect(!Self.layout(step, .large, isAlwaysOn: true).shows(.buttons))
        let island = Self.layout(step, .xSmall, .expandedIsland)
        #expect(!island.shows(.arrival) && !island.shows(.detail))
        #expect(Self.layout(step, .accessibility5, .expandedIsland).size == .accessibility1)
    }
}

@Suite("Buttons that act")
struct CardPressTests {
    private func press(_ verb: String) -> CardPress { CardButton(verb: verb, title: "", url: "").press }

    @Test("What only shows, what is asked about first, and what is not known opens the app")
    func opens() {
        for verb in ["details", "contact-courier", "cancel", "of-tomorrow"] { #expect(press(verb) == .opensApp) }
    }

    @Test("What moves the groceries or costs money asks for an unlocked phone; a refusal does not")
    func acts() {
        #expect(press("leave-at-door") == .acts(.requiresAuthentication))
        #expect(press("approve-substitution") == .acts(.requiresAuthentication))
        #expect(press("refuse-substitution") == .acts(.alwaysAllowed))
    }
}
