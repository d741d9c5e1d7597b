extension String {
    /// Letters to add, leave out, replace, or swap with their neighbour to make it the other text.
    func edits(to other: String) -> Int {
        let (from, to) = (Array(self), Array(other))
        var beforeLast: [Int] = []
        var last = Array(0...to.count)
        for row in from.indices {
            var next = [row + 1]
            for column in to.indices {
                let replaced = last[column] + (from[row] == to[column] ? 0 : 1)
                var edits = Swift.min(replaced, last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, from[row] == to[column - 1], from[row - 1] == to[column] {
                    edits = Swift.min(edits, beforeLast[column - 1] + 1)
                }
                next.append(edits)
            }
            (beforeLast, last) = (last, next)
        }
        return last[to.count]
    }
}
