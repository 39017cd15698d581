"""The command ``app``: the web page."""

from nproc.errors import InvalidInputError


def add_app(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "app",
        run_app,
        "--no-browser --port 8050",
        "It requires the extra 'app': pip install 'nproc-py[app]'. It runs until Ctrl-C, listens on this computer\n"
        "only unless --host says otherwise, and keeps nothing: uploads lie in a temporary folder. The address that it\n"
        "prints ends with a token, and the page opens only with this token. To choose it yourself, set the\n"
        "environment variable NPROC_APP_TOKEN (at least 16 characters). The page answers only under localhost and\n"
        "the address of --host (with 0.0.0.0, under any numerical address). Behind a proxy, give the host name that\n"
        "browsers use by --name.",
    )
    command.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on; default 127.0.0.1"
    )
    command.add_argument("--port", type=int, default=8050, metavar="N", help="port, 0 for any free one; default 8050")
    command.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME",
        help="another host name of the server, for example behind a proxy; repeatable",
    )
    command.add_argument("--no-browser", action="store_true", help="do not open the page in a browser")


def run_app(args):
    """Serve the page until Ctrl-C."""
    try:
        from nproc.app import serve
    except ModuleNotFoundError as error:
        if error.name not in ("shiny", "uvicorn"):
            raise
        raise InvalidInputError("the page requires Shiny for Python: pip install 'nproc-py[app]'.") from None
    serve(host=args.host, port=args.port, browser=not args.no_browser, names=args.name)
