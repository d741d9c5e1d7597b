import LiveActivity

extension DoorstepDevice {
    /// Sends the tokens and reports that wait, without the rest of a pause, and brings cards up to date with what is
    /// wanted now, for an app that has background time: in a `BGAppRefreshTask`, or after a background notification.
    ///
    /// Returns once everything is sent, or an attempt has failed. Nothing is sent where `run()` does not run.
    /// - Throws: `DoorstepProblem` where Doorstep was not reached or does not know the device yet.
    public func refresh() async throws {
        guard !isSignedOut else { return }
        attemptAtOnce()
        await waitForSending()
        guard !isSignedOut else { return }
        try await showWanted()
        // The reports of what was shown.
        await waitForSending()
    }

    func showWanted() async throws(DoorstepProblem) {
        let sessions = sessions
        let known = dismissedHere.filter(\.value.isConfirmed)
        let wanted = try await wanted()
        // Doorstep knew that the card had left the screen, and wants it there again.
        for one in wanted where known[one.activity]?.instance == dismissedHere[one.activity]?.instance {
            dismissedHere[one.activity] = nil
        }
        await show(wanted, since: sessions)
    }

    func wanted() async throws(DoorstepProblem) -> [WantedBody.Activity] {
        try await server.wanted(on: knownIdentity().id)
    }

    /// Returns once nothing that can be sent waits, an attempt has failed, or the task is cancelled.
    private func waitForSending() async {
        guard isSending, pause == nil else { return }
        let (sent, continuation) = AsyncStream.makeStream(of: Void.self)
        sendingWaits.append(continuation)
        wake()
        for await _ in sent {}
    }

    func endSendingWaits() {
        for wait in sendingWaits { wait.finish() }
        sendingWaits = []
    }
}
