internal import Foundation
internal import NIOCore
internal import NIOHPACK
internal import TextCoding

/// The received part of APNs' answer to one request.
struct Answer {
    /// Bytes of a body that are kept; APNs' have about a hundred.
    static let bodyBytesMax = 4_096
    /// The longest wait that is believed.
    private static let retryAfterSecondsMax = 86_400

    private(set) var status: Int?
    private var id: String?
    private var retryAfter: String?
    private var date: String?
    private var body: [UInt8] = []
    private var isBodyTooLong = false

    /// Receives a block of headers; trailers and interim answers change nothing.
    /// - Returns: false if the block has no valid HTTP status.
    mutating func receive(_ headers: HPACKHeaders) -> Bool {
        if status != nil { return true }
        guard let status = headers.first(name: ":status").flatMap({ Int($0) }), (100...999).contains(status) else {
            return false
        }
        if status < 200 { return true }
        self.status = status
        id = headers.first(name: "apns-id")
        if status != 200 {
            retryAfter = headers.first(name: "retry-after")
            date = headers.first(name: "date")
        }
        return true
    }

    /// Receives a part of the body.
    /// - Returns: false when the body exceeds the bound: the caller need not wait for the rest.
    mutating func receive(_ part: ByteBuffer) -> Bool {
        if body.count + part.readableBytes > Self.bodyBytesMax {
            isBodyTooLong = true
            return false
        }
        body.append(contentsOf: part.readableBytesView)
        return true
    }

    /// The result; the status alone decides where the rest is missing or unreadable; nil without a status.
    /// - Parameter sent: the request's id, for an answer without an id.
    func result(sent: UUID) -> APNsResult? {
        guard let status else { return nil }
        switch status {
        case 200: return .accepted(id: id.flatMap(UUID.init(uuidString:)) ?? sent)
        case 300...: return .refused(refusal(status))
        default: return .unknown(.unreadableAnswer("status \(status)"))
        }
    }

    private func refusal(_ status: Int) -> APNsRefusal {
        struct Body: Decodable {
            var reason: String?
            var timestamp: Double?

            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: CodingKeys.self)
                // A member of another type counts as absent, so that the other is still read.
                reason = try? values.decodeIfPresent(String.self, forKey: .reason)
                timestamp = try? values.decodeIfPresent(Double.self, forKey: .timestamp)
            }

            enum CodingKeys: CodingKey { case reason, timestamp }
        }
        // A refusal without a readable body is described by its status.
        let content = isBodyTooLong ? nil : try? JSONDecoder().decode(Body.self, from: Data(body))
        let serverDate = date.flatMap(HTTPDate.parse)
        return APNsRefusal(
            status: status, reason: APNsReason(content?.reason ?? ""),
            since: status == 410 ? content?.timestamp.flatMap(Self.moment) : nil,
            retryAfter: retryAfter.flatMap { Self.wait($0, from: serverDate) }, serverDate: serverDate)
    }

    /// Milliseconds since 1970 as a date; nil for an implausible value, such as seconds, which would be in January
    /// 1970.
    private static func moment(milliseconds: Double) -> Date? {
        guard (1e12..<1e13).contains(milliseconds) else { return nil }
        return Date(timeIntervalSince1970: milliseconds / 1_000)
    }

    /// Parses seconds or a date (RFC 9110).
    private static func wait(_ text: String, from serverDate: Date?) -> Duration? {
        let seconds: Int
        if let number = Int(text) {
            seconds = number
        } else if let until = HTTPDate.parse(text), let serverDate {
            seconds = Int(until.timeIntervalSince(serverDate))
        } else {
            return nil
        }
        return .seconds(min(max(seconds, 0), retryAfterSecondsMax))
    }
}
