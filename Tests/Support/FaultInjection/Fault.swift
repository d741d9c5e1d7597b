/// The target of a fault.
package enum FaultTarget: String, CaseIterable, Hashable, Sendable {
    case orders
    case courierETA = "courier-eta"
    case dispatch = "activity-dispatch"
    case desk
    case partners
    case broker = "nats"
    case database = "postgres"
    /// Apple's push service.
    case apple = "apns-emulator"
    /// The program of the shop that is sent events.
    case receiver
    /// The readers of a stream.
    case devices
    case phones

    package static let services: [FaultTarget] = [.orders, .courierETA, .dispatch, .desk, .partners]
    /// The targets that clients or services reach through a proxy.
    package static let proxied: [FaultTarget] = services + [.broker, .database, .apple, .receiver]
}

/// A kind of fault.
package enum FaultKind: String, CaseIterable, Hashable, Sendable {
    // MARK: Processes

    /// SIGKILL; started again after a while. Of the database: all its processes.
    case kill
    /// SIGTERM; started again after a while. Of the database: an immediate stop.
    case terminate
    /// SIGSTOP, and SIGCONT after a while. Of the database: one session of a service.
    case suspend
    /// A second replica runs for a while; at its end it is killed or asked to end.
    case addReplica

    // MARK: The broker

    /// The broker is killed, its store deleted, the broker started; then the operator's command recreates the streams.
    case wipeStore
    /// One stream is deleted; then the operator's command recreates the streams.
    case deleteStream
    /// One consumer is deleted, without a further intervention.
    case deleteConsumer
    /// The store is restored to its state at the beginning of the fault, without a further intervention.
    case setBackStore
    /// The messages alone are restored: consumers keep their positions.
    case setBackMessages

    // MARK: The database

    /// SIGKILL of the postmaster alone.
    case killPostmaster
    /// SIGKILL of one session, which has the server end all others.
    case killSession
    case terminateSessions
    case cancelStatements
    /// A table is locked against everything for a while.
    case lockTable
    /// SIGKILL of the primary; its standby is promoted after a while, and the former primary becomes its standby.
    case switchOver

    // MARK: Connections, at a proxy

    case resetConnections
    /// New connections are reset at once.
    case refuseConnections
    /// The proxy forwards no bytes for a while, and then all of them.
    case stallConnections
    /// The connection is reset in place of an answer: the request got through.
    case cutAnswers
    /// The connection is reset in the middle of an answer.
    case halveAnswers

    // MARK: Apple's push service, to a share of the pushes

    /// Pushes are refused, for a reason by the fault's choice.
    case refusePushes
    /// Pushes are not answered.
    case silencePushes
    case resetPushes
    /// The connection is closed without a word.
    case closeOnPush
    /// GOAWAY, before or after the push, as configured for the connection.
    case goAwayOnPush
    /// Pushes are answered late.
    case delayPushes

    // MARK: Devices

    /// A device vanishes for a while, and resumes.
    case disconnectDevice
    /// A phone has no network for a while.
    case goOffline
    /// The app of a phone is killed, and opened again after a while.
    case killApp

    package var targets: [FaultTarget] {
        switch self {
        case .kill, .terminate, .suspend: FaultTarget.services + [.broker, .database]
        case .addReplica: FaultTarget.services
        case .wipeStore, .deleteStream, .deleteConsumer, .setBackStore, .setBackMessages: [.broker]
        case .killPostmaster, .killSession, .terminateSessions, .cancelStatements, .lockTable, .switchOver: [.database]
        case .resetConnections, .refuseConnections, .stallConnections, .cutAnswers, .halveAnswers:
            FaultTarget.proxied
        case .refusePushes, .silencePushes, .resetPushes, .closeOnPush, .goAwayOnPush, .delayPushes: [.apple]
        case .disconnectDevice: [.devices]
        case .goOffline, .killApp: [.phones]
        }
    }

    /// Whether it ends a process with SIGKILL.
    package var isKill: Bool {
        switch self {
        case .kill, .killPostmaster, .killSession, .wipeStore, .switchOver: true
        case .terminate, .suspend, .addReplica, .deleteStream, .deleteConsumer, .setBackStore, .setBackMessages,
            .terminateSessions, .cancelStatements, .lockTable, .resetConnections, .refuseConnections,
            .stallConnections, .cutAnswers, .halveAnswers, .refusePushes, .silencePushes, .resetPushes, .closeOnPush,
            .goAwayOnPush, .delayPushes, .disconnectDevice, .goOffline, .killApp:
            false
        }
    }

    /// The weight of the fault's kind in the random draw.
    package var weight: Int {
        switch self {
        case .kill: 14
        case .terminate, .suspend, .addReplica: 6
        case .killPostmaster, .killSession, .lockTable: 3
        case .wipeStore, .deleteStream, .deleteConsumer, .setBackStore, .setBackMessages, .terminateSessions,
            .cancelStatements, .switchOver:
            2
        case .resetConnections, .refuseConnections, .stallConnections, .cutAnswers, .halveAnswers: 4
        case .refusePushes: 4
        case .silencePushes, .resetPushes, .closeOnPush, .goAwayOnPush, .delayPushes: 1
        case .disconnectDevice: 4
        case .goOffline, .killApp: 2
        }
    }

    /// Wall seconds between its beginning and its end.
    package var lasts: ClosedRange<Double> {
        switch self {
        case .kill, .terminate, .killPostmaster: 0...2.5
        case .suspend, .lockTable: 0.3...4
        case .addReplica, .disconnectDevice, .goOffline, .killApp: 1...8
        case .wipeStore, .deleteStream, .switchOver: 0...2
        case .deleteConsumer, .killSession, .terminateSessions, .cancelStatements, .resetConnections: 0...0
        case .setBackStore, .setBackMessages: 1...6
        case .refuseConnections, .stallConnections: 0.3...3
        case .cutAnswers, .halveAnswers: 0.3...2
        case .refusePushes, .silencePushes, .resetPushes, .closeOnPush, .goAwayOnPush, .delayPushes: 0.3...4
        }
    }
}

