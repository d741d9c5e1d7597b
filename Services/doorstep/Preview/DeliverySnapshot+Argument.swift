public import ArgumentParser
public import LiveActivity

extension DeliverySnapshot.Status: ExpressibleByArgument {}
extension DeliverySnapshot.Flag: ExpressibleByArgument {}
