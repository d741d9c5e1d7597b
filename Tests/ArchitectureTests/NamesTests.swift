import Foundation
import Testing

@Suite("Names")
struct NamesTests {
    /// Words that the field has terms for: publish, receive, reconcile, poll, probe, scenario, timeline, dead letter,
    /// hot key, rejected, duplicate.
    static let metaphors: Set<String> = [
        "told", "tell", "tells", "untold", "said", "say", "says", "saying", "heard", "hear", "hears", "unheard",
        "hearing",
        "look", "looks", "looked", "looking", "story", "stories", "bury", "buried", "fate", "stranger", "strangers",
        "town", "seat", "seats", "crowd", "crowds", "crowded", "unfit", "twin", "twins",
    ]

    /// Words that are plain in a sentence and say too little in the name of a type: of what it is the neighbour, or who
    /// waits for a turn.
    static let vague: Set<String> = ["neighbour", "neighbours", "withheld", "asker", "turns", "room", "rooms"]

    /// Names of types for which there are better ones: a detour factor's distance, devices to reconcile, a decision.
    static let replaced: Set = ["UsualRoads", "LackingDevices", "Publication"]

    /// Files with functions that take: these remove items from a queue or mailbox in memory, and return them.
    ///
    /// For everything else the field has a word: receive, consume, apply, accept, spend and refund, acquire and
    /// release, check out and check in, lease, dequeue, redeem.
    static let queues: Set = [
        "Sources/Clients/APNsClient/Pool/Submissions.swift",
        "Sources/Clients/NatsClient/JetStream/PipelinedPublish.swift",
        "Sources/Clients/PostgresClient/GroupCommit.swift",
        "Sources/Runtime/ReliableMessaging/Outbox/MemoryQueue.swift",
        "Sources/Runtime/ReliableMessaging/Outbox/OutboxRelay.swift",
        "Sources/Runtime/ServiceRuntime/HTTP/OpenStreams.swift",
        "Sources/Runtime/ServiceRuntime/HTTP/StreamSignal.swift",
        "Sources/Runtime/ServiceRuntime/Telemetry/Traces/SpanQueue.swift",
        "Services/activity-dispatch/UseCases/RaisedAlerts.swift",
        "Services/activity-dispatch/UseCases/Streams/StreamMailbox.swift",
        "Services/doorstep/Track/KeyRules.swift",
        "Tests/Services/ActivityDispatchTests/Domain/Reconciler/EmulatedPhone.swift",
        "Tests/Services/DeskTests/ServicesByTest.swift",
        "Tests/System/PhoneScenarioTests/Harness/InterruptedTransport.swift",
    ]

    @Test("No type, function or property is named after a metaphor")
    func metaphors() throws {
        var declarations: [Declaration] = []
        for file in try Project.files(in: Project.own + ["Tests", "Benchmarks"])
        where file.path != "Tests/ArchitectureTests/NamesTests.swift" {
            declarations += file.declarations
        }
        #expect(declarations.count > 5_000)
        for one in declarations {
            let found = Self.metaphors.intersection(one.words)
            #expect(found.isEmpty, "\(one.file):\(one.line): \(one.kind) \(one.name)")
        }
    }

    @Test("A type is named after what it is")
    func types() throws {
        for file in try Project.files(in: Project.own) {
            for one in file.declarations where one.isType {
                #expect(Self.vague.isDisjoint(with: one.words), "\(one.file):\(one.line): \(one.name)")
                #expect(!Self.replaced.contains(one.name), "\(one.file):\(one.line): \(one.name)")
            }
        }
    }

    @Test("A function that takes removes items from a queue in memory, and none gives back")
    func taking() throws {
        let (takes, gives): (Set<String>, Set<String>) = (["take", "takes", "taken"], ["give", "gives", "given"])
        var files: Set<String> = []
        for file in try Project.files(in: Project.own + ["Tests", "Benchmarks", "Examples"]) {
            for one in file.declarations where one.kind == .func || one.kind == .case {
                let words = one.words
                let isBack = words.count > 1 && takes.union(gives).contains(words[0]) && words[1] == "back"
                #expect(!isBack, "\(one.file):\(one.line): \(one.name)")
                guard one.kind == .func, let first = words.first, takes.contains(first) else { continue }
                files.insert(file.path)
                #expect(Self.queues.contains(file.path), "\(one.file):\(one.line): \(one.name)")
            }
        }
        #expect(files == Self.queues)
    }

    @Test("A name is read as its words")
    func words() {
        func words(_ name: String) -> [String] { Declaration(kind: .var, name: name, file: "", line: 0).words }
        #expect(words("lastSeenAt") == ["last", "seen", "at"])
        #expect(words("HTTPService") == ["http", "service"])
        #expect(words("makeURL2") == ["make", "url", "2"])
        #expect(words("toldMax") == ["told", "max"])
    }

    @Test("A type shadows none of the language's")
    func shadows() throws {
        let taken: Set = ["Actor", "Task", "Clock", "Duration", "Result", "Error", "Identifiable", "Never"]
        for file in try Project.files(in: Project.own) {
            for one in file.declarations where one.isType && file.isTopLevel(one) {
                #expect(!taken.contains(one.name), "\(one.file):\(one.line): \(one.name)")
            }
        }
    }
}

extension SourceFile {
    /// Whether a declaration is not nested: its line is not indented.
    fileprivate func isTopLevel(_ one: Declaration) -> Bool { lines[one.line - 1].first.map { $0 != " " } ?? false }
}
