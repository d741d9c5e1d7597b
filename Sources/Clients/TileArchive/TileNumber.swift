/// The number of a tile: all tiles of the zooms below come before it, and those of its zoom along a Hilbert curve.
enum TileNumber {
    /// - Returns: nil for a place that its zoom has not.
    static func of(zoom: Int, column: Int, row: Int) -> Int? {
        guard (0...TileHeader.zoomMax).contains(zoom) else { return nil }
        let side = 1 << zoom
        guard (0..<side).contains(column), (0..<side).contains(row) else { return nil }
        var number = (side * side - 1) / 3
        var (x, y) = (column, row)
        for level in stride(from: zoom - 1, through: 0, by: -1) {
            let size = 1 << level
            let (right, lower) = (size & x, size & y)
            number += ((3 * right) ^ lower) << level
            guard lower == 0 else { continue }
            if right != 0 { (x, y) = (size - 1 - x, size - 1 - y) }
            swap(&x, &y)
        }
        return number
    }
}
