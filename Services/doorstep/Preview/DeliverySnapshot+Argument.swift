public import ArgumentParser
public import LiveActivity

extension DeliverySnapshot.Status: @retroactive ExpressibleByArgument {}
extension DeliverySnapshot.Flag: @retroactive ExpressibleByArgument {}
