"""nproc.app: the door of the page, from the command line to the limit on uploads."""

import asyncio
import socket
import subprocess
import sys

import pytest

from nproc.app import serve as door
from nproc.app.limits import SameOrigin, UploadLimit
from nproc.app.sources import MAX_BYTES
from nproc.cli import main
from nproc.errors import InvalidInputError


def test_the_package_does_not_import_shiny():
    program = "import sys, nproc, nproc.cli; nproc.cli.build_parser(); print('shiny' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_without_shiny_the_command_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shiny", None)
    assert main(["app", "--no-browser"]) == 2
    assert "pip install 'nproc-py[app]'" in capsys.readouterr().err


def test_the_command_listens_on_this_computer_only_by_default(monkeypatch):
    asked = {}
    monkeypatch.setattr(door, "serve", lambda **options: asked.update(options))
    assert main(["app"]) == 0
    assert asked == {"host": "127.0.0.1", "port": 8050, "browser": True}
    assert main(["app", "--host", "0.0.0.0", "--port", "0", "--no-browser"]) == 0
    assert asked == {"host": "0.0.0.0", "port": 0, "browser": False}


def test_a_port_in_use_is_an_error_that_says_so(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["app", "--no-browser", "--port", str(port)]) == 2
    assert f"cannot listen on 127.0.0.1, port {port}" in capsys.readouterr().err


def test_a_port_that_is_no_port_is_an_error():
    with pytest.raises(InvalidInputError, match="port 700000"):
        door.serve(port=700000, browser=False)


def answer_to(headers, method="POST"):
    """What an application behind the limit is asked, and what comes back."""
    reached, sent = [], []

    async def inner(scope, receive, send):
        reached.append(scope["path"])

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": method, "path": "/session/1/upload/2", "headers": headers}
    asyncio.run(UploadLimit(inner)(scope, None, send))
    return reached, [message.get("status") for message in sent][:1]


def test_an_upload_above_the_limit_is_refused_before_it_is_read():
    assert answer_to([(b"content-length", str(MAX_BYTES + 1).encode())]) == ([], [413])
    assert answer_to([(b"transfer-encoding", b"chunked")]) == ([], [411])
    assert answer_to([(b"content-length", str(MAX_BYTES).encode())]) == (["/session/1/upload/2"], [])
    assert answer_to([], method="GET") == (["/session/1/upload/2"], [])


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("origin", "host", "let_in"),
    [
        (b"http://127.0.0.1:8050", b"127.0.0.1:8050", True),
        (b"https://hub.example", b"hub.example", True),
        (None, b"127.0.0.1:8050", True),  # no browser
        (b"http://evil.example", b"127.0.0.1:8050", False),
        (b"http://127.0.0.1:9999", b"127.0.0.1:8050", False),
        (b"null", b"127.0.0.1:8050", False),
    ],
)
def test_a_page_of_another_site_has_no_access(kind, origin, host, let_in):
    reached, sent = [], []

    async def inner(scope, receive, send):
        reached.append(scope["type"])

    async def send(message):
        sent.append(message["type"])

    headers = [(b"host", host)] + ([(b"origin", origin)] if origin else [])
    asyncio.run(SameOrigin(inner)({"type": kind, "method": "POST", "headers": headers}, None, send))
    assert reached == ([kind] if let_in else [])
    assert sent[:1] == ([] if let_in else ["http.response.start" if kind == "http" else "websocket.close"])
