import ServiceRuntime

/// Values of tracker apps' forms, parsed as leniently as the apps write them.
extension FormValues {
    func number(_ name: String) -> Double? { text(name).flatMap { LooseNumber.read($0) } }

    func flag(_ name: String) -> Bool? { text(name).flatMap { LooseFlag.read($0) } }

    func time(_ name: String) -> RawFix.Time? { text(name).flatMap { LooseTime.read($0) } }
}
