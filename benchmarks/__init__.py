"""Programs that measure halfulp against a peer or a physical limit; each ends with lines `figure NAME VALUE UNIT`."""
