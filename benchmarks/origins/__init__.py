"""Does `locate` name the op that is at fault, and keep quiet where nothing is? Models, faults planted in them, and honest changes to them."""
