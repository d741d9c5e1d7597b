import SeededRandom
import Testing

@Suite("Seeded random numbers")
struct SeededRandomTests {
    /// The first outputs of the reference implementation (https://prng.di.unimi.it/splitmix64.c) for the seed 1234567.
    @Test("A generator follows the published sequence")
    func reference() {
        var random = SeededGenerator(seed: 1_234_567)
        let numbers = (0..<3).map { _ in random.next() }
        #expect(numbers == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }

    @Test("A draw is true once in as many as were asked for")
    func once() {
        var random = SeededGenerator(seed: 1)
        let hits = (0..<100_000).count { _ in random.once(in: 10) }
        #expect((9_500...10_500).contains(hits))
    }

    @Test("Training's numbers are from 0 up to 1, and others for another seed")
    func training() {
        var one = TrainingSequence(seed: 1)
        var other = TrainingSequence(seed: 2)
        let numbers = (0..<1_000).map { _ in one.next() }
        #expect(numbers.allSatisfy { (0..<1).contains($0) })
        #expect(numbers != (0..<1_000).map { _ in other.next() })
    }
}
