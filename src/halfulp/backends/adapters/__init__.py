"""One framework a file. A framework is imported when its adapter is used, never before."""
