@testable import APNsEmulator
import Testing
