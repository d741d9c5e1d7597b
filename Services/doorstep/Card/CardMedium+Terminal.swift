import CardPresentation
import CommandOutput

extension CardMedium {
    /// A card of ``LockScreenDrawing`` and ``IslandDrawing``.
    static let terminal = CardMedium(
        safeText: { $0.safeOnTerminal },
        fitsHeadline: { headline, within, life in
            let beside = within.map { $0.columns + 2 } ?? (life == .live ? 0 : 2)
            return headline.columns <= LockScreenDrawing.innerColumns - beside
        },
        fitsQuestion: {
            $0.wrapped(to: LockScreenDrawing.innerColumns, linesMax: 3).count <= LockScreenDrawing.questionRowsMax
        },
        fitsIslandSide: { $0.columns <= IslandDrawing.compactSideColumnsMax })
}
