import Foundation
import Testing

@Suite("Architecture")
struct ArchitectureTests {
    @Test("There are sources to look at")
    func sources() throws {
        let modules = Set(try Project.files(in: Project.own).map(\.module))
        for module in [
            "Sources/Domain/OrderDomain", "Sources/Clients/PostgresClient", "Services/orders", "Services/doorstep",
        ] {
            #expect(modules.contains(module))
        }
    }

    // MARK: Who imports whom

    @Test(
        "A C library is imported by its client and by nobody else",
        arguments: [
            ("CPostgres", "Sources/Clients/PostgresClient"), ("CNats", "Sources/Clients/NatsClient"),
            ("CZlib", "Sources/Base/Deflate"), ("CMalloc", "Sources/Runtime/ServiceRuntime"),
        ])
    func cLibraries(library: String, client: String) throws {
        let importers = Set(
            try Project.files(in: Project.own + ["Tests"]).filter { $0.imports.contains(library) }.map(\.module))
        #expect(importers == [client])
    }

    @Test(
        "A pure library imports of ours only what is as pure and below it, and the base",
        arguments: [
            ("OrderDomain", []),
            ("ArrivalEstimate", ["OrderDomain"]),
            ("LiveActivity", []), ("WireCoding", []),
            ("PhoneRules", ["LiveActivity"]), ("DeliveryProviders", ["OrderDomain"]),
            ("Messages", ["OrderDomain", "LiveActivity", "WireCoding"]),
            ("DoorstepAPI", ["OrderDomain", "LiveActivity", "Messages", "WireCoding"]),
            ("EmulatorAPI", ["LiveActivity", "PhoneRules"]), ("TimePresentation", ["LiveActivity"]),
            ("InterfaceTexts", ["LiveActivity"]),
            ("CardPresentation", ["LiveActivity", "PhoneRules", "InterfaceTexts"]),
            (
                "DeliveryDiagnosis",
                [
                    "OrderDomain", "LiveActivity", "Messages", "PhoneRules", "DoorstepAPI", "InterfaceTexts",
                    "TimePresentation",
                ]
            ),
        ] as [(String, Set<String>)])
    func pureLibraries(library: String, allowed: Set<String>) throws {
        for file in try Project.files(in: [Project.folder(of: library)]) {
            let ours = try file.imports.intersection(Project.modules()).subtracting(Project.baseModules())
            #expect(ours.isSubset(of: allowed), "\(file) imports \(ours.subtracting(allowed).sorted())")
        }
    }

    @Test("What runs on a server has nothing of an app's device")
    func device() throws {
        for file in try Project.files(in: ["Sources", "Services"]) {
            #expect(!file.imports.contains("DoorstepDevice"), "\(file)")
        }
    }

    @Test("A library of the base imports nothing of ours")
    func base() throws {
        for library in try Project.baseModules() {
            for file in try Project.files(in: [Project.folder(of: library)]) {
                #expect(try file.imports.intersection(Project.modules()).isSubset(of: ["CZlib"]), "\(file)")
            }
        }
    }

    @Test("A pure library meets no socket, no disk, no log and no metric")
    func pureLibrariesAreAlone() throws {
        let world: Set = [
            "Glibc", "Dispatch", "NIOCore", "Logging", "Metrics", "ServiceLifecycle", "Hummingbird", "AsyncHTTPClient",
            "Configuration", "Synchronization",
        ]
        let files = try Project.files(in: Project.pureModules().map(Project.folder))
        for file in files { #expect(file.imports.isDisjoint(with: world), "\(file)") }
    }

    @Test(
        "Clients know neither groceries nor one another",
        arguments: [
            ("PostgresClient", "CPostgres"), ("NatsClient", "CNats"), ("TileArchive", nil),
            // The JSON of our own bodies.
            ("APIClient", "WireCoding"), ("APNsClient", nil), ("WebPushClient", nil), ("OpenIDConnect", nil),
            ("WebhookSignatures", nil), ("WebhookSender", nil),
        ] as [(String, String?)])
    func clients(client: String, own: String?) throws {
        for file in try Project.files(in: ["Sources/Clients/\(client)"]) {
            #expect(
                try file.imports.intersection(Project.modules()).subtracting(Project.baseModules())
                    .isSubset(of: [own].compactMap(\.self)), "\(file)")
        }
    }

