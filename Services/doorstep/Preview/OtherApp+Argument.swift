public import ArgumentParser
public import PhoneRules

extension Phone.OtherApp.Kind: ExpressibleByArgument {}
