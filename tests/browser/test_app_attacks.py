"""What a forged message, a page of another site, a visitor without the token, or a wide table does to the web page."""

import os
import time

import numpy as np
import pytest
from served_page import BROWSER, FLAGS, PATIENCE, download, fit, missing, shown, upload

from nproc.app.gate import NO_TOKEN, UNKNOWN_HOST
from nproc.app.inputs import _FORMS, BUTTONS

pytestmark = pytest.mark.skipif(missing() is not None and not os.environ.get("CI"), reason=str(missing()))

REFUSED = "not uploaded here, and was not read"
ROWS = "x,y\n" + "".join(f"{j % 7}.5,{'ab'[j % 2]}\n" for j in range(200))

SEND = "([name, value]) => Shiny.setInputValue(name, value, {priority: 'event'})"
RAW = "text => Shiny.shinyapp.$socket.send(text)"
CONNECTED = "() => Shiny.shinyapp.isConnected()"

# the delays in ms of messages that are sent one after the other, until a number of them is through
DELAYS = """async (seconds) => {
    const delays = [], problem = document.getElementById("problem"), end = performance.now() + 1000 * seconds;
    while (performance.now() < end) {
        const word = "word" + Math.random(), begun = performance.now();
        Shiny.setInputValue("refused", {name: word, size: 3e8}, {priority: "event"});
        while (!problem.innerText.includes(word)) await new Promise(go => setTimeout(go, 5));
        delays.push(performance.now() - begun);
    }
    return delays;
}"""


def forged(path):
    return [{"name": "x.csv", "size": 1, "type": "", "datapath": str(path)}]


