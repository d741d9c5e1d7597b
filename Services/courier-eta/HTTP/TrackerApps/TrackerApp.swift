import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import ServiceRuntime

extension TrackerApp {
    /// The positions of one request of an app.
    struct Reading: Hashable, Sendable {
        var fixes: [RawFix] = []
        /// Positions that cannot be read; 1 for a body that cannot be read at all.
        var unreadable = 0
        /// Whether the request had further positions, which are not read.
        var hasMore = false

        static let nothing = Reading()
        static let garbage = Reading(unreadable: 1)
    }

    /// The positions in a request's query and body.
    ///
    /// Never fails: unreadable positions are counted.
    func read(query: FormValues, body: Data) -> Reading {
        switch self {
        case .ownTracks: OwnTracksRequest.read(body)
        case .traccar, .osmAnd: OsmAndRequest.read(query: query, body: body)
        case .overland: OverlandRequest.read(body)
        case .gpsLogger: GPSLoggerRequest.read(query: query, body: body)
        case .doorstep: FixesRequest.read(body)
        }
    }

    /// The response after which the app continues with its next position.
    ///
    /// OwnTracks reads a JSON array of commands; Overland keeps a batch until it reads exactly this object; the others
    /// read the status only.
    var contentAnswer: Response {
        let (type, body): (String, String) =
            switch self {
            case .ownTracks: ("application/json", "[]")
            case .overland: ("application/json", #"{"result":"ok"}"#)
            case .traccar, .osmAnd, .gpsLogger, .doorstep: ("text/plain", "OK")
            }
        return Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
    }
}
