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
import time
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
        profile = f"{self._home}/profile"
        # Chromedriver would look for one of its own at "localhost", a name that
        # a bare machine does not know.
        self._chromium = subprocess.Popen(
            [
                chromium,
                *_FLAGS,
                "--remote-debugging-port=0",
                f"--user-data-dir={profile}",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self._driver = subprocess.Popen(
            [driver, "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
        )
        self._address = f"http://127.0.0.1:{self._port()}"
        options = {"debuggerAddress": f"127.0.0.1:{self._debug_port(profile)}"}
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

    def _debug_port(self, profile):
        """Where Chromium listens: it writes a file when it does."""
        until = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < until:
            try:
                with open(f"{profile}/DevToolsActivePort") as file:
                    lines = file.read().split("\n")
                if len(lines) > 1:
                    return int(lines[0])
            except FileNotFoundError:
                pass
            if self._chromium.poll() is not None:
                raise RuntimeError(f"chromium ended: {self._chromium.returncode}")
            time.sleep(0.05)
        raise RuntimeError(f"chromium listens nowhere after {_PATIENCE_SECONDS} s")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._ask("DELETE", self._session, None)
        finally:
            self._driver.terminate()
            self._driver.wait()
            self._driver.stdout.close()
            self._chromium.terminate()
            self._chromium.wait()
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
