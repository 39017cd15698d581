"""nproc.app: the door of the page, from the command line to the limit on uploads."""

import asyncio
import socket
import subprocess
import sys
import tempfile

import pytest

from nproc.app import server as door
from nproc.app.data import MAX_BYTES
from nproc.app.gate import NO_TOKEN, UNKNOWN_HOST, Gate
from nproc.cli import main
from nproc.errors import InvalidInputError
from nproc.outputs import hold_lock, is_abandoned


@pytest.mark.slow
def test_the_package_does_not_import_shiny():
    program = "import sys, nproc, nproc.cli; nproc.cli.build_parser(); print('shiny' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


@pytest.mark.slow
@pytest.mark.parametrize("package", ["shiny", "uvicorn"])
def test_without_shiny_the_command_says_what_to_install(package):
    program = f"import sys; sys.modules[{package!r}] = None; from nproc.cli import main; sys.exit(main(['app']))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "error: the page requires Shiny for Python: pip install 'nproc-py[app]'.\n"


def test_the_command_listens_on_this_computer_only_by_default(monkeypatch):
    asked = {}
    monkeypatch.setattr(door, "serve", lambda **options: asked.update(options))
    assert main(["app"]) == 0
    assert asked == {"host": "127.0.0.1", "port": 8050, "browser": True, "names": []}
    assert main(["app", "--host", "0.0.0.0", "--port", "0", "--no-browser", "--name", "hub.example"]) == 0
    assert asked == {"host": "0.0.0.0", "port": 0, "browser": False, "names": ["hub.example"]}


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


TOKEN = "a token; of=20 chars"
COOKIE = b"nproc-8050=a%20token%3B%20of%3D20%20chars"
HOME, KNOWN = (b"host", b"127.0.0.1:8050"), (b"cookie", COOKIE)


def gate(**options):
    """Return what makes a gate before an application."""
    return lambda inner: Gate(inner, **{"host": "127.0.0.1", "port": 8050, "token": TOKEN, **options})


def asked(make, headers, kind="http", method="GET", query=b""):
    """Whether an application behind a gate is reached, and what is sent."""
    reached, sent = [], []

    async def inner(scope, receive, send):
        reached.append(scope["type"])
        if kind == "http":
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})

    async def send(message):
        sent.append(message)

    scope = {"type": kind, "path": "/", "query_string": query, "headers": headers}
    if kind == "http":
        scope["method"] = method
    asyncio.run(make(inner)(scope, None, send))
    return bool(reached), sent


@pytest.mark.parametrize(
    ("headers", "method", "status"),
    [
        ([(b"content-length", str(MAX_BYTES + 1).encode())], "POST", 413),
        ([(b"transfer-encoding", b"chunked")], "POST", 411),
        ([(b"content-length", b"\xb2")], "POST", 411),
        ([(b"content-length", str(MAX_BYTES).encode())], "POST", 200),
        ([], "GET", 200),
    ],
)
def test_an_upload_above_the_limit_is_refused_before_it_is_read(headers, method, status):
    reached, sent = asked(gate(), [HOME, KNOWN, *headers], method=method)
    assert (reached, sent[0]["status"]) == (status == 200, status)


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
    headers = [(b"host", host), KNOWN] + ([(b"origin", origin)] if origin else [])
    reached, sent = asked(gate(names=["hub.example"]), headers, kind)
    assert reached == let_in
    if not let_in:
        assert sent[0]["type"] == ("http.response.start" if kind == "http" else "websocket.close")
        assert kind == "websocket" or (sent[0]["status"], sent[1]["body"]) == (
            403,
            b"Pages of other sites have no access.",
        )


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("listens", "host", "let_in"),
    [
        ("127.0.0.1", b"127.0.0.1:8050", True),
        ("127.0.0.1", b"127.0.0.1", True),
        ("127.0.0.1", b"LOCALHOST:1", True),
        ("127.0.0.1", b"[::1]:8050", True),
        ("127.0.0.1", b"hub.example", True),  # given by its name
        ("127.0.0.1", b"evil.example:8050", False),
        ("127.0.0.1", b"127.0.0.1.evil.example", False),
        ("127.0.0.1", b"localhost.evil.example", False),
        ("127.0.0.1", b"evil.example:127.0.0.1", False),
        ("127.0.0.1", b"192.168.1.5:8050", False),
        ("127.0.0.1", b"", False),
        ("127.0.0.1", b"\xff", False),
        ("127.0.0.1", b"[::1", False),
        ("127.0.0.1", b"[::1]evil.example", False),
        ("127.0.0.1", b"127.0.0.1:8050@evil.example", False),
        ("127.0.0.1", b"localhost:evil", False),
        ("127.0.0.1", b"localhost:", True),
        ("192.168.1.5", b"192.168.1.5:8050", True),
        ("192.168.1.5", b"192.168.1.6:8050", False),
        ("fe80::1", b"[FE80::1]:8050", True),
        ("myhost", b"myhost:8050", True),
        # all addresses of this computer: a number, but no name that may be made to lead here
        ("0.0.0.0", b"192.168.1.5:8050", True),
        ("::", b"[fe80::1]:8050", True),
        ("0.0.0.0", b"evil.example:8050", False),
        ("", b"192.168.1.5:8050", True),
        ("", b"evil.example:8050", False),
    ],
)
def test_the_server_answers_under_its_own_names_only(kind, listens, host, let_in):
    reached, sent = asked(gate(host=listens, names=["hub.example"]), [(b"host", host), KNOWN], kind)
    assert reached == let_in
    if not let_in:
        assert sent[0]["type"] == ("http.response.start" if kind == "http" else "websocket.close")
        assert kind == "websocket" or (sent[0]["status"], sent[1]["body"].decode()) == (403, UNKNOWN_HOST)


