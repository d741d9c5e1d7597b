/// A sum of small decision trees: what a boosted regression learned, as numbers.
struct RegressionTrees: Hashable, Codable, Sendable {
    /// What is said before any tree.
    var start: Double
    var trees: [[Node]]

    /// A question or an answer; a tree's first node is its root.
    enum Node: Hashable, Sendable {
        /// Goes left where the feature is at or below the threshold.
        case question(feature: Int, threshold: Double, left: Int, right: Int)
        case answer(Double)
    }

    func value(of features: [Double]) -> Double {
        var sum = start
        for tree in trees { sum += Self.answer(of: tree, to: features) }
        return sum
    }

    static func answer(of tree: [Node], to features: [Double]) -> Double {
        var index = 0
        while true {
            switch tree[index] {
            case .answer(let value): return value
            case .question(let feature, let threshold, let left, let right):
                index = features[feature] <= threshold ? left : right
            }
        }
    }
}

extension RegressionTrees.Node: Codable {
    /// An array: feature, threshold, left and right; or the answer alone.
    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        let first = try values.decode(Double.self)
        if values.isAtEnd {
            self = .answer(first)
        } else {
            guard let feature = Int(exactly: first) else {
                throw DecodingError.dataCorruptedError(in: values, debugDescription: "a feature is a whole number")
            }
            self = .question(
                feature: feature, threshold: try values.decode(Double.self), left: try values.decode(Int.self),
                right: try values.decode(Int.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        switch self {
        case .answer(let value): try values.encode(value)
        case .question(let feature, let threshold, let left, let right):
            try values.encode(feature)
            try values.encode(threshold)
            try values.encode(left)
            try values.encode(right)
        }
    }
}

extension RegressionTrees {
    /// The same for features in another order: what was feature `n` is now `features[n]`.
    func asking(_ features: [Int]) -> RegressionTrees {
        let trees = trees.map { tree in
            tree.map { node in
                guard case .question(let feature, let threshold, let left, let right) = node else { return node }
                return .question(feature: features[feature], threshold: threshold, left: left, right: right)
            }
        }
        return RegressionTrees(start: start, trees: trees)
    }

    /// Whether every tree ends and asks only for features that there are: what a file may get wrong.
    func isSound(features count: Int) -> Bool {
        start.isFinite
            && trees.allSatisfy { tree in
                !tree.isEmpty
                    && tree.enumerated().allSatisfy { index, node in
                        switch node {
                        case .answer(let value): value.isFinite
                        case .question(let feature, let threshold, let left, let right):
                            (0..<count).contains(feature) && threshold.isFinite
                                && left > index && left < tree.count && right > index && right < tree.count
                        }
                    }
            }
    }
}
