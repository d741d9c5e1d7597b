import Foundation
import Testing

/// The times of `docs/privacy.md`, of `docs/settings.md` and of the code are the same.
@Suite("The table of what is kept")
struct RetentionTableTests {
    private static let services = ["orders", "courier-eta", "activity-dispatch", "partners", "desk"]

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Project.root.appending(path: path), encoding: .utf8)
    }

    /// The times of the privacy page by their settings.
    private static func kept() throws -> [String: String] {
        let times = try text("docs/privacy.md").split(separator: "\n").compactMap { line -> (String, String)? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 6, let name = cells[5].wholeMatch(of: /`(retention\.\w+)`/) else { return nil }
            return (String(name.output.1), cells[3])
        }
        return Dictionary(uniqueKeysWithValues: times)
    }

    /// The type and the default of each setting.
    private static func settings() throws -> [String: (type: String, days: Int)] {
        let rows = try text("docs/settings.md").split(separator: "\n").compactMap { line -> (String, (String, Int))? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 6, let name = cells[0].wholeMatch(of: /`(retention\.\w+)`/),
                let days = Int(cells[3])
            else { return nil }
            return (String(name.output.1), (cells[2], days))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    @Test("Each time is a setting, with the time of the table as its default")
    func times() throws {
        let (kept, settings) = (try Self.kept(), try Self.settings())
        #expect(kept.count > 15)
        #expect(Set(kept.keys) == Set(settings.keys))
        for (name, time) in kept {
            let days = try #require(settings[name]?.days)
            let text = "\(days) day\(days == 1 ? "" : "s")"
            #expect(time == text || time.hasPrefix("\(text) "), "\(name) is \(text): \(time)")
        }
    }

    @Test("Defaults and bounds of the settings are those of the code")
    func code() throws {
        var found: Set<String> = []
        for service in Self.services {
            let code = try Self.text("Services/\(service)/Settings/RetentionSettings.swift")
            let defaults = try Self.text("Services/\(service)/Domain/RetentionTimes.swift")
            for read in code.matches(of: /settings\.days\("retention\.(\w+)", from: (\d+), default: (\w+)\)/) {
                let (name, least) = (String(read.output.1), String(read.output.2))
                let setting = try #require(try Self.settings()["retention.\(name)"], "\(name)")
                #expect(setting.type.hasPrefix("whole number from \(least) to 3,650, "), "\(name): \(setting.type)")
                #expect(defaults.contains("var \(read.output.3) = \(setting.days)\n"), "\(name)")
                found.insert("retention.\(name)")
            }
        }
        // Read once for all services.
        let shared = try Self.text("Sources/Runtime/ServiceRuntime/Settings/StackSettings.swift")
        let read = try #require(
            shared.firstMatch(
                of: /"retention\.deadLettersDays", from: (\d+), default: DeadLetterMaintenance\.settledKeptDays\)/))
        let deadLetters = try #require(try Self.settings()["retention.deadLettersDays"])
        #expect(deadLetters.type.hasPrefix("whole number from \(read.output.1) to 3,650"), "\(deadLetters.type)")
        let maintenance = try Self.text(
            "Sources/Runtime/ReliableMessaging/DeadLetters/DeadLetterMaintenance.swift")
        #expect(maintenance.contains("settledKeptDays = \(deadLetters.days)\n"))
        found.insert("retention.deadLettersDays")
        let reads = try #require(try Self.settings()["retention.readsDays"])
        let log = try Self.text("Sources/Runtime/ServiceRuntime/PersonalReads/PersonalReadLog.swift")
        #expect(log.contains("readsDays = \(reads.days)\n"))
        let range = try #require(log.firstMatch(of: /readsDaysRange = (\d+)\.\.\.3_650/))
        #expect(reads.type.hasPrefix("whole number from \(range.output.1) to 3,650"), "\(reads.type)")
        found.insert("retention.readsDays")
        #expect(Set(try Self.settings().keys) == found)
    }
}
