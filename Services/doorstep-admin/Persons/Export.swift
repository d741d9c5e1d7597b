import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import Messages
import NIOHTTP1
import OrderDomain
import StackClient

/// The options of the commands that export a person's data.
struct ExportOptions: ParsableArguments {
    @ArgumentParser.Flag(help: "Write a page that a person reads.")
    var html = false
    @Option(help: "A new file that its owner alone may read; by default standard output.")
    var output: String?
    @Option(help: "How long to wait for all services.")
    var waitSeconds = 300
}

/// Makes requests to export persons' data, and writes their archives.
struct Export {
    private let orders: PeerClient

    init(_ orders: PeerClient) { self.orders = orders }

    /// Makes the request, waits until it is done or the time is over, and writes its archive.
    func write(_ person: RequestedPerson, _ options: ExportOptions) async throws {
        let accepted = try await orders.send(
            .POST, "\(person.path)/export", body: NoBody?.none, as: PersonRequestBody.self
        ).body
        let request: PersonRequestBody
        do {
            request = try await orders.personRequest(accepted, waiting: .seconds(options.waitSeconds))
        } catch let failure as CommandFailure where failure.kind == .notFound {
            // The service deletes a request that has found nothing, and all of a person who is erased.
            throw CommandFailure(
                .notFound, "the request is gone: nothing is known of \(person), or they are being erased")
        }
        guard request.state == .done, let path = request.archive else {
            let awaited = request.services.filter { !$0.isDone }.map { "\($0.service): \($0.failure ?? "not done")" }
            throw CommandFailure(
                .unavailable, (["request \(request.id) is still running"] + awaited).joined(separator: "; "))
        }
        let (output, isHTML) = (options.output, options.html)
        // Nothing is left of an interrupted write to standard output, which no cancellation ends.
        guard output != nil else { return try await download(path, to: nil, isHTML: isHTML) }
        try await untilInterrupted { try await download(path, to: output, isHTML: isHTML) }
    }

    private func download(_ path: String, to output: String?, isHTML: Bool) async throws {
        let archive = try ArchiveOutput(output, isJSON: !isHTML)
        do {
            try await orders.download(path, query: [("format", isHTML ? "html" : "json")]) { try archive.write($0) }
            try archive.finish()
        } catch {
            archive.discard()
            throw error
        }
    }
}

extension PeerClient {
    private static let pause = Duration.milliseconds(500)

    /// Waits until a request about a person is done, or the time is over.
    func personRequest(_ accepted: PersonRequestBody, waiting: Duration) async throws -> PersonRequestBody {
        var request = accepted
        let deadline = ContinuousClock.now + waiting
        while request.state == .running, ContinuousClock.now < deadline {
            try await Task.sleep(for: Self.pause)
            request = try await get("/v1/person-requests/\(request.id)")
        }
        return request
    }
}

/// An archive's bytes, written as they arrive: to a new file that its owner alone may read, or to standard output.
final class ArchiveOutput {
    private let file: FileHandle?
    /// Nil for standard output.
    private let path: String?
    /// The file until the archive is whole.
    private var partPath: String? { path.map { "\($0).part" } }
    /// Bytes after the last line break, for standard output, which gets whole lines.
    private var rest = Data()

    private let isJSON: Bool

    /// - Parameter path: nil for standard output.
    init(_ path: String?, isJSON: Bool) throws {
        self.isJSON = isJSON
        self.path = path
        guard let path else {
            file = nil
            return
        }
        guard access(path, F_OK) != 0 else { throw CommandFailure(.usage, "\(path) cannot be made: it exists") }
        let descriptor = open("\(path).part", O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(.usage, "\(path).part cannot be made: \(String(cString: strerror(errno)))")
        }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ bytes: Data) throws {
        if let file {
            do { try file.write(contentsOf: bytes) } catch {
                throw CommandFailure(
                    .unavailable, "\(path ?? "the output") cannot be written: \(error.localizedDescription)")
            }
            return
        }
        rest.append(bytes)
        guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return }
        // Every record is a line, and every archive ends with a line break.
        let lines = String(decoding: rest[..<end], as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        // A page has no control characters.
        for line in lines { writeLine(isJSON ? String(line).jsonSafeOnTerminal : String(line)) }
        rest = Data(rest[(end + 1)...])
    }

    /// Gives the whole archive its name, which no file has; nothing for standard output.
    func finish() throws {
        guard let path, let partPath else { return }
        // A link, not a move: it replaces no file that was made meanwhile.
        guard link(partPath, path) == 0 else {
            throw CommandFailure(.unavailable, "\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
        discard()
    }

    /// Deletes the file's part, so that nothing is left of an archive that ends early.
    func discard() {
        if let partPath { unlink(partPath) }
    }
}
