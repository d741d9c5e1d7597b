extension Duration {
    /// The seconds for `make_interval(secs => …)`.
    var inSeconds: Double { self / .seconds(1) }
}
