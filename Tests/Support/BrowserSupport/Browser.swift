import Foundation
import Glibc
import NIOHTTP1
import TestSupport

/// Chromium without a window, which reaches nothing but this machine; each of its pages has a profile of its own.
///
/// Its processes end with ``run(driver:_:)``, and with the test process, however that ends.
package final class Browser: Sendable {
    /// Why there is no browser to test with.
    package struct Unavailable: Error, CustomStringConvertible {
        package let description: String
    }

    private let processes: BrowserProcesses
    private let driver: ChildProcess
    private let connection: WebDriverConnection
    private let binary: String
    private let log: String
    private let reaper: ResourceReaper

    /// The time-out of the driver's start, generous for a busy machine.
    private static let startTimeout = Duration.seconds(60)

    /// Runs the body with a browser of its own, and ends all its processes, also where the body throws.
    ///
    /// - Parameter driver: the program that drives it, to be found in `PATH`.
    /// - Throws: ``Unavailable``, which names the missing packages, or the error of the body.
    package static func run<Value>(
        driver: String = "chromedriver", _ body: (Browser) async throws -> Value
    ) async throws -> Value {
        let browser = try await start(driver: driver)
        return try await withTeardown({ await browser.stop() }) { try await body(browser) }
    }

    /// Starts the driver, and returns when it accepts commands; ``stop()`` ends it.
    ///
    /// - Parameter driver: the program that drives the browser, to be found in `PATH`.
    /// - Throws: ``Unavailable``, which names the packages that are missing.
    package static func start(driver: String = "chromedriver") async throws -> Browser {
        let browser = try Browser(driver: try program(driver), binary: try program("chromium"))
        do {
            try await browser.isReady()
        } catch {
            await browser.stop()
            throw error
        }
        return browser
    }

    private init(driver: String, binary: String) throws {
        let port = try freePort()
        let folder = try Self.makeFolder()
        // Not the folder itself, whose path is in the reaper's command line.
        let home = "\(folder)/home"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        // Without this process's variables: its proxies and locale are not the browser's.
        let environment = ["PATH": "/usr/bin:/bin", "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8"]
        log = "\(home)/chromedriver.log"
        self.driver = try ChildProcess(
            driver, ["--port=\(port)", "--log-path=\(log)", "--append-log", "--enable-chrome-logs"],
            environment: environment, standardOutput: .file(log), standardError: .file(log))
        // Processes outside of the driver's group end by themselves without the others.
        reaper = try ResourceReaper(folder: folder, stop: ["kill", "-9", "-\(self.driver.processID)"])
        processes = BrowserProcesses(folder: home)
        connection = WebDriverConnection(address: "http://127.0.0.1:\(port)")
        self.binary = binary
    }

    /// The processes of the driver and of all pages that run.
    package var processIDs: [Int32] { processes.ids }

    /// Ends all processes, and returns when they are gone; the reaper deletes their folder.
    package func stop() async {
        await processes.kill9()
        await driver.wait()
    }

    /// Opens a browser with an empty profile: no cookies, nothing cached, nothing permitted.
    package func newPage() async throws -> BrowserPage {
        let profile = "\(processes.folder)/profile-\(UUID().uuidString)"
        do {
            let session = try await connection.send(
                .POST, "/session", SessionRequest(binary: binary, profile: profile), as: SessionAnswer.self)
            return BrowserPage(connection: connection, session: session.sessionId)
        } catch let error as WebDriverError {
            throw Unavailable(description: "Chromium does not start: \(error)\n\(recentLog)")
        }
    }

    /// The newest output of the driver and Chromium, for failure messages.
    private var recentLog: String {
        String(((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").suffix(4_000))
    }

    private struct Status: Decodable {
        let ready: Bool
    }

    private func isReady() async throws {
        let deadline = ContinuousClock.now + Self.startTimeout
        while true {
            // Refused until it listens.
            if let status = try? await connection.send(.GET, "/status", as: Status.self), status.ready { return }
            guard ContinuousClock.now < deadline, driver.isRunning else {
                throw Unavailable(description: "chromedriver takes no commands\n\(recentLog)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// A short path: Chromium makes sockets in it, whose paths may have 107 characters.
    private static func makeFolder() throws -> String {
        var template = Array("/tmp/doorstep-browser-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else {
            throw Unavailable(description: "making a folder: \(String(cString: strerror(errno)))")
        }
        return String(cString: path)
    }

    private static func program(_ name: String) throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + ["/usr/bin"]
        for folder in folders where access("\(folder)/\(name)", X_OK) == 0 { return "\(folder)/\(name)" }
        throw Unavailable(
            description: """
                \(name) is not installed: `make test-browser` installs what these tests need, and so does \
                `apt-get install --no-install-recommends chromium chromium-driver`
                """)
    }
}
