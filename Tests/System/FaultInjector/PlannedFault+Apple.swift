import FaultInjection

/// What Apple's push service is told to do.
extension PlannedFault {
    /// Refusals that a correct push may meet, by the properties of a fault of `apns-emulator`: one for each way in which
    /// a sender goes on after it.
    ///
    /// Those that say that a push is wrong are left out. A correct push never meets them, and one that does is tried
    /// again after a quarter of an hour.
    private static let refusals = [
        #""reason": "TooManyRequests""#, #""reason": "TooManyRequests", "retryAfter": 2"#,
        #""reason": "InternalServerError""#, #""reason": "ServiceUnavailable""#,
        #""reason": "ServiceUnavailable", "retryAfter": 1"#, #""reason": "Shutdown""#, #""status": 502"#,
        #""status": 302"#, #""reason": "IdleTimeout""#, #""reason": "ExpiredProviderToken""#,
        #""reason": "UnrelatedKeyIdInToken""#, #""reason": "Unregistered""#, #""reason": "ExpiredToken""#,
        #""reason": "Unregistered", "since": 1"#, #""reason": "BadDeviceToken""#, #""reason": "InvalidProviderToken""#,
    ]

    /// The body with which `apns-emulator` begins the fault; nil for what it has no part in.
    var pushScript: String? {
        let properties: String
        let applies = choice.isMultiple(of: 2)
        switch kind {
        case .refusePushes: properties = #""kind": "answer", \#(Self.refusals[choice % Self.refusals.count])"#
        case .silencePushes: properties = #""kind": "silence", "applies": \#(applies)"#
        case .resetPushes: properties = #""kind": "reset-stream", "applies": \#(applies)"#
        case .closeOnPush: properties = #""kind": "close-connection", "applies": \#(applies)"#
        case .goAwayOnPush:
            properties = #""kind": "goaway", "applies": \#(applies), "isProcessed": \#(applies || choice % 4 == 1)"#
        case .delayPushes: properties = #""kind": "delay", "delayMilliseconds": \#(100 + choice * 50)"#
        case .kill, .terminate, .suspend, .addReplica, .wipeStore, .deleteStream, .deleteConsumer, .setBackStore,
            .setBackMessages, .killPostmaster, .killSession, .switchOver, .terminateSessions, .cancelStatements,
            .lockTable,
            .resetConnections, .refuseConnections, .stallConnections, .cutAnswers, .halveAnswers, .disconnectDevice,
            .goOffline, .killApp:
            return nil
        }
        return "{\(properties), \"share\": \(choice % 3 == 0 ? "1" : "0.5")}"
    }
}