@pytest.mark.slow
def test_a_forged_path_is_neither_read_nor_removed(visit, server, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text(ROWS.replace("x,y", "secret,y"), encoding="utf-8")
    link, pipe = tmp_path / "link.csv", tmp_path / "pipe.csv"
    link.symlink_to(secret)
    os.mkfifo(pipe)
    window = visit()
    window.check("input[name=kind][value=upload]")
    window.locator("#file").wait_for(state="attached")
    paths = [secret, link, pipe, f"{server.temporary}/../../../{secret}", "/etc/passwd"]
    for path in paths:
        window.evaluate(SEND, ["file", forged(path)])
        shown(window, "#problem", REFUSED)
        assert window.locator("#columns").inner_text() == ""
        window.evaluate(SEND, ["refused", {"name": "other words", "size": 3e8}])
        shown(window, "#problem", "other words")
    window.check("input[name=kind][value=sample]")
    fit(window, "lda")
    shown(window, "#status", "proved")
    window.get_by_role("tab", name="New rows").click()
    for path in paths:
        window.evaluate(SEND, ["new_file", forged(path)])
        shown(window, "#new_rows_shown", REFUSED)
    assert secret.read_text(encoding="utf-8").startswith("secret,y")


ODD = [
    None, True, "", "x", "0.1", "\u0000", 0, -1, 0.5, 1.5, 1e-320, 1e20, 1e300, -1e300, [], [[]], ["x"], [1], [None],
    {}, {"x": "0.1"}, {"x": 0.3}, {"x": 1e-320}, {"name": "x", "size": "9"}, {"name": "x", "size": 1e300},
    [{"name": "x.csv", "datapath": 3}], [{"name": "x.csv", "datapath": "\u0000"}], [{"name": 3, "datapath": ""}],
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("fitted", [False, True])
def test_values_of_any_type_leave_the_session_alive_and_the_log_clean(visit, server, fitted):
    window = visit()
    if fitted:
        fit(window, "lda", "nb")
        shown(window, "#status", "proved")
    sizes = [".clientdata_pixelratio", ".clientdata_output_bands_width", ".clientdata_output_bands_height"]
    for name in [*_FORMS, *BUTTONS, *sizes]:
        for value in ODD:
            window.evaluate(SEND, [name, value])
        # what no script would send
        for value in ("NaN", "Infinity", "1e999", "1" + "0" * 400):
            window.evaluate(RAW, f'{{"method": "update", "data": {{"{name}": {value}}}}}')
        # one after the other: messages on one turn of the loop are one change
        assert window.evaluate(DELAYS, 0.01)
        assert window.evaluate(CONNECTED), name
    log = server.log.read_text()
    assert "Traceback" not in log
    assert "Error" not in log
    # and it still works
    window.reload()
    window.locator("input[name=features]").first.wait_for()
    fit(window, "lda")
    shown(window, "#status", "proved")


@pytest.mark.slow
def test_a_page_under_another_name_has_no_access(server, browser):
    # as where the name of another site is made to lead to this computer
    flags = [*FLAGS.split(), "--host-resolver-rules=MAP evil.example 127.0.0.1"]
    elsewhere = browser.browser_type.launch(executable_path=BROWSER, args=flags)
    try:
        window = elsewhere.new_page()
        assert window.goto(server.url.replace("127.0.0.1", "evil.example")).status == 403
        assert window.locator("body").inner_text() == UNKNOWN_HOST
        opened = window.evaluate(
            """() => new Promise(done => {
                const socket = new WebSocket(`ws://${location.host}/websocket/`);
                socket.onopen = () => done("open");
                socket.onerror = () => done("refused");
            })"""
        )
        assert opened == "refused"
    finally:
        elsewhere.close()


@pytest.mark.slow
def test_without_the_token_there_is_only_a_word_of_where_to_find_it(server, browser):
    window = browser.new_context().new_page()
    plain = server.url.partition("?")[0]
    assert window.goto(plain).status == 403
    assert window.locator("body").inner_text() == NO_TOKEN
    for path in ("lib", "session/x/upload/y", "websocket"):
        assert window.goto(plain + path).status == 403
    assert window.goto(plain + "?token=wrong").status == 403
    # once opened with the token, the address does without
    window.goto(server.url)
    window.locator("input[name=features]").first.wait_for()
    assert window.url == plain
    assert window.goto(plain).status == 200
    assert window.evaluate("document.cookie") == ""
    window.context.close()


@pytest.mark.slow
def test_settings_that_change_after_the_fit_mark_what_is_shown(visit, tmp_path):
    window = visit()
    fit(window, "lda", alpha=0.1)
    assert "proved" in shown(window, "#status", "alpha = 0.1")
    window.check("input[name=class0][value=benign]")
    assert "now 'benign'" in shown(window, "#stale", "The settings have changed since this fit: class 0")
    shown(window, "#status", "proved for the settings that were fitted.")
    assert window.locator(".verdict.proved").count() == 0
    shown(window, "#summary", "This is a result of the earlier settings.")
    assert window.content().count("The settings have changed since this fit") == 1
    assert download(window, "band_csv", tmp_path).name == "earlier-settings-np-roc-bands.csv"
    assert download(window, "model", tmp_path).name == "earlier-settings-lda.joblib"
    window.check("input[name=class0][value=malignant]")
    window.locator("#stale .verdict").wait_for(state="detached")
    window.locator(".verdict.proved").wait_for()
    assert download(window, "model", tmp_path).name == "lda.joblib"
    for place, value in (("#seed", "7"), ("#delta", "0.2"), ("#alpha", "0.2"), ("#n_splits", "3")):
        before = window.input_value(place)
        window.fill(place, value)
        shown(window, "#stale", f"{place[1:].removeprefix('n_')} (fitted {before}, now {value})")
        window.fill(place, before)
        window.locator("#stale .verdict").wait_for(state="detached")
    window.locator("input[name=features]").first.uncheck()
    shown(window, "#stale", "predictors (fitted 30 of them, now 29 of them)")
    # another table takes the result away
    window.check("input[name=kind][value=upload]")
    window.locator("#fitted p").wait_for(state="detached")


@pytest.mark.slow
def test_a_wide_table_holds_up_nobody_else(visit, tmp_path):
    rng = np.random.default_rng(0)
    words = np.array(["red", "green", "blue"])[rng.integers(0, 3, (300, 1500))]
    lines = [",".join(["y", *(f"x{j}" for j in range(1500))])]
    lines += [",".join([str(i % 2), *row]) for i, row in enumerate(words)]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    one, two = visit(), visit()
    upload(one, tmp_path / "wide.csv")
    begun = time.monotonic()
    delays = []
    while "1501 columns" not in one.locator("#columns").inner_text():
        assert time.monotonic() - begun < PATIENCE
        delays += two.evaluate(DELAYS, 0.5)
    # all of this time another visitor would have to wait, if the table were read where pages are answered
    assert max(delays) < 500 * (time.monotonic() - begun)
    (tmp_path / "wider.csv").write_text(",".join(f"x{j}" for j in range(10_000)) + "\n1\n", encoding="utf-8")
    one.locator("#file").set_input_files(tmp_path / "wider.csv")
    shown(one, "#problem", "wider.csv has 10000 columns and was not read: the page takes at most 2000")
