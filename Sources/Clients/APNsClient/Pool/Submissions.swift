internal import NIOCore
internal import Synchronization

/// Hands requests from callers' tasks to their pool, many in one turn of the event loop.
final class Submissions: Sendable {
    enum Command {
        case send(PendingPush)
        case cancel(PendingPush)
    }

    private let pool: NIOLoopBoundBox<ConnectionPool>
    private let eventLoop: any EventLoop
    private let commands = Mutex<[Command]>([])

    init(_ pool: sending ConnectionPool, eventLoop: any EventLoop) {
        self.pool = .makeBoxSendingValue(pool, eventLoop: eventLoop)
        self.eventLoop = eventLoop
    }

    /// Adds a command; the pool runs commands in the order of these calls.
    func add(_ command: Command) {
        let isFirst = commands.withLock { commands in
            commands.append(command)
            return commands.count == 1
        }
        if isFirst { eventLoop.execute { self.pool.value.receive(self.takeAll()) } }
    }

    /// Returns when no request is in flight.
    func shutDown() async {
        let done = eventLoop.makePromise(of: Void.self)
        eventLoop.execute { self.pool.value.shutDown(done) }
        // The pool completes this promise and never fails it.
        try? await done.futureResult.get()
    }

    private func takeAll() -> [Command] {
        commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }
}
