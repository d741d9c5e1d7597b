import ArrivalEstimate
import Foundation
import OrderDomain

let start = Date(timeIntervalSince1970: 1_795_284_000)
let store = Coordinate(latitude: 52.5200, longitude: 13.4000)!
/// 3.0 km east of the store.
let door = Coordinate(latitude: 52.5200, longitude: 13.4443)!

func seconds(_ count: Double) -> Date { start.addingTimeInterval(count) }

/// A place on the line from the store to the door.
func along(_ share: Double) -> Coordinate {
    Coordinate(latitude: store.latitude, longitude: store.longitude + share * (door.longitude - store.longitude))!
}

/// A ride from store to door at a steady pace, with a fix every `interval` seconds.
func ride(lasting duration: Double = 900, interval: Double = 15, until share: Double = 1) -> [Fix] {
    stride(from: 0, through: duration * share, by: interval).map {
        Fix(time: seconds($0), place: along($0 / duration), accuracy: 10, speed: 3_000 / duration)
    }
}

func track(of fixes: [Fix], receivedAt now: Date? = nil) -> CourierTrack {
    var track = CourierTrack()
    for fix in fixes { _ = try? track.insert(fix, receivedAt: now ?? fix.time) }
    return track
}