/// One fault of a plan.
package struct PlannedFault: Hashable, Sendable, CustomStringConvertible {
    /// Wall seconds from the beginning of its round.
    package let at: Double
    package let kind: FaultKind
    package let target: FaultTarget
    /// Wall seconds until it is mended.
    package let lasts: Double
    /// The choice among several: a stream, a consumer, a table, a session, a device, an answer of Apple's.
    package let choice: Int

    package init(at: Double, kind: FaultKind, target: FaultTarget, lasts: Double, choice: Int) {
        self.at = at
        self.kind = kind
        self.target = target
        self.lasts = lasts
        self.choice = choice
    }

    /// The resource that only one fault may affect at a time.
    package var resource: String {
        switch kind {
        case .addReplica: "second \(target.rawValue)"
        case .resetConnections, .refuseConnections, .stallConnections, .cutAnswers, .halveAnswers:
            "connections to \(target.rawValue)"
        case .disconnectDevice: "device \(choice)"
        case .goOffline, .killApp: "phone \(choice)"
        case .kill, .terminate, .suspend, .wipeStore, .deleteStream, .deleteConsumer, .setBackStore,
            .setBackMessages, .killPostmaster, .killSession, .terminateSessions, .cancelStatements, .lockTable,
            .switchOver, .refusePushes, .silencePushes, .resetPushes, .closeOnPush, .goAwayOnPush, .delayPushes:
            target.rawValue
        }
    }

    /// Whether it may keep `partners` from learning, or from storing, that the shop's receiver accepted an event.
    package var mayRepeatEvents: Bool { [.partners, .database, .receiver].contains(target) }

    package var description: String {
        let lasting = kind.lasts.upperBound > 0 ? ", for \(Self.text(lasts)) s" : ""
        return "\(kind.rawValue) \(target.rawValue) (\(choice))\(lasting)"
    }

    package static func text(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
