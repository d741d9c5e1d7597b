import ArrivalEstimate
import OrderDomain
import Testing

@Suite("Bounds of a distance")
struct DistanceBoundTests {
    @Test(
        "A distance has the least bound above it, and none beyond five kilometres",
        arguments: [
            (0, DistanceBound.metres200), (0.001_7, .metres200), (0.001_9, .metres500), (0.008, .kilometres1),
            (0.01, .kilometres2), (0.03, .kilometres5), (0.05, nil),
        ])
    func least(degrees: Double, bound: DistanceBound?) throws {
        let door = try #require(Coordinate(latitude: 55.68, longitude: 12.59))
        let place = try #require(Coordinate(latitude: 55.68 + degrees, longitude: 12.59))
        #expect(DistanceBound(from: place, to: door) == bound)
    }
}
