"""The served page, a browser, and windows that visit it."""

import re

import pytest
from served_page import BROWSER, FLAGS, PATIENCE, Page


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Page(tmp_path_factory.mktemp("page"))
    yield running
    assert running.stop() == 0
    assert running.log.read_text().splitlines()[1:] == ["The page is closed."]
    assert list(running.work.iterdir()) == []
    assert list(running.temporary.iterdir()) == []


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS.split())
        yield chromium
        chromium.close()


@pytest.fixture
def visit(server, browser):
    """Open the page in a window of its own; nothing may be asked of another host, and no script may fail."""
    windows, wrong = [], []

    def visit(width=1280):
        window = browser.new_context(viewport={"width": width, "height": 900}, accept_downloads=True).new_page()
        windows.append(window)
        window.set_default_timeout(PATIENCE * 1000)
        window.on("pageerror", lambda error: wrong.append(str(error)))
        window.on("console", lambda said: wrong.append(said.text) if "Error on client" in said.text else None)
        window.on("request", lambda request: wrong.append(request.url) if is_abroad(request.url) else None)
        window.goto(server.url)
        window.locator("input[name=features]").first.wait_for()
        return window

    yield visit
    for window in windows:
        window.context.close()
    assert wrong == []


def is_abroad(url):
    return url.startswith(("http", "ws")) and not re.match(r"(http|ws)://127\.0\.0\.1:", url)
