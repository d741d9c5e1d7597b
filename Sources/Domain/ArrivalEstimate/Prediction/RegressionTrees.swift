/// A sum of small regression trees, fitted by gradient boosting.
struct RegressionTrees: Hashable, Codable, Sendable {
    /// The constant that the trees add to.
    var start: Double
    var trees: [[Node]]

    /// A split or a leaf; a tree's first node is its root.
    enum Node: Hashable, Sendable {
        /// Selects the left child where the feature is at or below the threshold.
        case split(feature: Int, threshold: Double, left: Int, right: Int)
        case leaf(Double)
    }

    func value(of features: [Double]) -> Double {
        var sum = start
        for tree in trees { sum += Self.leaf(of: tree, for: features) }
        return sum
    }

    static func leaf(of tree: [Node], for features: [Double]) -> Double {
        var index = 0
        while true {
            switch tree[index] {
            case .leaf(let value): return value
            case .split(let feature, let threshold, let left, let right):
                index = features[feature] <= threshold ? left : right
            }
        }
    }
}

extension RegressionTrees.Node: Codable {
    /// An array: feature, threshold, left and right; or the leaf's value alone.
    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        let first = try values.decode(Double.self)
        if values.isAtEnd {
            self = .leaf(first)
        } else {
            guard let feature = Int(exactly: first) else {
                throw DecodingError.dataCorruptedError(in: values, debugDescription: "a feature is a whole number")
            }
            self = .split(
                feature: feature, threshold: try values.decode(Double.self), left: try values.decode(Int.self),
                right: try values.decode(Int.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        switch self {
        case .leaf(let value): try values.encode(value)
        case .split(let feature, let threshold, let left, let right):
            try values.encode(feature)
            try values.encode(threshold)
            try values.encode(left)
            try values.encode(right)
        }
    }
}

extension RegressionTrees {
    /// The trees for reordered features: feature `n` becomes `features[n]`.
    func mappingFeatures(_ features: [Int]) -> RegressionTrees {
        let trees = trees.map { tree in
            tree.map { node in
                guard case .split(let feature, let threshold, let left, let right) = node else { return node }
                return .split(feature: features[feature], threshold: threshold, left: left, right: right)
            }
        }
        return RegressionTrees(start: start, trees: trees)
    }

    /// Whether every tree ends and uses only features that exist; a file may get both wrong.
    func isSound(features count: Int) -> Bool {
        start.isFinite
            && trees.allSatisfy { tree in
                !tree.isEmpty
                    && tree.enumerated().allSatisfy { index, node in
                        switch node {
                        case .leaf(let value): value.isFinite
                        case .split(let feature, let threshold, let left, let right):
                            (0..<count).contains(feature) && threshold.isFinite
                                && left > index && left < tree.count && right > index && right < tree.count
                        }
                    }
            }
    }
}
