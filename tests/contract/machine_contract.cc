namespace fairwire {}
