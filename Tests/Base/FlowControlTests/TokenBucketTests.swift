import FlowControl
import Foundation
import Testing

@Suite("Token bucket")
struct TokenBucketTests {
    let size = TokenBucket.Size(capacity: 3, secondsPerToken: 240)
    let noon = Date(timeIntervalSince1970: 1_795_262_400)

    @Test("A full bucket lets its capacity go at once, and one more for each refill")
    func spending() {
        var bucket = TokenBucket(size, at: noon)
        for _ in 1...3 {
            #expect(bucket.ready(size, at: noon) == noon)
            bucket.spend(size, at: noon)
        }
        #expect(bucket.delay(size, at: noon) == 240)
        #expect(bucket.ready(size, at: noon.addingTimeInterval(60)) == noon.addingTimeInterval(240))
        #expect(bucket.delay(size, at: noon.addingTimeInterval(240)) == 0)
    }

    @Test("It saves up no more than its capacity, and owes nothing when it is overdrawn")
    func bounds() {
        var bucket = TokenBucket(tokens: 0, countedAt: noon)
        bucket.spend(size, at: noon)
        #expect(bucket.tokens == 0)
        #expect(bucket.available(size, at: noon.addingTimeInterval(1_000_000)) == 3)
    }

    @Test("A clock that went back refills nothing and takes nothing")
    func backwards() {
        var bucket = TokenBucket(tokens: 2, countedAt: noon)
        let before = noon.addingTimeInterval(-3_600)
        #expect(bucket.available(size, at: before) == 2)
        bucket.spend(size, at: before)
        #expect(bucket == TokenBucket(tokens: 1, countedAt: noon))
    }
}
