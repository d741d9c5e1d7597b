import LiveActivity

/// The device's identity, and the customer whose it is.
extension DoorstepDevice {
    /// Whether a registration may be sent: on a phone that is signed out, only until Doorstep has accepted that.
    var mayRegister: Bool {
        !isSignedOut || identity?.isSignedOut != true || identity?.isSignOutDue == true
    }

    /// Registers what has changed, where a customer is signed in: `signedIn()` registers everything.
    func needRegistration() {
        guard !isSignedOut else { return }
        pending.needsRegistration = true
        wake()
    }

    /// Registers the device as it is once no other registration is under way: of two at once either may be processed
    /// last, and its customer and secret would hold.
    ///
    /// The customer's token comes before the wait, so that one which never comes keeps no sign-out waiting. With the
    /// token of a customer who has signed out meanwhile nothing is sent: that sign-out registers, or the next sign-in.
    func register() async throws(DoorstepProblem) {
        let sessions = sessions
        let known = try await knownIdentity()
        let isSignedOut = isSignedOut
        if (known.isSignedOut ?? false) != isSignedOut { await keep { $0.setSignedOut(isSignedOut) } }
        let token = try await server.customerToken()
        try await beginRegistration()
        defer { endRegistration() }
        guard mayRegister, isSignedOut ? self.isSignedOut : isSignedIn(since: sessions) else { return }
        let identity = try await knownIdentity()
        let body = registration(secret: identity.secret)
        let secret = try await server.register(body, as: identity.id, token: token)
        pending.isRegistered = isSignedIn(since: sessions)
        // What has changed meanwhile is sent too.
        if registration(secret: identity.secret) != body { needRegistration() }
        let isAccepted = isSignedOut && self.isSignedOut && self.identity?.isSignOutDue == true
        guard isAccepted || (secret != nil && secret != identity.secret) else { return }
        await keep {
            if isAccepted { $0.isSignOutDue = nil }
            if let secret { $0.secret = secret }
        }
    }

    /// - Throws: `not-reached` where the task is cancelled meanwhile.
    private func beginRegistration() async throws(DoorstepProblem) {
        while isRegistering {
            let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
            registrationWaits.append(continuation)
            for await _ in ended {}
            if Task.isCancelled { throw .notReached(CancellationError()) }
        }
        isRegistering = true
    }

    private func endRegistration() {
        isRegistering = false
        for wait in registrationWaits { wait.finish() }
        registrationWaits = []
    }

    /// Changes the identity, and stores it: a change that cannot be stored holds until the app's process ends.
    func keep(_ change: (inout DeviceIdentity) -> Void) async {
        guard var known = identity else { return }
        change(&known)
        identity = known
        await saveNewest(after: nil)
    }

    /// Stores the identity until the stored one is the newest: of saves that are under way at once, an older one may
    /// end last.
    ///
    /// - Parameter saved: the identity whose save has just returned; nil to store in any case.
    private func saveNewest(after saved: DeviceIdentity?) async {
        var saved = saved
        do {
            while let newest = identity, newest != saved {
                try await identities.save(newest)
                saved = newest
            }
        } catch { onProblem(.notKept(error)) }
    }

    private func registration(secret: String?) -> RegisterDeviceBody {
        RegisterDeviceBody(
            transport: "apns", locale: configuration.locale, timeZone: configuration.timeZone,
            activitiesEnabled: permission.activities && !isSignedOut,
            frequentPushesEnabled: permission.frequentPushes, appVersion: configuration.appVersion,
            osVersion: configuration.osVersion, bundleID: configuration.bundleID,
            pushToStartToken: isSignedOut ? .forget : startToken.map(PushTokenChange.set), secret: secret,
            activitiesPermission: permission.account?.rawValue)
    }

    /// The identity, which is made and stored before its first use.
    func knownIdentity() async throws(DoorstepProblem) -> DeviceIdentity {
        if let identity { return identity }
        do {
            let loaded = try await identities.load()
            // Another call may have been here while this one waited.
            if let identity { return identity }
            let known = loaded ?? newIdentity
            if loaded == nil {
                try await identities.save(known)
                // Another call may have changed and stored it meanwhile, which this save may have replaced.
                await saveNewest(after: known)
            }
            if let identity { return identity }
            identity = known
            return known
        } catch {
            throw .notKept(error)
        }
    }
}
