import CommandOutput
import EmulatorAPI
import PhoneRules

/// Feeds a session from the emulator, the clock and the keyboard until the person leaves or everything has ended.
struct EmulatedPhoneRun {
    let session: EmulatedPhoneSession
    let feed: EmulatedPhoneFeed
    /// Whether to leave when all cards have left the screen.
    let untilEnded: Bool

    /// Returns when the person leaves, or when it is over and that was asked for.
    ///
    /// - Parameter keys: nil off a terminal, and where they are for something else.
    func run(keys: AsyncStream<Key>?) async throws {
        try await withTasksUntilLeaving { group in
            group.addTask {
                try await feed.run { event in
                    try await session.receive(event)
                    if untilEnded, await session.view.isOver { throw Leaving() }
                }
            }
            group.addTask {
                while true {
                    try await Task.sleep(for: TrackRun.tick)
                    await session.tick()
                }
            }
            if let keys {
                // Apart from the actions, so that one may leave while the emulator is slow to answer.
                let (presses, nextPress) = AsyncStream.makeStream(of: Key.self)
                group.addTask {
                    for await key in presses { await press(key) }
                }
                group.addTask {
                    for await key in keys {
                        if key == .character("q") { throw Leaving() }
                        if key == .interrupt { throw CommandFailure(.interrupted, "") }
                        nextPress.yield(key)
                    }
                    throw CommandFailure(.interrupted, "")
                }
            }
        }
    }

    private func press(_ key: Key) async {
        guard case .character(let character) = key, let phone = await session.view.phone,
            let action = Self.action(of: character, on: phone)
        else { return }
        // The screen shows the action's result; the stream detects an emulator that does not answer.
        try? await feed.act(action)
    }

    /// The action of a key on the phone in its present state.
    static func action(of key: Character, on phone: EmulatedPhoneBody) -> PhoneActionBody? {
        func other(_ kind: Phone.OtherApp.Kind) -> PhoneActionBody {
            PhoneActionBody(phone.otherApps.contains(kind) ? .removeOtherApp : .addOtherApp, kind: kind)
        }
        return switch key {
        case "n": PhoneActionBody(phone.online ? .goOffline : .goOnline)
        case "k": PhoneActionBody(phone.app == .running ? .killApp : .launchApp)
        case "f" where phone.app != .forceQuit: PhoneActionBody(.forceQuit)
        case "s": PhoneActionBody(phone.activitiesEnabled ? .switchActivitiesOff : .switchActivitiesOn)
        case "e" where phone.hasIsland:
            PhoneActionBody(phone.island.form == .expanded ? .releaseIsland : .holdIsland)
        case "o" where phone.hasIsland: other(.app)
        case "m" where phone.hasIsland: other(.music)
        default: nil
        }
    }
}
