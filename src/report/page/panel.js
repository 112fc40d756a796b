/* The what-if panel: sliders for m, d, r, cd, ch and frac over the fault table of a result of the 1996 model. */
"use strict";
pagelab.panels = [];
pagelab.panel = (function () {
    const column = (table, name) => {
        const i = table.columns.findIndex((c) => c.name === name);
        return i < 0 ? null : table.rows.map((row) => row[i]);
    };

    /* The fault table that a result carries, or null. */
    function tableOf(result) {
        const found = (result.tables || {}).fault_table || (result.kind === "curve" && (result.tables || {}).faults);
        if (!found || found.rows.length < 2) return null;
        const mb = column(found, "memory_mb"), reads = column(found, "reads"), writes = column(found, "writes");
        const cold = column(found, "cold"), facts = result.parameters || {};
        if (!mb || !reads || mb.includes(null) || reads.includes(null)) return null;
        return { memory_mb: mb.map(Number), reads: reads.map(Number),
                 writes: writes && !writes.includes(null) ? writes.map(Number) : null,
                 cold: cold && cold[0] !== null ? Number(cold[0]) : null, rule: facts.rule || null,
                 page_size: Number(facts.page_size || facts.page_size_bytes || 4096) };
    }

    /* What the result was asked with; for a bare curve the middle of its table and the costs of 1996. */
    function start(result, table) {
        const facts = result.parameters || {}, found = result.results || {};
        const last = table.memory_mb[table.memory_mb.length - 1];
        const or = (value, other) => (typeof value === "number" ? value : other);
        const m = or(facts.m_mb, (table.memory_mb[0] + last) / 2);
        return { m_mb: m, d_mb: or(facts.d_mb, or(found.optimum_d_mb, m / 8)), r: or(facts.r, 1.6),
                 cd_s: or(facts.cd_s, 0.002), ch_s: or(facts.ch_s, 0.01), frac: or(facts.frac, 0),
                 accounting: facts.accounting || "1996", frac_reading: facts.frac_reading || "file",
                 interpolation: facts.interpolation || "log-pchip" };
    }

    /* Logarithmic sliders run from 0 to 1000 over the range. */
    function sliders(table) {
        const first = table.memory_mb[0], last = table.memory_mb[table.memory_mb.length - 1];
        return [
            { key: "m_mb", label: "m, memory of the machine (MB)", low: first, high: last },
            { key: "d_mb", label: "d, memory given to the cache (MB)", low: 0, high: last },
            { key: "r", label: "r, compression ratio", low: 1, high: 10, log: true },
            { key: "cd_s", label: "cd, compressing or decompressing a page (ms)", low: 1e-7, high: 1, log: true, scale: 1e3 },
            { key: "ch_s", label: "ch, a disk access (ms)", low: 1e-6, high: 1, log: true, scale: 1e3 },
            { key: "frac", label: "frac, extra disk accesses a write", low: 0, high: 4 },
        ];
    }
    const STEPS = 1000;
    const toStep = (s, value) => Math.round(STEPS * (s.log ? Math.log(value / s.low) / Math.log(s.high / s.low)
                                                           : (value - s.low) / (s.high - s.low || 1)));
    const fromStep = (s, step) => s.log ? s.low * Math.pow(s.high / s.low, step / STEPS)
                                        : s.low + ((s.high - s.low) * step) / STEPS;
    const shown = (s, value) => String(Number((value * (s.scale || 1)).toPrecision(7)));

    function element(name, attributes, text) {
        const out = document.createElement(name);
        for (const key of Object.keys(attributes || {})) out.setAttribute(key, attributes[key]);
        if (text) out.textContent = text;
        return out;
    }

    function addSlider(grid, s, id, state, changed) {
        const box = element("div", { class: "slider" }), both = element("div", { class: "both" });
        const range = element("input", { type: "range", min: 0, max: STEPS, step: 1, id: id, "data-key": s.key });
        const exact = element("input", { type: "number", step: "any", min: 0, "aria-label": s.label + ", exact", "data-key": s.key });
        const show = () => {
            range.value = toStep(s, Math.max(state[s.key], s.low));
            exact.value = shown(s, state[s.key]);
            range.setAttribute("aria-valuetext", exact.value);
        };
        range.addEventListener("input", () => { state[s.key] = fromStep(s, Number(range.value)); changed(); });
        exact.addEventListener("input", () => {
            const value = Number(exact.value) / (s.scale || 1);
            if (exact.value !== "" && isFinite(value) && value >= (s.key === "r" ? 1 : 0)) {
                state[s.key] = value;
                changed(exact);
            }
        });
        box.append(element("label", { for: id }, s.label), both);
        both.append(range, exact);
        grid.append(box);
        return (typing) => { if (typing !== exact) show(); else range.value = toStep(s, Math.max(state[s.key], s.low)); };
    }

    function addChoice(line, label, values, state, key, changed) {
        const box = element("label", {}, label + " "), select = element("select", { "data-key": key });
        for (const value of values) select.append(element("option", { value: value }, value));
        select.value = state[key];
        select.addEventListener("change", () => { state[key] = select.value; changed(); });
        box.append(select);
        line.append(box);
    }

    const time = (s) => {
        const size = Math.abs(s), f = (v, unit) => v.toLocaleString("en", { maximumSignificantDigits: 6 }) + " " + unit;
        return size >= 1 || size === 0 ? f(s, "s") : size >= 1e-3 ? f(s * 1e3, "ms") : f(s * 1e6, "us");
    };
    const lost = (s) => time(Math.abs(s)) + (s > 0 ? " lost" : " gained");
    const mb = (v, page) => v >= 0.1 || v === 0 ? Number(v.toPrecision(4)) + " MB" : Number((v / page).toPrecision(4)) + " pages";

    function words(best, now, state, curves) {
        const held = "At d = " + mb(state.d_mb, curves.page_mb) + ": " + lost(now.total_s) +
            (now.extrapolated ? " (outside the table: a guess)." : ".");
        if (!best)
            return ["No optimum: the table cannot tell about this m and r.", held];
        return [best.cost.total_s < 0
            ? "A cache pays: most gained, " + time(-best.cost.total_s) + ", at d = " + mb(best.d_mb, curves.page_mb) + "."
            : "A cache does not pay: least overhead " + time(best.cost.total_s) + " at d = " + mb(best.d_mb, curves.page_mb) + ".",
            held];
    }

    /* The curve over d, where nothing is extrapolated. */
    function series(curves, state, best) {
        const high = best ? best.reach_d_mb : state.m_mb, rows = [];
        for (let i = 0; i <= 160; i++) {
            const d = (high * i) / 160, cost = pagelab.cost.evaluate(curves, Object.assign({}, state, { d_mb: d }));
            rows.push([d, cost]);
        }
        const line = (name) => rows.map((row) => ({ x: row[0], y: row[1][name] }));
        const out = [{ label: "total", data: line("total_s") }, { label: "by reads", data: line("read_s"), dashed: true },
                     { label: "by writes", data: line("write_s"), dashed: true }];
        if (best) out.push({ label: "best", data: [{ x: best.d_mb, y: best.cost.total_s }], points: true, colour: 6 });
        return out;
    }

    /* Puts a panel into the section of a result, when it has what it needs. */
    function add(result, section, index) {
        const table = tableOf(result);
        if (!table) return null;
        const state = start(result, table), first = Object.assign({}, state);
        if (state.interpolation !== "exact" && !pagelab.cost.methods.includes(state.interpolation)) return null;
        const box = element("div", { class: "panel", role: "group", "aria-label": "what if" });
        const grid = element("div", { class: "sliders" }), answer = element("p", { class: "answer", "aria-live": "polite" });
        const held = element("p", { class: "held" }), holder = element("div"), line = element("div", { class: "choices" });
        const back = element("button", { type: "button" }, "as asked");
        box.append(element("h3", {}, "What if"), grid, line, answer, held, holder);
        if (result.kind !== "model") { /* a table of faults knows no costs */
            back.textContent = "as at first";
            grid.before(element("p", {}, "The table has no costs: cd, ch and r begin with those of 1996. Put your machine's in."));
        }
        let chart = null, refreshers = [], curves = pagelab.cost.curves(table, state.interpolation), how = state.interpolation;
        const panel = { state: state };
        function changed(typing) {
            if (how !== state.interpolation) curves = pagelab.cost.curves(table, how = state.interpolation);
            state.d_mb = Math.min(state.d_mb, state.m_mb);
            const best = pagelab.cost.optimum(curves, state), now = pagelab.cost.evaluate(curves, state);
            [answer.textContent, held.textContent] = words(best, now, state, curves);
            refreshers.forEach((refresh) => refresh(typing));
            const lines = series(curves, state, best);
            if (chart) pagelab.charts.update(chart, lines);
            else chart = pagelab.charts.draw(holder, "Time lost (+) or gained (-) by cache size", lines, { x: "d (MB)", y: "time (s)" });
            panel.optimum = best;
            panel.now = now;
        }
        panel.set = (values) => { Object.assign(state, values); changed(); return panel; };
        const settings = sliders(table).filter((s) => s.key !== "frac" || table.writes);
        refreshers = settings.map((s) => addSlider(grid, s, "what-if-" + index + "-" + s.key, state, changed));
        addChoice(line, "accounting", ["1996", "two-level"], state, "accounting", () => changed());
        const methods = pagelab.cost.methods.filter((name) => table.memory_mb.length >= pagelab.cost.fewest(name));
        addChoice(line, "between the rows", methods.concat(first.interpolation === "exact" ? ["exact"] : []), state,
                  "interpolation", () => changed());
        back.addEventListener("click", () => {
            Object.assign(state, first);
            line.querySelectorAll("select").forEach((select) => { select.value = state[select.dataset.key]; });
            changed();
        });
        line.append(back);
        section.querySelector(".charts").before(box);
        changed();
        pagelab.panels.push(panel);
        return panel;
    }
    return { add: add };
})();
