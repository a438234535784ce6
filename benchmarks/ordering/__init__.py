"""Functions of many libraries that add, and the orders that are proved of them."""
