import Foundation
import Testing

@testable import LiveActivity

@Suite("Times as people read them")
struct WrittenTimeTests {
    private static let copenhagen = "Europe/Copenhagen"
    /// The first second of winter time there, 25 October 2026.
    private static let winter = 1_792_890_000

    /// A time with its day, as texts have both.
    private static func text(_ written: WrittenTime) -> String {
        [written.day.map { "\($0.year ?? 0)-\($0.month)-\($0.day)" }, written.clock].compactMap(\.self)
            .joined(separator: " ")
    }

    @Test("The hour that comes twice has its offset from UTC, and no other has")
    func autumn() throws {
        let zone = timeZone(named: Self.copenhagen)
        let texts = [-3_601, -3_600, -1, 0, 3_599, 3_600].map {
            WrittenTime(Self.winter + $0, in: zone, now: Self.winter).clock
        }
        #expect(
            texts == ["01:59", "02:00 (UTC+2)", "02:59 (UTC+2)", "02:00 (UTC+1)", "02:59 (UTC+1)", "03:00"])
        // In spring an hour is left out, and none comes twice.
        let spring = 1_774_746_000
        for second in stride(from: spring - 86_400, to: spring + 86_400, by: 900) {
            #expect(!WrittenTime(second, in: zone, now: spring).comesTwice)
        }
    }

    @Test(
        "No two times of some days have the same text, wherever clocks are changed",
        arguments: [
            ("Europe/Copenhagen", winter), ("Australia/Lord_Howe", 1_775_314_800), ("America/St_Johns", 1_793_507_400),
            ("Antarctica/Troll", winter), ("Africa/Casablanca", 1_771_120_800), ("Antarctica/Casey", 1_267_714_800),
            ("Pacific/Apia", 1_325_239_200), ("America/New_York", 1_793_512_800), ("UTC", winter),
        ])
    func distinct(zone: String, change: Int) {
        let zone = timeZone(named: zone)
        for now in [change - 86_400, change, change + 86_400] {
            let times = Array(stride(from: change - 2 * 86_400, through: change + 2 * 86_400, by: 900))
            let texts = Set(times.map { Self.text(WrittenTime($0, in: zone, now: now)) })
            #expect(texts.count == times.count, "\(zone.identifier)")
        }
    }

    @Test("A time on another day has that day, by the midnight of the place, and one that is far away its year")
    func days() {
        let zone = timeZone(named: Self.copenhagen)
        func text(_ hours: Int, after earlier: Int? = nil) -> String {
            Self.text(
                WrittenTime(
                    Sample.sixPM + hours * 3_600, in: zone, now: Sample.sixPM,
                    after: earlier.map { Sample.sixPM + $0 * 3_600 }))
        }
        #expect(
            text(5) == "23:00" && text(6) == "0-11-22 00:00" && text(-18) == "00:00" && text(-19) == "0-11-20 23:00")
        #expect(text(25, after: 24) == "19:00" && text(1, after: -24) == "0-11-21 19:00")
        #expect(text(24 * 200) == "2027-6-9 19:00")
        let extreme = WrittenTime(.max, in: zone, now: .min)
        #expect(extreme.day?.year == 10_000 || extreme.day?.year == 9_999)
    }

    @Test("Where the phone does not know the store's time zone, every time has its offset from UTC")
    func unknownZone() {
        let words = Words(locale: "en")
        let (now, mars) = (Sample.sixPM, "Mars/Olympus")
        let window = Window(from: now + 1_440, to: now + 1_860)
        #expect(words.window(window, timeZone: mars, now: now) == "17:24 (UTC)–17:31 (UTC)")
        #expect(words.shortTime(now, timeZone: mars, now: now) == nil)
        let attributes = GroceryDeliveryAttributes(
            activity: "a", delivery: "d", reference: nil, store: "Nordhavn", bag: nil, itemCount: 1, promise: window,
            timeZone: mars)
        let content = ActivityStep.after(Sample.delivery(.accepted), arrival: nil, step: 0).content
        #expect(
            words.expected(content, attributes, now: now, isStale: false) == "promised 17:24 (UTC)–17:31 (UTC)")
        let twelve = Words(locale: "en", hourCycle: .hours12).time(now, timeZone: mars, now: now)
        #expect(twelve.contains("5:00") && twelve.hasSuffix(" (UTC)"))
        #expect(
            Words(locale: "da").moment(now + 86_400, timeZone: mars, now: now) == "søn. 22. nov. kl. 17:00 (UTC)")
    }

    // MARK: Every text with a time

    /// Each text with times there is, filled with a window.
    private static func texts(
        _ language: String, from: Int, to: Int, now: Int, in hourCycle: HourCycle = .hours24
    ) -> [String: String] {
        let words = Words(locale: language, hourCycle: hourCycle)
        let moment = words.moment(to, timeZone: copenhagen, now: now)
        return words.catalogue.keys.reduce(into: ["moment": moment]) { texts, key in
            guard let message = words.catalogue.message(key), message.hasTimes else { return }
            var values = Dictionary(uniqueKeysWithValues: message.names.map { ($0, "1") })
            for (name, time) in [("from", from), ("to", to), ("at", to), ("since", to), ("until", to)] {
                values[name] = String(time)
            }
            texts[key] = words.catalogue.text(message, values, Reading(timeZone: copenhagen, now: now))
        }
    }

    @Test("Every text tells the hour apart that comes twice", arguments: Words.languages)
    func everyTextInAutumn(language: String) {
        let noon = Self.winter + 12 * 3_600
        // German and Dutch have a word between a time and its offset.
        func texts(from: Int, to: Int) -> [String: String] {
            Self.texts(language, from: from, to: to, now: noon)
                .mapValues { $0.replacing(#/ (Uhr|uur)(?= \()/#, with: "") }
        }
        let first = texts(from: Self.winter - 2_700, to: Self.winter - 1_800)
        let second = texts(from: Self.winter + 900, to: Self.winter + 1_800)
        #expect(first.count >= 18)
        for (name, text) in first {
            #expect(
                text.contains("02:30 (UTC+2)") && second[name]?.contains("02:30 (UTC+1)") == true, "\(name): \(text)")
        }
        let twelve = Self.texts(
            language, from: Self.winter - 2_700, to: Self.winter - 1_800, now: noon, in: .hours12)
        for (name, text) in twelve {
            #expect(text.contains("2:30") && !text.contains("02:30") && text.contains("(UTC+2)"), "\(name): \(text)")
        }
    }

    @Test(
        "Every text has the day of a time on another day, once",
        arguments: [("en", "Sun 22 Nov"), ("da", "søn. 22. nov.")])
    func everyTextOnAnotherDay(language: String, day: String) {
        let tomorrow = Sample.sixPM + 86_400
        for (name, text) in Self.texts(language, from: tomorrow, to: tomorrow + 1_800, now: Sample.sixPM) {
            #expect(text.components(separatedBy: day).count == 2 && text.contains("18:30"), "\(name): \(text)")
        }
        // Two texts are of a day: the new promise's, and the window among the details, which are kept beside a card.
        for (name, text) in Self.texts(language, from: Sample.sixPM, to: Sample.sixPM + 1_800, now: Sample.sixPM)
        where !name.contains("to_day") && name != "phrase.details_promised" {
            #expect(!text.contains("21"), "\(name): \(text)")
        }
    }

    @Test("Cards, alerts' fallbacks and what is spoken have them too")
    func cards() {
        var delivery = Sample.delivery(.accepted)
        delivery.promise = Window(from: Self.winter - 900, to: Self.winter + 900)
        let step = ActivityStep.after(delivery, arrival: nil, step: 0)
        let words = Words(locale: "en")
        let window = Window(from: Self.winter - 900, to: Self.winter + 900)
        #expect(
            words.window(window, timeZone: Self.copenhagen, now: Self.winter)
                == "02:45 (UTC+2)–02:15 (UTC+1)")
        let attributes = GroceryDeliveryAttributes(
            activity: "a", delivery: "d", reference: nil, store: "Nordhavn", bag: nil, itemCount: 1, promise: window,
            timeZone: Self.copenhagen)
        #expect(words.promise(attributes, now: Self.winter) == "promised 02:45 (UTC+2)–02:15 (UTC+1)")
        #expect(
            words.promise(attributes, now: Sample.sixPM - 40 * 86_400)?
                .hasSuffix("Sun 25 Oct 02:45 (UTC+2)–02:15 (UTC+1)") == true)
        let spoken = step.content.spokenLabel(attributes, words: words, now: Self.winter - 7_200)
        #expect(spoken.contains("Promised between 02:45 (UTC+2) and 02:15 (UTC+1)."), "\(spoken)")
        let danish = Words(locale: "da")
        #expect(
            danish.moment(Self.winter, timeZone: Self.copenhagen, now: Sample.sixPM)
                == "søn. 25. okt. kl. 02:00 (UTC+1)")
        #expect(words.shortTime(Self.winter, timeZone: Self.copenhagen, now: Self.winter) == nil)
        #expect(words.shortTime(Sample.sixPM, timeZone: Self.copenhagen, now: Sample.sixPM) == "18:00")
    }
}
