"""A page of `pagelab report` in a headless browser, as a reader has it: no errors, nothing loaded, sliders that agree
with `pagelab model`, keyboard, small screens, dark and print. Prints TAP. Screenshots go to the folder of the build.

Usage: page.py PAGELAB SOURCE OUT"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

pagelab, source, out = sys.argv[1:4]
winstone = os.path.join(source, "models/winstone96.csv")
number = 0


def check(good, name, why=""):
    global number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {name}", flush=True)
    if not good and why:
        print(f"# {why}", flush=True)


def run(*words, **more):
    return subprocess.run([pagelab, *words], check=True, capture_output=True, text=True, **more)


def browser(width, dark=False):
    options = Options()
    for word in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
                 "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
                 f"--user-data-dir={tempfile.mkdtemp(dir=out)}", f"--window-size={width},900"]:
        options.add_argument(word)
    if dark:
        options.add_argument("--force-dark-mode")
        options.add_argument("--blink-settings=preferredColorScheme=0")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
    if dark:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                               {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    return driver


def requests_of(driver):
    """What was asked of anything but the page's own file."""
    asked = []
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent" and message["params"]["documentURL"].startswith("file:"):
            url = message["params"]["request"]["url"]
            if not url.startswith(("file:", "data:", "blob:")):
                asked.append(url)
    return asked


def errors_of(driver):
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def overflow(driver):
    return driver.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")


def panel_values(driver, panel, values):
    return driver.execute_script(
        "const p = pagelab.panels[arguments[0]].set(arguments[1]);"
        "return [p.now.total_s, p.now.read_s, p.now.write_s, p.optimum && p.optimum.d_mb,"
        " p.optimum && p.optimum.cost.total_s];", panel, values)


def close(a, b, relative):
    return a == b or abs(a - b) <= relative * max(abs(a), abs(b))


def compare_panel(driver):
    """The panel and the program on the same parameters: every method, both accountings, sizes inside and outside."""
    worst, cases = 0.0, 0
    methods = ["linear", "pchip", "steffen", "akima", "cspline", "log-linear", "log-pchip", "log-steffen", "log-akima",
               "log-cspline"]
    points = [(8, 0.8, 1.6, 2, 10, 0), (8, 1, 2, 0.05, 10, 0), (12, 3, 2.5, 1, 12, 0.5), (9.5, 2.25, 3, 0.2, 8, 1),
              (15, 6, 1.2, 0.01, 0.1, 0), (8, 7.5, 4, 2, 10, 0)]
    for method in methods:
        for accounting in ("1996", "two-level"):
            for m, d, r, cd, ch, frac in points:
                words = ["model", winstone, "--m", f"{m}MB", "--d", f"{d}MB", "--r", str(r), "--cd", f"{cd}ms", "--ch",
                         f"{ch}ms", "--frac", str(frac), "--interpolation", method, "--accounting", accounting]
                want = json.loads(run(*words, "--json", "-").stdout)["results"]
                got = panel_values(driver, 0, {"m_mb": m, "d_mb": d, "r": r, "cd_s": cd / 1e3, "ch_s": ch / 1e3,
                                               "frac": frac, "accounting": accounting, "interpolation": method})
                for have, key in zip(got[:3], ("total_s", "read_s", "write_s")):
                    scale = max(abs(want[key]), 1e-9)
                    worst = max(worst, abs(have - want[key]) / scale)
                if want.get("optimum_total_s") is not None:
                    worst = max(worst, abs(got[4] - want["optimum_total_s"]) / max(abs(want["optimum_total_s"]), 1e-9))
                cases += 1
    check(worst <= 1e-9, f"the panel equals the model in {cases} cases", f"worst relative difference {worst}")


