/// A request that has a stream, and what came of its answer.
struct Exchange {
    let push: PendingPush
    var answer = Answer()
}
