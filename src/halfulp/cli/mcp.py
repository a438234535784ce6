"""halfulp mcp"""

from __future__ import annotations


def mcp() -> None:
    """Serve check, locate, explain and tolerance to coding assistants, over the Model Context Protocol on standard input and output.

    Needs the extra `mcp`. It runs the code that it is given, with your rights, as a shell would. Ends when the assistant closes it.
    """
    from halfulp.errors import InputError, install_command

    try:
        from halfulp.assistants.server import server
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "mcp":
            raise
        raise InputError(
            "Got no package named mcp. Needed: the official SDK of the Model Context Protocol. The server speaks through it. Install it with "
            f"{install_command('mcp')}."
        ) from error
    server().run()
