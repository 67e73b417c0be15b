"""Debian's Chromium, driven as a person with a phone would: 360 × 640."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service as Driver

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
needs_chromium = pytest.mark.skipif(not (BROWSER and DRIVER), reason="Debian's chromium and chromium-driver are needed")


@contextmanager
def a_phone(folder: Path, *, dark: bool = False) -> Iterator[webdriver.Chrome]:
    """A fresh browser without history."""
    options = Options()
    options.binary_location = str(BROWSER)
    for argument in (
        *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
        f"--user-data-dir={folder}",
    ):
        options.add_argument(argument)
    if dark:
        options.add_argument("--force-dark-mode")
    options.add_experimental_option(
        "mobileEmulation", {"deviceMetrics": {"width": 360, "height": 640, "pixelRatio": 2.0}}
    )
    browser = webdriver.Chrome(options=options, service=Driver(str(DRIVER)))
    browser.set_page_load_timeout(30)
    browser.command_executor.client_config.timeout = 40
    try:
        yield browser
    finally:
        _kill(browser, folder)


def _kill(browser: webdriver.Chrome, folder: Path) -> None:
    """End driver and browser at once: asked politely, Chromium sometimes takes minutes to leave."""
    driver = browser.service.process
    browser.service.process = None
    driver.kill()
    if driver.stdin:
        driver.stdin.close()
    driver.wait()
    subprocess.run(["pkill", "-KILL", "-f", f"user-data-dir={folder}"], check=False)
