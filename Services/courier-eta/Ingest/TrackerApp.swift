import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird

extension TrackerApp {
    /// What a request of the app was heard to say.
    struct Reading: Hashable, Sendable {
        var fixes: [RawFix] = []
        /// Positions that are there and cannot be read, or a whole body of which nothing can be.
        var unreadable = 0

        static let nothing = Reading()
        static let garbage = Reading(unreadable: 1)
    }

    /// What a request says, by its query and its body.
    ///
    /// Never fails: what cannot be read is counted.
    func read(query: FormValues, body: Data, contentType: String?) -> Reading {
        switch self {
        case .ownTracks: OwnTracksRequest.read(body)
        case .traccar: TraccarRequest.read(body)
        case .osmAnd: OsmAndRequest.read(query: query, body: body, contentType: contentType)
        case .overland: OverlandRequest.read(body)
        case .gpsLogger: GPSLoggerRequest.read(query: query, body: body, contentType: contentType)
        case .doorstep: FixesRequest.read(body)
        }
    }

    /// The answer after which the app goes on to its next position.
    ///
    /// OwnTracks reads a JSON array of commands; Overland keeps a batch until it reads exactly this object; the others
    /// look at the status only.
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
