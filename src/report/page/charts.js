/* Charts of a result, by Chart.js where the page has it. What a table is drawn as is found from its columns, as
 * `pagelab plot` does. Colours come from the page's style, so that dark, light and paper follow by themselves. */
"use strict";
pagelab.charts = (function () {
    const all = [];
    const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const colour = (i) => style("--c" + (i % 7));

    function columnsOf(table) {
        const place = {};
        table.columns.forEach((column, i) => { place[column.name] = i; });
        return place;
    }
    const number = (v) => (typeof v === "number" ? v : typeof v === "string" && v !== "" && isFinite(v) ? Number(v) : null);
    const points = (table, x, y, keep) =>
        table.rows.filter((row) => !keep || keep(row)).map((row) => ({ x: number(row[x]), y: number(row[y]) }))
            .filter((p) => p.x !== null && p.y !== null);
    const title = (column) => (column.label || column.name) + (column.unit ? " (" + column.unit + ")" : "");
    const short = (v) => {
        const size = Math.abs(v);
        return size >= 1e15 || (size !== 0 && size < 1e-4) ? v.toExponential(2)
            : v.toLocaleString("en", { maximumSignificantDigits: 4 });
    };

    function theme(options) {
        const ink = style("--ink"), line = style("--line");
        for (const axis of Object.values(options.scales)) {
            axis.ticks = Object.assign(axis.ticks || {}, { color: ink, maxTicksLimit: 8, callback: (v) => short(Number(v)) });
            axis.grid = { color: line };
            axis.title.color = ink;
        }
        options.plugins.legend.labels.color = ink;
    }

    /* series: [{ label, data: [{x, y}], dashed, points }]; axes: { x: "d (MB)", y: "time (s)", logX, logY } */
    function draw(holder, caption, series, axes) {
        if (typeof Chart === "undefined") return null;
        const words = document.createElement("p"), box = document.createElement("div"), canvas = document.createElement("canvas");
        words.className = "caption";
        words.textContent = caption;
        box.className = "chart";
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", caption + ": " + series.map((s) => s.label).join(", "));
        box.append(canvas);
        holder.append(words, box);
        /* A curve that falls by thousands lies on the axis otherwise. */
        const values = series.flatMap((s) => s.data.map((point) => point.y)).filter((y) => y > 0);
        const wide = axes.mayLog && values.length && Math.max(...values) > 3000 * Math.min(...values);
        const least = values.length ? Math.pow(10, Math.floor(Math.log10(Math.min(...values)))) : 1;
        const options = {
            animation: false, maintainAspectRatio: false, responsive: true, parsing: false, normalized: true,
            interaction: { mode: "nearest", axis: "x", intersect: false },
            scales: {
                x: { type: axes.logX ? "logarithmic" : "linear", title: { display: true, text: axes.x } },
                y: { type: axes.logY || wide ? "logarithmic" : "linear", title: { display: true, text: axes.y } },
            },
            plugins: {
                legend: { position: "bottom", labels: { boxWidth: 26, boxHeight: 0 } },
                tooltip: { callbacks: {
                    title: (items) => items.length ? axes.x + " " + short(items[0].parsed.x) : "",
                    label: (item) => item.dataset.label + ": " + short(item.parsed.y),
                } },
            },
        };
        if (wide) options.scales.y.min = least; /* zeros have no place on it, and would choose the axis */
        theme(options);
        const chart = new Chart(canvas, { type: "line", data: { datasets: datasets(series) }, options: options });
        all.push({ chart: chart, series: series });
        if (axes.mayLog) logButton(box, chart, least);
        return chart;
    }

    function datasets(series) {
        return series.map((s, i) => ({
            label: s.label, data: s.data, borderColor: colour(s.colour === undefined ? i : s.colour),
            backgroundColor: colour(s.colour === undefined ? i : s.colour), borderWidth: 2,
            showLine: !s.points, borderDash: s.dashed ? [6, 4] : [], pointRadius: s.points ? 4 : s.data.length > 60 ? 0 : 2,
            pointHitRadius: 8, stepped: s.stepped || false,
        }));
    }

    function logButton(box, chart, least) {
        const button = document.createElement("button");
        button.type = "button";
        const show = () => { button.textContent = chart.options.scales.y.type === "linear" ? "logarithmic" : "linear"; };
        button.addEventListener("click", () => {
            const type = chart.options.scales.y.type === "linear" ? "logarithmic" : "linear";
            chart.options.scales.y.type = type;
            chart.options.scales.y.min = type === "logarithmic" ? least : undefined;
            theme(chart.options);
            chart.update();
            show();
        });
        show();
        box.after(button);
    }

    /* --- sweeps --------------------------------------------------------------------------- */
    /* The column that the study wants least or greatest; what it is called when the goal is a formula is not drawn. */
    function goalOf(document_, table) {
        const goal = String(document_.parameters.objective || "").split(" ").slice(1).join(" ");
        const named = table.columns.findIndex((c) => c.name === goal || c.label === goal);
        const usual = ["total_s", "elapsed_s"].map((n) => table.columns.findIndex((c) => c.name === n)).find((i) => i >= 0);
        return named >= 0 ? named : usual;
    }

    /* Of each parameter the best point for each of its values; of a sweep over one parameter its points. The map of two
     * parameters is a picture. */
    function sweep(document_, holder) {
        const most = String(document_.parameters.objective || "").startsWith("maximise"), first = document_.parameters.axis_1;
        for (const [key, table] of Object.entries(document_.tables)) {
            const by = key.startsWith("best_by_") ? key.slice(8)
                : key === "points" && !document_.parameters.axis_2 ? first : undefined;
            const x = by === undefined ? -1 : table.columns.findIndex((c) => c.name === by), y = goalOf(document_, table);
            if (x < 0 || y === undefined) continue;
            const name = table.columns[x].label || by;
            const data = points(table, x, y).sort((a, b) => a.x - b.x);
            if (data.length < 2) continue;
            const even = data.map((p) => p.x), far = even[0] > 0 && even[even.length - 1] / even[0] > 50;
            const goal = table.columns[y].label || table.columns[y].name;
            const caption = by === first && key === "points" ? goal + " by " + name
                : (most ? "Greatest " : "Least ") + goal + " for each " + name + ", the other parameters chosen best";
            draw(holder, caption, [{ label: goal, data: data }], { x: title(table.columns[x]), y: title(table.columns[y]), logX: far });
        }
    }

    /* --- kinds of tables ------------------------------------------------------------------ */
    const kinds = [
        function cost(table, at, holder) {
            if (at.total_s === undefined || at.d_mb === undefined) return false;
            const inside = (row) => at.extrapolated === undefined || !row[at.extrapolated];
            const series = [["total_s", "total"], ["read_s", "by reads"], ["write_s", "by writes"], ["frac_s", "by frac"]]
                .filter((s) => at[s[0]] !== undefined)
                .map((s, i) => ({ label: s[1], data: points(table, at.d_mb, at[s[0]], inside), dashed: i > 0 }))
                .filter((s) => s.data.length > 0);
            return draw(holder, "Time lost (+) or gained (-) by cache size, inside the table", series,
                        { x: "d (MB)", y: "time (s)" });
        },
        function faults(table, at, holder) {
            const x = at.memory_mb !== undefined ? at.memory_mb : at.memory_pages;
            if (x === undefined || at.reads === undefined) return false;
            const series = ["reads", "writes"].filter((name) => at[name] !== undefined)
                .map((name) => ({ label: name, data: points(table, x, at[name]) })).filter((s) => s.data.length > 0);
            return draw(holder, "Reads and write-backs by memory size", series,
                        { x: title(table.columns[x]), y: "pages", mayLog: true });
        },
        function predicted(table, at, holder) {
            const p = at.predicted, m = at.measured;
            if (p === undefined || m === undefined) return false;
            const data = points(table, m, p).filter((v) => v.x > 0 && v.y > 0);
            if (!data.length) return false;
            const ends = data.map((v) => v.x).concat(data.map((v) => v.y));
            const line = [Math.min(...ends), Math.max(...ends)].map((v) => ({ x: v, y: v }));
            return draw(holder, "Predicted against measured (on the line they are equal)",
                        [{ label: "values", data: data, points: true }, { label: "equal", data: line, dashed: true }],
                        { x: "measured", y: "predicted", logX: true, logY: true });
        },
        function times(table, at, holder) {
            if (at.time_s === undefined || table.rows.length < 3) return false;
            const byUnit = new Map();
            table.columns.forEach((column, i) => {
                if (i === at.time_s || !table.rows.some((row) => number(row[i]))) return;
                const unit = column.unit || "number";
                byUnit.set(unit, (byUnit.get(unit) || []).concat([i]));
            });
            for (const [unit, columns] of byUnit)
                draw(holder, (table.title || "Over time") + ": " + unit, columns.slice(0, 7).map((i) => ({
                    label: table.columns[i].label || table.columns[i].name, data: points(table, at.time_s, i) })),
                    { x: "time (s)", y: unit });
            return byUnit.size > 0;
        },
        function latencies(table, at, holder) {
            const shares = [["median_us", 50], ["p90_us", 90], ["p99_us", 99], ["p999_us", 99.9]];
            if (at.kind === undefined || !shares.every((s) => at[s[0]] !== undefined) || !table.rows.length) return false;
            return draw(holder, "How long faults took", table.rows.map((row) => ({
                label: String(row[at.kind]), data: shares.map((s) => ({ x: 100 / (100 - s[1]), y: number(row[at[s[0]]]) }))
                    .filter((p) => p.y > 0) })), { x: "one fault in ... takes longer", y: "us", logX: true, logY: true });
        },
    ];

    /* The charts of one result. */
    function result(document_, holder) {
        if (document_.kind === "sweep") return sweep(document_, holder);
        for (const table of Object.values(document_.tables)) {
            if (!table.rows.length || table.columns.length < 2) continue;
            const at = columnsOf(table);
            kinds.some((kind) => kind(table, at, holder));
        }
    }

    function refresh() {
        for (const one of all) {
            one.chart.data.datasets = datasets(one.series);
            theme(one.chart.options);
            one.chart.update();
        }
    }
    /* Other data in a chart that is there. */
    function update(chart, series) {
        const mine = all.find((one) => one.chart === chart);
        mine.series = series;
        chart.data.datasets = datasets(series);
        chart.update();
    }
    return { result: result, draw: draw, update: update, refresh: refresh, resize: () => all.forEach((o) => o.chart.resize()) };
})();
