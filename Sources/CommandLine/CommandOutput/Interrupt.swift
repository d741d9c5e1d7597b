internal import Foundation

/// Does something on a signal instead of dying of it.
package final class Interrupt: Sendable {
    private let number: Int32
    /// Dispatch sources may be used from any thread; the import lacks the annotation on Linux.
    private nonisolated(unsafe) let source: any DispatchSourceSignal

    package init(_ number: Int32, _ handler: @escaping @Sendable () -> Void) {
        self.number = number
        signal(number, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: handler)
        source.resume()
    }

    /// The process dies of the signal again.
    package func stop() {
        source.cancel()
        signal(number, SIG_DFL)
    }
}
