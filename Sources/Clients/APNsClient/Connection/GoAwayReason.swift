internal import Foundation
internal import NIOCore

extension PushConnection {
    /// The `reason` of a GOAWAY's debug data, which is JSON like the body of a refusal; other text as it is.
    static func reason(_ debug: ByteBuffer) -> String? {
        struct Debug: Decodable { let reason: String }
        guard (1...Answer.bodyBytesMax).contains(debug.readableBytes) else { return nil }
        // Debug data without the JSON of a reason is used as text below.
        if let debug = try? JSONDecoder().decode(Debug.self, from: Data(debug.readableBytesView)) {
            return debug.reason
        }
        let isText = debug.readableBytesView.allSatisfy { (0x20...0x7e).contains($0) }
        return isText ? String(buffer: debug) : nil
    }
}

extension APNsReason {
    /// True where APNs accepts no request on the connection for a while.
    var spoilsConnection: Bool { self == .tooManyProviderTokenUpdates }
}
