import ArrivalEstimate
import Foundation
import OrderDomain

/// What osrm-routed 26.10 and valhalla_service 3.9.1 answered over an extract of Karlsruhe-Kirchfeld
/// (© OpenStreetMap contributors, ODbL).
enum EngineBodies {
    static let from = Coordinate(latitude: 49.033246, longitude: 8.395121)!
    static let to = Coordinate(latitude: 49.045, longitude: 8.4)!

    private static let hint = String(repeating: "A", count: 120)

    static let osrmBicycle = """
        {"code":"Ok","routes":[{"legs":[{"steps":[],"weight":521.9,"summary":"","duration":521.9,"distance":1952}],\
        "weight_name":"duration","weight":521.9,"duration":521.9,"distance":1952}],"waypoints":[{"hint":"\(hint)",\
        "location":[8.395121,49.033246],"name":"","distance":0},{"hint":"\(hint)","location":[8.400595,49.045379],\
        "name":"","distance":60.58137313}]}
        """
    static let osrmCar = """
        {"code":"Ok","routes":[{"legs":[{"steps":[],"weight":3465.2,"summary":"","duration":190.8,"distance":1728}],\
        "weight_name":"routability","weight":3465.2,"duration":190.8,"distance":1728}],"waypoints":[{"hint":"\(hint)",\
        "location":[8.396408,49.037535],"name":"Am Baufeld","distance":486.1790224},{"hint":"\(hint)",\
        "location":[8.400595,49.045379],"name":"","distance":60.58137313}]}
        """
    static let osrmMalformed = #"{"message":"Query string malformed close to position 19","code":"InvalidQuery"}"#
    static let osrmNoRoute = #"{"message":"Impossible route between points","code":"NoRoute"}"#

    static let valhallaBicycle = #"""
        {"trip":{"locations":[{"type":"break","lat":49.033246,"lon":8.395121,"original_index":0},{"type":"break","lat":\#
        49.045,"lon":8.4,"side_of_street":"right","original_index":1}],"legs":[{"summary":{"has_time_restrictions":\#
        false,"has_toll":false,"has_highway":false,"has_ferry":false,"min_lat":49.033246,"min_lon":8.393051,"max_lat":\#
        49.046431,"max_lon":8.400594,"time":444.0,"length":2.131,"cost":1391.041},"shape":"{`wo|Aavk_OyF`@oADuUbCib@\#
        fEcb@dE_GzAmHt@oUnBeHp@{Jh@eAFgRbBsKdAoDX_Jx@uGp@kCTiaDl[gZxC_DZcyBxSskAtLo_@nDeNr@aIb@{G`@{MzAml@bGmEd@aAE\#
        }@EiCeAi@i@gAiBw@{Bk@mCQwBw@oSo@eGEcBDqAXaAyAgBxJyPtHsNpImPzQe\\r\\}f@eBoD_F_KaSma@yf@cz@c\\eg@{\\uj@nCsE^\#
        o@f{@mxA"}],"summary":{"has_time_restrictions":false,"has_toll":false,"has_highway":false,"has_ferry":false,\#
        "min_lat":49.033246,"min_lon":8.393051,"max_lat":49.046431,"max_lon":8.400594,"time":444.0,"length":2.131,\#
        "cost":1391.041},"status_message":"Found route between points","status":0,"units":"kilometers","language":\#
        "en-US"}}
        """#
    static let valhallaNoEdges =
        #"{"error_code":171,"error":"No suitable edges near location","status_code":400,"status":"Bad Request"}"#
    static let valhallaUnknownCosting =
        #"{"error_code":125,"error":"No costing method found: 'nonsense'","status_code":400,"status":"Bad Request"}"#
}