@pytest.mark.parametrize("headers", [[], [(b"host", b"localhost"), (b"host", b"evil.example")]])
def test_no_host_or_two_are_refused(headers):
    assert not asked(gate(), [*headers, KNOWN])[0]


def test_two_origins_are_refused_where_one_is_another_site():
    own, other = (b"origin", b"http://127.0.0.1:8050"), (b"origin", b"http://evil.example")
    assert asked(gate(), [HOME, KNOWN, own])[0]
    assert not asked(gate(), [HOME, KNOWN, own, other])[0]
    assert not asked(gate(), [HOME, KNOWN, other, own])[0]


@pytest.mark.parametrize(
    ("kind", "method", "query", "cookie", "let_in"),
    [
        ("http", "GET", b"token=a+token%3B+of%3D20+chars", b"", True),
        ("http", "GET", b"", COOKIE, True),
        ("http", "POST", b"", COOKIE, True),
        ("websocket", "", b"", b"other=1; " + COOKIE + b"; more", True),
        ("http", "GET", b"", b"", False),
        ("http", "GET", b"token=", b"", False),
        ("http", "GET", b"token=a", b"nproc-8050=", False),
        ("http", "GET", b"token=%FF%00", b"nproc-8050=%FF", False),
        ("http", "GET", b"", COOKIE.replace(b"8050", b"8051"), False),
        ("http", "GET", b"", COOKIE[:-1], False),
        ("http", "POST", b"token=a+token%3B+of%3D20+chars", b"", False),
        ("websocket", "", b"token=a+token%3B+of%3D20+chars", b"", False),
        ("websocket", "", b"", b"", False),
    ],
)
def test_nobody_gets_in_without_the_token(kind, method, query, cookie, let_in):
    headers = [HOME, (b"content-length", b"0")] + ([(b"cookie", cookie)] if cookie else [])
    reached, sent = asked(gate(), headers, kind, method, query)
    assert reached == let_in
    if not let_in:
        assert sent[0]["type"] == ("http.response.start" if kind == "http" else "websocket.close")
        assert kind == "websocket" or (sent[0]["status"], sent[1]["body"].decode()) == (403, NO_TOKEN)
    given = dict(sent[0].get("headers", ())).get(b"set-cookie") if sent else None
    # the cookie is given once, to whoever opens the address that was printed
    assert given == (COOKIE + b"; Path=/; HttpOnly; SameSite=Strict" if let_in and query else None)


def test_the_browser_that_the_server_starts_gets_in_by_a_token_that_opens_once():
    one = gate(token_once="once")(None)

    def make(inner):
        one._app = inner
        return one

    for refused in ([(b"host", b"evil.example")], [HOME, (b"origin", b"http://evil.example")], [HOME, KNOWN]):
        # nobody uses it up who is refused anyway, or has the cookie
        asked(make, refused, query=b"token=once")
    reached, sent = asked(make, [HOME], query=b"token=once")
    assert reached
    assert dict(sent[0]["headers"])[b"set-cookie"].startswith(COOKIE + b";")
    assert asked(make, [HOME], query=b"token=once")[1][0]["status"] == 403
    assert asked(make, [HOME, (b"cookie", b"nproc-8050=once")])[1][0]["status"] == 403


def test_what_starts_and_stops_the_application_is_passed_on():
    assert asked(gate(), [], "lifespan")[0]


def test_a_token_is_drawn_or_taken_from_the_environment(monkeypatch):
    monkeypatch.delenv("NPROC_APP_TOKEN", raising=False)
    one, two = door._token(), door._token()
    assert one != two
    assert len(one) == 32
    monkeypatch.setenv("NPROC_APP_TOKEN", "0123456789abcdef")
    assert door._token() == "0123456789abcdef"
    monkeypatch.setenv("NPROC_APP_TOKEN", "0123456789abcde")
    with pytest.raises(InvalidInputError, match=r"NPROC_APP_TOKEN has 15 character\(s\)"):
        door.serve(browser=False)
    monkeypatch.setenv("NPROC_APP_TOKEN", "0123456789abcdef\udcff")
    with pytest.raises(InvalidInputError, match="signs of ASCII only"):
        door.serve(browser=False)


@pytest.mark.parametrize("name", ["", "https://hub.example", "hub.example:443", "hub.example/page"])
def test_a_name_that_no_header_can_have_is_an_error(name):
    with pytest.raises(InvalidInputError, match="--name must be the name of a server"):
        door.serve(browser=False, names=["::1", name])


def test_folders_of_killed_servers_go_at_the_next_start_and_those_of_living_ones_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("nproc-app-killed", "nproc-app-lives", "nproc-app-without", "other"):
        (tmp_path / name / "session").mkdir(parents=True)
    locks = [tmp_path / name / door.LOCK for name in ("nproc-app-killed", "other")]
    for lock in locks:
        lock.touch()
    with hold_lock(tmp_path / "nproc-app-lives" / door.LOCK):
        door._remove_abandoned_folders()
        # a folder without the file is of a server that starts, or of somebody else
        assert sorted(path.name for path in tmp_path.iterdir()) == ["nproc-app-lives", "nproc-app-without", "other"]
    door._remove_abandoned_folders()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["nproc-app-without", "other"]


@pytest.mark.slow
def test_a_server_that_is_killed_leaves_its_lock_open(tmp_path):
    code = "import time\nfrom pathlib import Path\nfrom nproc.outputs import hold_lock\n"
    code += f"with hold_lock(Path({str(tmp_path / 'lock')!r})):\n    print('held', flush=True)\n    time.sleep(60)\n"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout.readline() == "held\n"
        assert not is_abandoned(tmp_path / "lock")
        process.kill()
    assert is_abandoned(tmp_path / "lock")
