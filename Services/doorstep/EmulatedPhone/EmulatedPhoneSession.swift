import EmulatorAPI
import PhoneRules

/// The output of an emulated phone's events.
protocol EmulatedPhoneOutput: Sendable {
    /// Called with every change of a card, oldest first.
    func changed(_ event: CardEvent) throws
    /// Called with each change of the phone itself and of the newest pushes' outcomes.
    func changed(_ view: EmulatedPhoneView, from former: EmulatedPhoneView)
    /// Called whenever the picture may differ, and every second.
    func show(_ view: EmulatedPhoneView)
}

/// Follows one emulated phone: applies its emulator's events, and advances time in between.
///
/// It has no loops of its own; ``EmulatedPhoneRun`` calls it.
actor EmulatedPhoneSession {
    private(set) var view: EmulatedPhoneView
    private let output: any EmulatedPhoneOutput
    /// Wall time since the session began.
    private let elapsed: @Sendable () -> Duration
    /// The phones' time, with the wall time of its last report.
    private var clock: (now: Int, at: Duration)?

    init(
        id: String, output: any EmulatedPhoneOutput,
        elapsed: @escaping @Sendable () -> Duration = TrackSession.wallTimeFromNow()
    ) {
        view = EmulatedPhoneView(id: id, now: 0)
        self.output = output
        self.elapsed = elapsed
    }

    func receive(_ event: EmulatedPhoneEvent) throws {
        let former = view
        switch event {
        case .rate(let rate): view.rate = rate
        case .phone(let phone):
            view.connection = .open
            clock = (phone.now, elapsed())
            for event in view.update(phone) { try output.changed(event) }
        case .lost: view.connection = .lost(since: view.phone == nil ? nil : view.now)
        }
        output.changed(view, from: former)
        output.show(view)
    }

    /// Advances the timers.
    func tick() {
        if let clock {
            let passed = (elapsed() - clock.at) / .seconds(1) * view.rate
            view.now = max(view.now, clock.now + Int(passed))
        }
        output.show(view)
    }
}
