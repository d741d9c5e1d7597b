/// A request with an open stream, and the received part of its answer.
struct Exchange {
    let push: PendingPush
    var answer = Answer()
}
