import NatsClient
import Testing

@testable import ReliableMessaging

@Suite("Numbers that streams gave")
struct AcknowledgedSequencesTests {
    private func acknowledgements(
        _ sequences: [UInt64], of stream: String = "S", isDuplicate: Bool = false
    ) -> [PublishAck] {
        sequences.map { PublishAck(stream: stream, sequence: $0, isDuplicate: isDuplicate) }
    }

    @Test("A stream that goes on, with gaps and in any order within a batch, is whole")
    func whole() {
        var numbers = AcknowledgedSequences()
        for batch: [UInt64] in [[3, 1, 2], [], [9, 7], [10]] {
            #expect(numbers.record(acknowledgements(batch)).isEmpty)
        }
        #expect(numbers.record(acknowledgements([1], of: "T")).isEmpty)
    }

    @Test("A duplicate repeats the number of an earlier message and tells nothing")
    func duplicate() {
        var numbers = AcknowledgedSequences()
        _ = numbers.record(acknowledgements([5]))
        #expect(numbers.record(acknowledgements([2], isDuplicate: true)).isEmpty)
        #expect(numbers.record(acknowledgements([6])).isEmpty)
    }

    @Test(
        "A number that was given before is found once, though the stream has grown past its former end",
        arguments: [1, 5])
    func setBack(given: UInt64) {
        var numbers = AcknowledgedSequences()
        _ = numbers.record(acknowledgements([5]) + acknowledgements([50], of: "T"))
        #expect(numbers.record(acknowledgements([given, 99]) + acknowledgements([51], of: "T")) == ["S"])
        #expect(numbers.record(acknowledgements([100])).isEmpty)
    }
}
