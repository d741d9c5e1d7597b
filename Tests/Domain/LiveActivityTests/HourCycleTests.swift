import Foundation
import LiveActivity
import Testing

@Suite("12 and 24 hours")
struct HourCycleTests {
    @Test(
        "A locale's region decides, as CLDR has it",
        arguments: [
            ("en", false), ("en-GB", false), ("en-US", true), ("en_US.UTF-8", true), ("en-Latn-AU", true),
            ("EN-us", true), ("es", false), ("es-ES", false), ("es-MX", true), ("es-419", true), ("es-AR", false),
            ("fr-CA", false), ("fr-TN", true), ("pt-BR", false), ("pt-MO", true), ("tr-CY", true), ("ar", true),
            ("ar-EG", true), ("ar-MA", false), ("da-DK", false), ("de-US", false), ("en-u-ca-gregory", false),
            ("es-MX-u-co-trad", true), ("es-u-co-trad", false), ("C", false), ("", false),
            ("-", false),
        ])
    func regions(locale: String, isTwelve: Bool) {
        #expect(HourCycle(locale: locale) == (isTwelve ? .hours12 : .hours24))
    }

    @Test("A person's settings decide, which have a region where the app's language has none")
    func settings() {
        for (locale, cycle) in [("en_US", HourCycle.hours12), ("en_GB", .hours24), ("da_DK", .hours24)] {
            #expect(HourCycle(Locale(identifier: locale)) == cycle)
        }
    }

    @Test("A whole day has each half twelve hours, from 12:00 on")
    func wholeDay() {
        let words = Words(locale: "en-US")
        func time(_ hour: Int, _ minute: Int) -> String {
            words.time(1_764_633_600 + hour * 3_600 + minute * 60, timeZone: "GMT", now: 1_764_633_600)
        }
        #expect(time(0, 0) == "12:00 AM" && time(0, 5) == "12:05 AM" && time(11, 59) == "11:59 AM")
        #expect(time(12, 0) == "12:00 PM" && time(13, 1) == "1:01 PM" && time(23, 59) == "11:59 PM")
        for minute in 0..<1_440 {
            let short = words.shortTime(1_764_633_600 + minute * 60, timeZone: "GMT", now: 1_764_633_600)
            #expect(short?.hasSuffix(minute < 720 ? "AM" : "PM") == true)
        }
    }

    @Test("Texts of a card have them, beside the offset of a time that comes twice, and an app's setting goes first")
    func texts() {
        let delivery = Sample.delivery(.enRoute)
        let content = ActivityStep.after(delivery, arrival: Window(from: Sample.sixPM, to: Sample.sixPM + 420), step: 1)
            .content
        func arrival(_ words: Words) -> String? {
            words.arrival(content, GroceryDeliveryAttributes(delivery), now: Sample.sixPM - 60, isStale: false)?
                .filter { !["\u{2068}", "\u{2069}"].contains($0) }
        }
        #expect(arrival(Words(locale: "en-US"))?.contains("6:00 PM–6:07 PM") == true)
        #expect(arrival(Words(locale: "ar"))?.contains("6:00 م–6:07 م") == true)
        #expect(arrival(Words(locale: "en-US", hourCycle: .hours24))?.contains("18:00–18:07") == true)
        #expect(arrival(Words(locale: "en", hourCycle: .hours12))?.contains("6:00 PM–6:07 PM") == true)
        // 02:00 comes twice in Copenhagen on 25 October 2026.
        let twice = Words(locale: "es-MX").time(1_792_890_000, timeZone: "Europe/Copenhagen", now: 1_792_890_000)
        #expect(twice == "2:00 a. m. (UTC+1)")
    }

    @Test(
        "The word for a time stands before its offset, and not beside the half of the day",
        arguments: [("de", "Uhr", "PM"), ("nl", "uur", "p.m.")])
    func words(language: String, word: String, half: String) {
        let (whole, twelve) = (Words(locale: language), Words(locale: language, hourCycle: .hours12))
        func moment(_ words: Words, _ time: Int) -> String {
            words.moment(time, timeZone: "Europe/Copenhagen", now: time)
        }
        #expect(moment(whole, Sample.sixPM) == "18:00 \(word)" && moment(twelve, Sample.sixPM) == "6:00 \(half)")
        #expect(moment(whole, 1_792_888_200) == "02:30 \(word) (UTC+2)")
    }
}
