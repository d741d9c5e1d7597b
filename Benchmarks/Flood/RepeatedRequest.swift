import Glibc

/// One request, repeated on a connection of its own, which is reopened when the service has closed it.
///
/// A large body is refused while it is still being sent; the answer is read nevertheless.
struct RepeatedRequest: Sendable {
    /// The time-out of an answer, in seconds.
    private static let answerSecondsMax = 30

    let port: Int
    let bytes: [UInt8]
    /// Requests a second at most; as fast as they are answered where it is nil.
    var perSecond: Double?

    init(port: Int, _ request: Request, perSecond: Double? = nil) {
        self.port = port
        self.perSecond = perSecond
        bytes = request.bytes(port: port)
    }

    func run(until stop: StopSignal, _ answers: StatusCounts) throws {
        var socket: Socket?
        var nextAt = now()
        while !stop.isRaised {
            if let perSecond {
                while now() < nextAt, !stop.isRaised { usleep(10_000) }
                nextAt = max(nextAt, now()) + .seconds(1 / perSecond)
            }
            let connection = try socket ?? Socket(port: port, receiveSeconds: Self.answerSecondsMax)
            let answer = connection.exchange(bytes)
            answers.add(answer?.status ?? 0)
            socket = answer?.isLast == false ? connection : nil
        }
    }
}

extension Socket {
    /// Sends a request and waits for the whole answer.
    ///
    /// - Returns: its status, and whether the connection has ended with it; nil where none came.
    func exchange(_ bytes: [UInt8]) -> (status: Int, isLast: Bool)? {
        var isLast = false
        do { try send(bytes) } catch { isLast = true }
        input = []
        while true {
            do { try receive() } catch { return nil }
            guard let head = input.firstRange(of: "\r\n\r\n"), let status = input.number(at: 9) else { continue }
            let text = String(decoding: input[..<head.lowerBound], as: UTF8.self).lowercased()
            let length = text.firstRange(of: "content-length: ").flatMap { found in
                Int(text[found.upperBound...].prefix(while: \.isNumber))
            }
            guard input.count >= head.upperBound + (length ?? 0) else { continue }
            return (status, isLast || text.contains("connection: close"))
        }
    }
}
