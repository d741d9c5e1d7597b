import DoorstepAPI
import ServiceLifecycle
import Synchronization
import Testing

@testable import ServiceRuntime

private struct Failed: Error {}

private struct Failing: Service {
    func run() async throws { throw Failed() }
}

private struct Waiting: Service {
    let stopped: @Sendable () -> Void

    func run() async throws {
        try await gracefulShutdown()
        stopped()
    }
}

@Suite("A process", .timeLimit(.minutes(10)))
struct ProcessTests {
    @Test("A service that fails stops the others in reverse order, and its error ends the process")
    func failure() async {
        let stopped = Mutex<[Int]>([])
        let services: [any Service] =
            (1...3).map { number in Waiting { stopped.withLock { $0.append(number) } } } + [Failing()]
        let group = serviceGroup(services, drainTimeout: .seconds(30), signals: [], logger: LogRecorder().logger())
        await #expect(throws: Failed.self) { try await group.run() }
        #expect(stopped.withLock { $0 } == [3, 2, 1])
    }

    @Test(
        "The flag --version prints name and version, and nothing else does",
        arguments: [["--version"], ["migrate"], []])
    func version(_ arguments: [String]) {
        let process = ServiceProcess(name: "orders", schema: "orders", migrations: [], defaults: [:])
        #expect(process.versionLine(arguments) == (arguments == ["--version"] ? "orders \(Version.current)" : nil))
    }
}
