import LiveActivity

/// Unsent data: only the newest of each kind, in sending order.
struct PendingUploads {
    enum Upload: Hashable {
        case registration
        /// With everything that the phone shows, where it is asked for.
        case reports([ReportBody], hasInventory: Bool)
        case wanted
    }

    /// Reports in one request.
    static let reportsPerUploadMax = 50
    /// The most waiting reports: the oldest go first, and the next inventory replaces them.
    static let reportsMax = 200

    var needsRegistration = false
    /// Whether the newest registration was refused for good: it is sent again once the app comes to the foreground.
    var isRegistrationRefused = false
    /// Whether Doorstep knows the device since this launch: it accepts no other upload before.
    var isRegistered = false
    var needsInventory = false
    var needsWanted = false
    private var keys: [Key] = []
    private var reports: [Key: ReportBody] = [:]
    /// Whether the owner has allowed Live Activities since the last upload began.
    private var isAllowedSince = false

    /// The subject of a report: a newer report of the same replaces it.
    private struct Key: Hashable {
        enum Topic: Hashable { case start, state, failure }

        let subject: String?
        let topic: Topic

        init(_ report: ReportBody) {
            subject = report.instance ?? report.card ?? report.activity
            switch report.kind {
            case .started, .pending: topic = .start
            case .failed: topic = .failure
            case .shown, .ended, .dismissed, .stale, .inventory: topic = .state
            }
        }
    }

    /// A start stays beside the state that follows it, since only a start makes an unknown card known.
    mutating func add(_ report: ReportBody) {
        let key = Key(report)
        var report = report
        if let older = reports[key] {
            report.keepMarks(of: older)
        } else {
            keys.append(key)
        }
        reports[key] = report
        while keys.count > Self.reportsMax {
            reports[keys.removeFirst()] = nil
            needsInventory = true
        }
    }

    /// Schedules the registration and the inventory before any other upload.
    mutating func beginAnew() {
        isRegistered = false
        isRegistrationRefused = false
        needsRegistration = true
        needsInventory = true
    }

    /// Removes the reports of starts that the owner's switch refused, since the owner has allowed Live Activities: sent
    /// after the registration, one would switch the device off again.
    mutating func dropRefusals() {
        isAllowedSince = true
        let refusals = keys.filter { reports[$0]?.isRefusal == true }
        for key in refusals { reports[key] = nil }
        keys.removeAll { refusals.contains($0) }
    }

    /// Removes and returns the next upload; nil where none can be sent.
    mutating func next() -> Upload? {
        isAllowedSince = false
        if needsRegistration {
            needsRegistration = false
            isRegistrationRefused = false
            return .registration
        }
        guard isRegistered else { return nil }
        if needsInventory || !keys.isEmpty {
            let taken = keys.prefix(Self.reportsPerUploadMax)
            keys.removeFirst(taken.count)
            defer { needsInventory = false }
            return .reports(taken.compactMap { reports.removeValue(forKey: $0) }, hasInventory: needsInventory)
        }
        if needsWanted {
            needsWanted = false
            return .wanted
        }
        return nil
    }

    /// Puts back what was not sent, without what has become newer meanwhile.
    mutating func putBack(_ upload: Upload) {
        switch upload {
        case .registration: needsRegistration = true
        case .wanted: needsWanted = true
        case .reports(let sent, let hasInventory):
            needsInventory = needsInventory || hasInventory
            let old = isAllowedSince ? sent.filter { !$0.isRefusal } : sent
            let missing = old.filter { reports[Key($0)] == nil }
            for report in old {
                let key = Key(report)
                guard var newer = reports[key] else {
                    reports[key] = report
                    continue
                }
                newer.keepMarks(of: report)
                reports[key] = newer
            }
            keys.insert(contentsOf: missing.map(Key.init), at: 0)
        }
    }
}

extension ReportBody {
    /// Whether the owner's switch refused a start.
    fileprivate var isRefusal: Bool { kind == .failed && code == "denied" }

    /// Keeps of the replaced report what is not repeated: its token, and that the app put the revision on the card.
    fileprivate mutating func keepMarks(of older: ReportBody) {
        updateToken = updateToken ?? older.updateToken
        if revision == older.revision { isUpdatedByApp = isUpdatedByApp ?? older.isUpdatedByApp }
    }
}