def main():
    model, curve, page = (os.path.join(out, name) for name in ("model.json", "curve.json", "page.html"))
    hostile = os.path.join(out, "hostile.json")
    run("model", winstone, "--json", model, "-q")
    run("curve", os.path.join(source, "traces/phases.trace"), "--json", curve, "-q")
    evil = '</script><script>document.title = "broken"</script><img src=x onerror="document.title=\'broken\'">&\u2028'
    with open(hostile, "w") as file:
        json.dump({"pagelab": "0", "kind": evil, "title": evil, "command": [evil, "it's"], "parameters": {evil: evil},
                   "results": {evil: 1}, "notes": [evil],
                   "tables": {evil: {"title": evil, "columns": [{"name": evil, "unit": evil, "label": evil},
                                                                {"name": "reads", "unit": "", "label": ""}],
                                     "rows": [[evil, 1], [evil, 2]]}}}, file)
    run("report", model, curve, hostile, winstone, "-o", page, "-q")
    check(os.path.getsize(page) < 1_000_000, "the page has less than 1 MB", str(os.path.getsize(page)))

    driver = browser(1100)
    driver.get("file://" + page)
    check("broken" not in driver.title, "a hostile title stays text", driver.title)
    check(driver.execute_script("return document.querySelectorAll('canvas').length") >= 4, "there are charts")
    check(driver.execute_script("return pagelab.panels.length") == 2, "the model and the curve have a panel")
    first = json.load(open(model))["results"]
    got = driver.execute_script("const o = pagelab.panels[0].optimum; return [o.d_mb, o.cost.total_s]")
    check(close(got[0], first["optimum_d_mb"], 1e-6) and close(got[1], first["optimum_total_s"], 1e-9),
          "the panel begins with the program's optimum", f"{got}")
    driver.save_screenshot(os.path.join(out, "page-wide.png"))

    slider = driver.find_element(By.CSS_SELECTOR, "#what-if-1-r")
    before = driver.find_element(By.CSS_SELECTOR, ".answer").text
    slider.send_keys(Keys.ARROW_RIGHT * 30)
    after = driver.find_element(By.CSS_SELECTOR, ".answer").text
    check(before != after and re.search(r"\d", after), "a slider moves with the keyboard and changes the answer", after)
    ratio = driver.execute_script("return pagelab.panels[0].state.r")
    shown = driver.execute_script("const c = Chart.getChart(document.querySelector('.panel canvas'));"
                                  "return c.data.datasets[0].data[80]")
    want = json.loads(run("model", winstone, "--d", f"{shown['x']:.17g}MB", "--r", f"{ratio:.17g}", "--json", "-").stdout)
    check(close(shown["y"], want["results"]["total_s"], 1e-9), "the curve drawn is the model's at the slider's ratio",
          f"{shown} {want['results']['total_s']}")
    compare_panel(driver)
    driver.find_element(By.XPATH, "//button[text()='as asked']").click()
    check(close(driver.execute_script("return pagelab.panels[0].optimum.cost.total_s"), first["optimum_total_s"], 1e-9),
          "'as asked' goes back")
    focus = [driver.execute_script("document.querySelector('summary').focus();"
                                   "return document.activeElement.tagName")]
    for _ in range(3):
        driver.switch_to.active_element.send_keys(Keys.TAB)
        focus.append(driver.execute_script("return document.activeElement.tagName"))
    check(all(tag != "BODY" for tag in focus), "the keyboard walks through the page", str(focus))
    rows = driver.execute_script(
        "const d = document.querySelector('#result-1 details[data-table=curve]'); d.open = true;"
        "[...d.querySelectorAll('button')].find((b) => b.textContent === 'all rows').click();"
        "return d.querySelectorAll('tbody tr').length")
    check(rows == len(json.load(open(model))["tables"]["curve"]["rows"]), "all rows can be had", str(rows))
    check(errors_of(driver) == [], "no error in the console")
    asked = requests_of(driver)
    check(asked == [], "no request leaves the page", str(asked[:5]))
    driver.quit()

    database, swept = os.path.join(out, "sweep.sqlite"), os.path.join(out, "sweep.html")
    if os.path.exists(database):
        os.remove(database)
    run("sweep", os.path.join(source, "models/studies/winstone.json"), "-o", database, "-q")
    run("report", database, "-o", swept, "-q")
    check(os.path.getsize(swept) < 1_000_000, "the page of 10,000 points has less than 1 MB", str(os.path.getsize(swept)))
    best = json.loads(run("sweep", "best", database, "--count", "1", "--json", "-").stdout)["results"]
    driver = browser(1100)
    driver.get("file://" + swept)
    least = driver.execute_script("return [...document.querySelectorAll('canvas')].map((c) => "
                                  "Math.min(...Chart.getChart(c).data.datasets[0].data.map((p) => p.y)))")
    check(len(least) == 3 and all(close(v, best["at_best_total_s"], 1e-12) for v in least),
          "a sweep over three parameters has a chart of each, and each has the best point", str(least))
    check(errors_of(driver) == [], "no error in the console of a sweep")
    if shutil.which("gnuplot"):
        check(driver.execute_script("const i = document.querySelector('figure img'); return i && i.naturalWidth > 100"),
              "its map is a picture in the page")
    driver.save_screenshot(os.path.join(out, "page-sweep.png"))
    driver.quit()

    driver = browser(360)
    driver.get("file://" + page)
    check(overflow(driver) <= 0, "no sideways scroll at 360 pixels", f"{overflow(driver)} pixels")
    driver.save_screenshot(os.path.join(out, "page-phone.png"))
    check(errors_of(driver) == [], "no error in the console of a phone")
    driver.quit()

    driver = browser(1100, dark=True)
    driver.get("file://" + page)
    ground = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    check(ground == "rgb(21, 24, 28)", "dark where the reader wants it dark", ground)
    driver.save_screenshot(os.path.join(out, "page-dark.png"))
    pdf = driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})["data"]
    check(len(pdf) > 20000, "the page prints")
    driver.quit()
    print(f"1..{number}")


main()