    @Test("What every service runs on knows no groceries")
    func runtime() throws {
        let groceries = try Project.modules(in: "Domain").union(Project.modules(in: "Presentation"))
            .union(Project.modules(ofPackage: "LiveActivity")).subtracting(Project.baseModules())
        for file in try Project.files(in: ["Sources/Runtime"]) {
            #expect(file.imports.isDisjoint(with: groceries), "\(file)")
        }
    }

    @Test("A library imports of ours only what lies in its own layer or below", arguments: Project.layers.indices)
    func layers(index: Int) throws {
        let above = try Project.layers[(index + 1)...].reduce(into: Project.serviceModules) {
            try $0.formUnion(Project.modules(in: $1))
        }
        let files = try Project.files(in: ["Sources/\(Project.layers[index])"])
        #expect(!files.isEmpty)
        for file in files { #expect(file.imports.isDisjoint(with: above), "\(file)") }
    }

    @Test("No service imports another")
    func servicesAreApart() throws {
        for file in try Project.files(in: Project.own) {
            #expect(file.imports.isDisjoint(with: Project.serviceModules), "\(file)")
        }
    }

    @Test(
        "No service reads another's tables",
        arguments: ["orders", "courier-eta", "activity-dispatch", "desk", "partners"])
    func schemasAreApart(service: String) throws {
        let named =
            /\b(?:FROM|JOIN|INTO|UPDATE|TABLE|REFERENCES|ON)\s+(orders|courier_eta|activity_dispatch|desk|partners)\.\w/
            .overCode
        let own = service.replacing("-", with: "_")
        let folder = "Services/\(service)"
        let files = try Project.files(in: ["\(folder)/Storage"]) + Project.files(in: [folder], ending: "sql")
        #expect(files.count > 3)
        for file in files {
            for (number, text) in file.code {
                // The table of orders has the name of its schema, so that a column of it looks like a table there.
                for match in text.matches(of: named) where match.output.1 != own {
                    Issue.record("\(file):\(number) names a table of the schema \(match.output.1)")
                }
            }
        }
    }

    // MARK: What is written nowhere, or in one place

    @Test("A subject is spelt in Messages and nowhere else")
    func subjects() throws {
        // A literal that goes on after the second word, as every subject of ours does.
        let subject = /"(orders|couriers|activities|partners)\.([a-z-]+\.|>)/.overCode
        for file in try Project.files(in: Project.own) where file.module != "Sources/Contracts/Messages" {
            for (number, text) in file.code {
                #expect(text.firstMatch(of: subject) == nil, "\(file):\(number): \(text)")
            }
        }
    }

    @Test("No SQL takes domain time from the database's clock")
    func domainTimeInSQL() throws {
        let clock =
            /(?i)\b(now\(\)|current_timestamp|current_date|localtimestamp|clock_timestamp\(\)|statement_timestamp\(\))/
            .overCode
        // What lives by wall time: bookkeeping of when a row was written, and leases.
        let wallColumns =
            /\b(applied_at|recorded_at|created_at|pressed_at|leased_until|occurred_at|settled_at|started_at|slice_due_at|open_until)\b/
            .overCode
        let sql = try Project.files(in: Project.own, ending: "sql")
        for file in sql {
            for (number, text) in file.lines.enumerated() where !text.contains("--") {
                guard text.firstMatch(of: clock) != nil else { continue }
                #expect(text.firstMatch(of: wallColumns) != nil, "\(file):\(number + 1): \(text)")
            }
        }
        let statement = /\b(SELECT|INSERT|UPDATE|DELETE|WHERE|VALUES|DEFAULT|SET)\b/.overCode
        for file in try Project.files(in: Project.own) {
            for (number, text) in file.code where text.firstMatch(of: statement) != nil {
                guard text.firstMatch(of: clock) != nil else { continue }
                #expect(text.firstMatch(of: wallColumns) != nil, "\(file):\(number): \(text)")
            }
        }
    }

    @Test("What a phone decodes has no Date in it")
    func contentHasNoDates() throws {
        let files = try Project.files(in: ["Packages/LiveActivity/Sources/LiveActivity"])
        #expect(!files.isEmpty)
        let stored = /\b(let|var) \w+: \[?Date\b/.overCode
        // What an app sends is written by our own coders; ActivityKit decodes the rest with default strategies.
        for file in files where !file.path.contains("/Device/") {
            for (number, text) in file.code {
                #expect(text.firstMatch(of: stored) == nil, "\(file):\(number): \(text)")
            }
        }
    }

    @Test("Streams keep by limits alone")
    func retention() throws {
        let other = /(?i)workqueue|retention: \.interest/.overCode
        for file in try Project.files(in: ["Sources/Contracts/Messages"] + Project.services) {
            for (number, text) in file.code {
                #expect(text.firstMatch(of: other) == nil, "\(file):\(number): \(text)")
            }
        }
    }

    @Test("Time comes in from outside: no library but the clock reads it")
    func timeIsPassedIn() throws {
        let reading = /\bDate\(\)|\bDate\.now\b/.overCode
        let files = try Project.files(in: Project.pureModules().map(Project.folder))
        for file in files {
            for (number, text) in file.code {
                #expect(text.firstMatch(of: reading) == nil, "\(file):\(number): \(text)")
            }
        }
    }

    // MARK: Habits

    @Test("A file has one subject: 350 lines at most")
    func sizes() throws {
        for file in try Project.files(in: Project.own + ["Tests"]) {
            #expect(file.lines.count <= 351, "\(file) has \(file.lines.count) lines")
        }
    }

    @Test("Nothing is left for later in a comment, and no error is waved away")
    func words() throws {
        // In pieces, so that this file does not find itself.
        let words = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"].joined(separator: "|")
        let left = try Regex("\\b(\(words))\\b").overCode
        for file in try Project.files(in: Project.own + ["Tests"]) {
            for (number, text) in file.lines.enumerated() {
                #expect(text.firstMatch(of: left) == nil, "\(file):\(number + 1): \(text)")
            }
        }
        let forced = /\btry!|\bas!/.overCode
        for file in try Project.files(in: Project.own) {
            for (number, text) in file.code {
                #expect(text.firstMatch(of: forced) == nil, "\(file):\(number): \(text)")
            }
        }
    }

    @Test("No folder is named after nothing")
    func folders() throws {
        let empty: Set = ["Utils", "Utilities", "Common", "Helpers", "Models", "Misc", "New"]
        for file in try Project.files(in: Project.own + ["Tests"]) {
            let parts = Set(file.path.split(separator: "/").map { String($0) })
            #expect(parts.isDisjoint(with: empty), "\(file)")
        }
    }
}

/// Where times become text.
@Suite("Written times")
struct WrittenTimesTests {
    /// What writes a time without `WrittenTime`, and why that is no time of day for a person.
    private static let others: [String: String] = [
        "Packages/LiveActivity/Sources/LiveActivity/ClockTime.swift": "what `WrittenTime` is made of",
        "Packages/LiveActivity/Sources/DoorstepDevice/HTTP/WireCoding.swift": "the wire, in UTC",
        "Sources/Contracts/WireCoding/WireJSON.swift": "the wire, in UTC",
        "Sources/Base/TextCoding/HTTPDate.swift": "a header of HTTP",
        "Services/courier-eta/Domain/Tracking/Delivery+Tracking.swift": "an offset that a model computes with",
        "Services/desk/Domain/Changes/ChangeForm.swift": "a form's field, which has a form of its own",
        "Services/doorstep-admin/Doctor/Doctor.swift": "a whole time with its date, in UTC",
        "Services/doorstep-admin/Keys/KeyRotation.swift": "a whole time with its date, in UTC",
        "Services/doorstep/ETA/InitialEstimateFolder.swift": "a file's columns, in UTC",
        "Services/doorstep/StoreTime.swift": "a clock time that a person gives",
        "Sources/Base/DomainTime/ReportDay.swift": "a day's date in a store's zone, without a time of day",
        "Services/orders/HTTP/Pages/ArchivePage+Values.swift": "a whole time with its date and its zone's offset",
        "Services/orders/HTTP/OrdersHTTP+Changes.swift": "a whole time with its date, in UTC",
        "Services/orders/UseCases/PlaceOrder+Validation.swift": "a whole time with its date, in UTC",
    ]

    private static let writers = [
        "secondsFromGMT", "dateComponents", "DateFormatter", ".formatted(", "FormatStyle", "ISO8601Format", "strftime",
    ]

    @Test("What a person reads of a time goes through one function, and what does not is listed with its reason")
    func oneFunction() throws {
        let found = try Project.files(in: Project.own).filter { file in
            file.code.contains { line in Self.writers.contains { line.text.contains($0) } }
        }
        #expect(Set(found.map(\.path)) == Set(Self.others.keys))
    }
}
