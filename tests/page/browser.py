"""A headless Chromium, asked over chromedriver's WebDriver protocol.

    with Browser() as browser:
        browser.open(path)
        heading = browser.run("return document.querySelector('h1').textContent")
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# A busy machine may be slow to answer; that is no failure.
_PATIENCE_SECONDS = 150


class Browser:
    def __init__(self):
        driver = shutil.which("chromedriver")
        chromium = shutil.which("chromium")
        if not driver or not chromium:
            raise SystemExit(
                "there is no chromium or no chromedriver: install chromium and chromium-driver"
            )
        # Chromium keeps a socket there, whose path has to be short.
        self._home = tempfile.mkdtemp(prefix="pages_", dir="/tmp")
        environment = dict(os.environ, HOME=self._home, TMPDIR=self._home)
        self._driver = subprocess.Popen(
            [driver, "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
        )
        self._address = f"http://127.0.0.1:{self._port()}"
        options = {
            "binary": chromium,
            "args": [*_FLAGS, f"--user-data-dir={self._home}/profile"],
        }
        session = self._ask(
            "POST",
            "/session",
            {
                "capabilities": {
                    "alwaysMatch": {
                        "goog:chromeOptions": options,
                        "goog:loggingPrefs": {"browser": "ALL"},
                    }
                }
            },
        )
        self._session = f"/session/{session['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._ask("DELETE", self._session, None)
        finally:
            self._driver.terminate()
            self._driver.wait()
            self._driver.stdout.close()
            shutil.rmtree(self._home, ignore_errors=True)

    def open(self, path):
        self._ask("POST", self._session + "/url", {"url": "file://" + path})

    def run(self, script, *arguments):
        """What the script returns, as JSON has it."""
        return self._ask(
            "POST",
            self._session + "/execute/sync",
            {"script": script, "args": arguments},
        )

    def console(self):
        """What was said on the console since the last time."""
        return self._ask("POST", self._session + "/se/log", {"type": "browser"})

    def command(self, name, **parameters):
        """A command of the DevTools protocol."""
        return self._ask(
            "POST",
            self._session + "/goog/cdp/execute",
            {"cmd": name, "params": parameters},
        )

    def press_tab(self):
        for kind in ("rawKeyDown", "keyUp"):
            self.command(
                "Input.dispatchKeyEvent",
                type=kind,
                key="Tab",
                code="Tab",
                windowsVirtualKeyCode=9,
            )

    def _port(self):
        for line in self._driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return int(found[1])
        raise SystemExit("chromedriver ended before it said where it listens")

    def _ask(self, method, path, body):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._address + path, data=data, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=_PATIENCE_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {error.read().decode()}") from error
