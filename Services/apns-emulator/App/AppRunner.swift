import AsyncHTTPClient
import Logging
import ServiceLifecycle

/// Runs the app of every phone that has one, and lets time pass on all of them.
struct AppRunner: Service, CustomStringConvertible {
    /// How often the phones' screens are advanced, by the wall clock.
    static let tick = Duration.milliseconds(100)

    let fleet: PhoneFleet
    /// The origin of the links that apps press; nil where they press none.
    let linkOrigin: String?
    let client: HTTPClient
    let logger: Logger

    var description: String { "apns-emulator apps" }

    /// Runs until the process is asked to stop.
    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    while !Task.isCancelled, !Task.isShuttingDownGracefully {
                        fleet.tick()
                        // Cancellation ends the loop.
                        try? await Task.sleep(for: Self.tick)
                    }
                }
                for await start in fleet.apps {
                    group.addTask {
                        let app = EmulatedApp(
                            phone: start.phone, fleet: fleet,
                            service: HTTPAppExchange(
                                service: start.service, linkOrigin: linkOrigin, client: client), logger: logger)
                        await app.run(start.notices)
                    }
                }
                group.cancelAll()
            }
        } onCancelOrGracefulShutdown: {
            fleet.finish()
        }
    }
}
