extension Duration {
    /// For `make_interval(secs => …)`.
    var inSeconds: Double { self / .seconds(1) }
}
